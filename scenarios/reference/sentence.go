package reference

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is a piece of a turn that ends as sentences do.
type sentence struct {
	text     string // without the blanks around it
	question bool
}

// sentences splits a text after a full stop, an exclamation or a question mark
// that a blank follows, and at line ends. A full stop behind an abbreviation or a
// single letter ends nothing.
func sentences(text string) []sentence {
	var out []sentence
	add := func(s string) {
		s = strings.TrimSpace(s)
		if s == "" {
			return
		}
		body := strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '?' })
		out = append(out, sentence{s, strings.HasSuffix(body, "?")})
	}
	start := 0
	for i := 0; i < len(text); {
		at := i
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch r {
		case '\n', '\u2028', '\u3002', '\uff01', '\uff1f': // line ends, and stops of scripts without blanks
		case '.', '!', '?', '\u2026':
			for i < len(text) && strings.IndexByte(`.!?)"'`, text[i]) >= 0 {
				i++
			}
			if i < len(text) && (!blank(text[i:]) || r == '.' && i == at+1 && abbreviated(text[start:at])) {
				continue
			}
		default:
			continue
		}
		add(text[start:i])
		start = i
	}
	add(text[start:])
	return out
}

func blank(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

var abbreviations = set("mr mrs ms dr st jr sr vs etc e.g i.e a.m p.m no prof")

// abbreviated says whether a text ends in what keeps a full stop behind it.
func abbreviated(s string) bool {
	last := s[strings.LastIndexAny(s, " (\t\n")+1:]
	r, size := utf8.DecodeRuneInString(last)
	return abbreviations[strings.ToLower(last)] || size == len(last) && unicode.IsUpper(r) && r != 'I'
}

// word is a word of a text: letters, digits, and apostrophes and hyphens inside.
type word struct {
	lower      string // with ' for every apostrophe
	start, end int    // bytes in the text
}

// words lists the words of a text.
func words(text string) []word {
	var out []word
	start := -1
	end := func(at int) {
		if start < 0 {
			return
		}
		w := strings.TrimRight(text[start:at], "'’-")
		out = append(out, word{strings.ReplaceAll(strings.ToLower(w), "’", "'"), start, start + len(w)})
		start = -1
	}
	for i, r := range text {
		switch inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r); {
		case inside && start < 0:
			start = i
		case inside || start >= 0 && (r == '\'' || r == '’' || r == '-'):
		default:
			end(i)
		}
	}
	end(len(text))
	return out
}

// opens lists the words that a clause with a subject of its own can begin with.
var opens = set("i i'm i've i'll i'd we we're we've we'll he he's she she's they they're it it's you you're you've that that's this there there's my our his her their the a")

// joins lists the words that clauses are joined by.
var joins = set("and but so because 'cause cause since while though although")

// clauses splits a sentence where a joining word is followed by a subject, and
// at semicolons and dashes between blanks. A part of fewer than three words stays
// with its neighbour. There is at least one clause.
func clauses(text string) []string {
	ws := words(text)
	var out []string
	start, from := 0, 0 // byte and word that the clause begins with
	for i := 1; i+2 < len(ws); i++ {
		gap := text[ws[i-1].end:ws[i].start]
		begins := i
		switch {
		case strings.Contains(gap, ";") || strings.Contains(gap, " - ") || strings.Contains(gap, " – ") || strings.Contains(gap, "—"):
			if joins[ws[i].lower] {
				begins = i + 1
			}
		case joins[ws[i].lower] && opens[ws[i+1].lower]:
			begins = i + 1
		default:
			continue
		}
		if i-from < 3 || len(ws)-begins < 3 {
			continue
		}
		out = append(out, trimClause(text[start:ws[i-1].end]))
		start, from, i = ws[begins].start, begins, begins
	}
	return append(out, trimClause(text[start:]))
}

func trimClause(s string) string { return strings.Trim(s, " ,;-–—\t") }

// set is a set of the words of a list.
func set(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
