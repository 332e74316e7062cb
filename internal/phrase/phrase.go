// Package phrase writes what the messages and reports of several packages say alike:
// names, queries, numbers, differences, the entries that would make a flip known, and how
// much of a list.
package phrase

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/english"
)

// Shown is how many findings a message tells in full, and how many entries of a list:
// more with -v, but not all. CI runs tests with -v through gotestsum or go test -json,
// and a message is to be read there, too.
func Shown(verbose bool) int {
	if verbose {
		return 10
	}
	return 3
}

// Text is a text of one line as it stands, or quoted where something in it does not
// print: what ends the line could pass for a line of the message.
func Text(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// Name is an id as [Text], or quoted where one could not see where it begins and ends.
func Name(id string) string {
	if strings.TrimSpace(id) != id || id == "" {
		return strconv.Quote(id)
	}
	return Text(id)
}

// Query names a query with its text, if it has one, and the turns of its evidence
// units, of which any counts within a unit:
//
//	q1 "Where does Jo live?" gold t1, t2|t3
//
// The text and the turns are cut to 60 characters.
func Query[Unit any](id, text string, units []Unit, turnsOf func(Unit) []string) string {
	out := Name(id)
	if text != "" {
		out += fmt.Sprintf(" %q", shorten(text))
	}
	var turns []string
	for _, unit := range units {
		turns = append(turns, strings.Join(turnsOf(unit), "|"))
	}
	if len(turns) > 0 {
		out += " gold " + Name(shorten(strings.Join(turns, ", ")))
	}
	return out
}

// shorten cuts a text to 60 characters.
func shorten(s string) string {
	const most = 60
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-3]) + "..."
}

// Signed writes a difference with its sign, which that of nothing is plus.
func Signed(x float64) string { return fmt.Sprintf("%+.4f", x+0) }

// Interval writes the two bounds of a difference, "-" for none. It takes what a report
// that was read says, which need not be two.
func Interval(bounds []float64) string {
	if len(bounds) != 2 {
		return "-"
	}
	return fmt.Sprintf("[%s, %s]", Signed(bounds[0]), Signed(bounds[1]))
}

// Decimals writes a value that is no difference, such as a score, "-" for none.
func Decimals(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *x)
}

// Percent writes a share, from 0 to 1, in percent, "-" for none.
func Percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**share)
}

// Known says how many of some flips, of which there is one at least, are known, behind
// what sums them up: ", known" where all are, and nothing where none is.
func Known(known, flips int) string {
	switch known {
	case 0:
		return ""
	case flips:
		return ", known"
	}
	return fmt.Sprintf(", %d of %d known", known, flips)
}

// P writes a p value in two digits, one below 0.0001 by that bound, "-" for none.
func P(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p < 1e-4:
		return "<0.0001"
	}
	return fmt.Sprintf("%.2g", *p)
}

// Level writes the level of an interval at a level of significance, as 95% for 0.05.
func Level(alpha float64) string {
	level := 100 * (1 - alpha)
	text := fmt.Sprintf("%.6g", level) // without what rounding leaves, as 92.99999999999999
	if text == "100" {
		text = strconv.FormatFloat(level, 'g', -1, 64)
	}
	return text + "%"
}

// Categories names categories of queries, of which there is one at least.
func Categories(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = Name(name)
	}
	return english.Noun(len(all), "category ", "categories ") + strings.Join(all, ", ")
}

// Entries writes a list of JSON values, one a line behind a line break and an indent.
func Entries[E any](list []E, indent string) string {
	var b strings.Builder
	for i, entry := range list {
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		_ = e.Encode(entry) // of strings
		open, end := " ", ","
		if i == 0 {
			open = "["
		}
		if i == len(list)-1 {
			end = "]"
		}
		b.WriteString("\n" + indent + open + strings.TrimSuffix(line.String(), "\n") + end)
	}
	return b.String()
}
