// Package english writes counts with their nouns, and lists of names.
package english

import (
	"strconv"
	"strings"
)

// Count writes a number with its noun: "1 query", "2 queries".
func Count(n int, one, many string) string {
	return strconv.Itoa(n) + " " + Noun(n, one, many)
}

// Noun is the noun that stands behind a number.
func Noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// List writes names as a sentence has them: "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
