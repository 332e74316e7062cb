package trec

import "bytes"

// isBlank tells C's isspace, which separates fields.
var isBlank = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

// field splits off the first field of a line. It is empty when there is none.
func field(line []byte) (first, rest []byte) {
	i := 0
	for i < len(line) && isBlank[line[i]] {
		i++
	}
	line = line[i:]
	for i, c := range line {
		if isBlank[c] {
			return line[:i], line[i:]
		}
	}
	return line, nil
}

// cutField splits off the first field if it is want and nothing stands before.
func cutField(line, want []byte) (rest []byte, ok bool) {
	if len(want) == 0 || !bytes.HasPrefix(line, want) {
		return nil, false
	}
	rest = line[len(want):]
	return rest, len(rest) == 0 || isBlank[rest[0]]
}

func allBlank(line []byte) bool {
	first, _ := field(line)
	return len(first) == 0
}

func countFields(line []byte) int {
	for n := 0; ; n++ {
		var first []byte
		if first, line = field(line); len(first) == 0 {
			return n
		}
	}
}
