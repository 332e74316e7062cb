package reported

import (
	"regexp"
	"strings"
)

// plainCell is a cell without links, tags and the marks of emphasis and code.
func plainCell(s string) string {
	return strings.TrimSpace(cellMarks.ReplaceAllString(s, "$1$2"))
}

var cellMarks = regexp.MustCompile("\\[([^]]*)\\]\\([^)]*\\)|\\\\([[:punct:]])|<su[bp]>[^<]*</su[bp]>|</?[[:alpha:]][^>]*>|[*`$]|\\b_+|_+\\b")

var printedNumber = regexp.MustCompile(`^(?i:nan)\b|^(?:\d+(?:\.\d*|,\d+)?|\.\d+)(?:[eE][-+]?\d+)?%?`)

// honours are marks in front of a number that say nothing about it: the best score, or a
// footnote.
var honours = regexp.MustCompile("^[🏆🏅🥇🥈🥉👑⭐🌟✨★☆✅✔✓†‡§¶#\ufe0f\u200d\\s]+")

// numberIn is the number that a cell starts with, a decimal comma as a point; a
// sign makes it a difference and no score.
func numberIn(cell string) string {
	number, _ := leadingNumber(plainCell(cell))
	return withPoint(number)
}

// leadingNumber cuts a cell behind the number that it starts with.
func leadingNumber(plain string) (number, behind string) {
	plain = honours.ReplaceAllString(plain, "")
	number = printedNumber.FindString(plain)
	return number, plain[len(number):]
}

// isNaN reports whether a value is printed as undefined.
func isNaN(printed string) bool { return strings.EqualFold(strings.TrimSuffix(printed, "%"), "nan") }

func withPoint(number string) string { return strings.Replace(number, ",", ".", 1) }
