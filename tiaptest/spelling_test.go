package tiaptest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
)

// members are those of a JSON object, in their order. The values are strings,
// numbers, booleans, nil, members, and lists of these.
type members []member

type member struct {
	name  string
	value any
}

// spelling writes files in one of the many ways that mean the same. That of
// seed 0 is the plainest.
type spelling struct {
	*rand.Rand // nil for the plainest
	odd        bool
	padding    int // bytes of a file that say nothing, so that it does not fit in one block
}

func spell(seed uint64) *spelling {
	if seed == 0 {
		return &spelling{}
	}
	s := &spelling{Rand: rand.New(rand.NewPCG(seed, 0))}
	s.odd = s.oneIn(2)
	if s.oneIn(150) {
		s.padding = 3 << 20
	}
	return s
}

// oneIn is true once in n times, and never in the plainest spelling.
func (s *spelling) oneIn(n int) bool { return s.Rand != nil && s.IntN(n) == 0 }

// oddEnds start with nothing that an id ends in, so that ids stay different.
var oddEnds = []string{"", "", `"`, `\`, `\u0041`, "/", "é", " \t ", "😀", "\u2028", "<&>", "\x7f", "\x01",
	"-a-long-end-that-does-not-fit-into-eight-or-sixteen-or-thirty-two-bytes", "-a-long-end-that-does-not-fit-into-eight-or-sixteen-or-thirty-two-bytez"}

// name is the id of a thing in the files.
func (s *spelling) name(id string) string {
	if !s.odd {
		return id
	}
	sum := uint(0)
	for _, c := range []byte(id) {
		sum = sum*31 + uint(c)
	}
	return id + oddEnds[sum%uint(len(oddEnds))]
}

func (s *spelling) names(ids []string) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		out[i] = s.name(id)
	}
	return out
}

// column is the id of a thing in a file whose columns blanks part.
func (s *spelling) column(id string) string {
	return strings.NewReplacer(" ", "_", "\t", "_").Replace(s.name(id))
}

// lines writes objects, one a line.
func (s *spelling) lines(objects []members) []byte {
	var w bytes.Buffer
	loose, further := s.oneIn(3), s.oneIn(3)
	strict := !s.oneIn(3) // members in one order, as programs write them
	s.blank(&w, "\ufeff", 6)
	pad := s.padding / max(len(objects), 1)
	for i, o := range objects {
		o = append(members{}, o...)
		if further || s.oneIn(20) {
			o = append(o, s.further()...)
		}
		if pad > 0 {
			o = append(o, member{"padding", strings.Repeat("x", pad)})
		}
		if s.Rand != nil && (!strict || i == 0 && s.oneIn(2) || s.oneIn(10)) {
			s.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		}
		s.space(&w, loose)
		s.write(&w, o, loose)
		s.space(&w, loose)
		if i < len(objects)-1 || !s.oneIn(3) {
			s.blank(&w, "\r", 8)
			w.WriteByte('\n')
		}
		s.blank(&w, "\n", 20)
		s.blank(&w, " \t\r\n", 30)
	}
	return w.Bytes()
}

// blank writes what says nothing, once in n times.
func (s *spelling) blank(w *bytes.Buffer, text string, n int) {
	if s.oneIn(n) {
		w.WriteString(text)
	}
}

func (s *spelling) space(w *bytes.Buffer, loose bool) {
	if loose {
		w.WriteString([]string{"", " ", "\t", "  "}[s.IntN(4)])
	}
}

// further are members that mean nothing. Names differ from others in case, too.
func (s *spelling) further() members {
	all := members{
		{"note", members{{"query", "other"}, {"ranking", []any{"m0", nil, 1.5}}}},
		{"Query", "other"}, {"Query_ID", "other"}, {"ID", 7}, {"Ranking", []any{"m0"}}, {"sourceS", []any{}},
		{"", nil}, {"tags", []any{[]any{}, members{}, true, "]}"}}, {"n", -0.25e-3}, {`we"ird\`, false},
	}
	s.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+s.IntN(3)]
}

func (s *spelling) write(w *bytes.Buffer, value any, loose bool) {
	switch v := value.(type) {
	case string:
		s.text(w, v)
	case nil:
		w.WriteString("null")
	case members:
		w.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				w.WriteByte(',')
			}
			s.space(w, loose)
			s.text(w, m.name)
			s.space(w, loose)
			w.WriteByte(':')
			s.space(w, loose)
			s.write(w, m.value, loose)
			s.space(w, loose)
		}
		w.WriteByte('}')
	case []any:
		w.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				w.WriteByte(',')
			}
			s.space(w, loose)
			s.write(w, e, loose)
			s.space(w, loose)
		}
		w.WriteByte(']')
	case float64:
		w.WriteString(s.number(v))
	default:
		fmt.Fprint(w, v)
	}
}

// number spells a float64.
func (s *spelling) number(v float64) string {
	if !s.oneIn(3) {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf([]string{"%.17e", "%.17E", "%.20f"}[s.IntN(3)], v)
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '/': `\/`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// text writes a JSON string, with escapes that are needed and others.
func (s *spelling) text(w *bytes.Buffer, text string) {
	w.WriteByte('"')
	rare := s.oneIn(5)
	for _, r := range text {
		short, ok := shortEscapes[r]
		switch needed := r < ' ' || r == '"' || r == '\\'; {
		case !needed && !(rare && s.oneIn(3)):
			w.WriteRune(r)
		case ok && !s.oneIn(3):
			w.WriteString(short)
		default:
			units := utf16.AppendRune(nil, r)
			for _, u := range units {
				fmt.Fprintf(w, []string{`\u%04x`, `\u%04X`}[len(text)%2], u)
			}
		}
	}
	w.WriteByte('"')
}

// columns writes the lines of a TREC file, in any order.
func (s *spelling) columns(rows [][]string) []byte {
	var w bytes.Buffer
	if s.Rand != nil && !s.oneIn(3) {
		s.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	s.blank(&w, "\ufeff", 6)
	tab, loose := s.oneIn(3), s.oneIn(3)
	pad := s.padding / max(len(rows), 1)
	for i, fields := range rows {
		if loose && s.oneIn(3) {
			w.WriteString(" \t")
		}
		for k, field := range fields {
			switch {
			case k == 0:
			case loose && s.oneIn(3):
				w.WriteString([]string{"\v", "\f", "  ", " \t ", "\t"}[s.IntN(5)])
			case tab:
				w.WriteByte('\t')
			default:
				w.WriteByte(' ')
			}
			w.WriteString(field)
		}
		if loose {
			s.blank(&w, " \t", 4)
		}
		if pad > 0 {
			w.WriteString(strings.Repeat(" ", pad))
		}
		if i < len(rows)-1 || !s.oneIn(3) {
			s.blank(&w, "\r", 8)
			w.WriteByte('\n')
		}
		s.blank(&w, "\n", 20)
		s.blank(&w, " \t\r\n", 30)
	}
	return w.Bytes()
}

// pack compresses a file, or not.
func (s *spelling) pack(name string, text []byte) (string, []byte) {
	var w bytes.Buffer
	switch {
	case s.oneIn(6):
		for _, part := range [][]byte{text[:len(text)/2], text[len(text)/2:]} { // as gzip files are joined
			z := gzip.NewWriter(&w)
			z.Write(part)
			z.Close()
		}
		return name + ".gz", w.Bytes()
	case s.oneIn(6):
		return name + ".zst", zstandard().EncodeAll(text, nil)
	}
	return name, text
}

var zstandard = sync.OnceValue(func() *zstd.Encoder {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2))
	if err != nil {
		panic(err)
	}
	return z
})
