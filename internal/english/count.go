// Package english writes counts with their nouns.
package english

import "strconv"

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
