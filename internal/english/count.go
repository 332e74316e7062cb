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

// Without says that none of so many has a thing: "its only query has no label",
// "none of its 2 queries has a label".
func Without(of string, n int, one, many, thing string) string {
	if n == 1 {
		return of + " only " + one + " has no " + thing
	}
	return "none of " + of + " " + Count(n, one, many) + " has a " + thing
}

// List writes names as a sentence has them: "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
