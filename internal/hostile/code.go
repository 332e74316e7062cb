package hostile

import "strings"

// WithoutCode takes the code spans out of a line of Markdown as CommonMark finds
// them: a run of backticks is closed by the next run of the same length. It is not
// ok when a run has none.
func WithoutCode(line string) (rest string, ok bool) {
	var out strings.Builder
	for {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			out.WriteString(line)
			return out.String(), true
		}
		out.WriteString(line[:at])
		line = line[at:]
		run := len(line) - len(strings.TrimLeft(line, "`"))
		line = line[run:]
		end := closing(line, run)
		if end < 0 {
			return "", false
		}
		line = line[end+run:]
	}
}

// closing is where the run of n backticks begins that ends a code span.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		j := i
		for j < len(s) && s[j] == '`' {
			j++
		}
		if j-i == n {
			return i
		}
		i = j
	}
	return -1
}
