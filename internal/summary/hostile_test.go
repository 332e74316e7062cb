package summary_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/hostile"
)

// hostileLog has a text in every place that a run has.
func hostileLog(text string) string {
	p := "example.com/" + text
	var l log
	l.add(event{Action: "build-output", ImportPath: text, Output: text + "\n"})
	l.add(event{Action: "build-fail", ImportPath: text})
	l.WriteString(strings.NewReplacer("\n", " ", "{", "(").Replace(text) + "\n")
	l.pkg(p, "fail", func() {
		l.test(p, "Test/"+text, "fail", text, "    a_test.go:1: winner flip on "+text, "    "+text+".go:3: x")
		l.add(event{Action: "attr", Package: p, Test: "TestAttr", Key: "tiap.verdict", Value: text})
		for _, key := range []string{"headline", "credit", "n", "winner", "broken", "golden", "other"} {
			l.add(event{Action: "attr", Package: p, Test: "TestAttr", Key: "tiap." + key, Value: text})
		}
		l.add(event{Action: "artifacts", Package: p, Test: "TestAttr", Path: text})
		l.test(p, "TestAttr", "pass")
	})
	l.pkg(text, "fail", func() { l.add(event{Action: "output", Package: text, Output: text}) })
	return l.String()
}

var ticks = regexp.MustCompile("`+")

// withoutCode takes blocks and spans of code out of Markdown: what stands between two
// runs of as many backticks.
func withoutCode(markdown string) string {
	var b strings.Builder
	for {
		open := ticks.FindStringIndex(markdown)
		if open == nil {
			return b.String() + markdown
		}
		b.WriteString(markdown[:open[0]])
		fence, rest := markdown[open[0]:open[1]], markdown[open[1]:]
		end := -1
		for _, run := range ticks.FindAllStringIndex(rest, -1) {
			if run[1]-run[0] == len(fence) {
				end = run[1]
				break
			}
		}
		if end < 0 {
			return b.String() + fence + rest
		}
		b.WriteString("CODE")
		markdown = rest[end:]
	}
}

// harmless finds nothing in the Markdown but what summaries consist of, and nothing
// in it or in the annotations that a log takes for a command.
func harmless(t require.TestingT, markdown, annotations string) {
	for _, line := range strings.Split(markdown, "\n") {
		require.False(t, strings.HasPrefix(strings.TrimLeft(line, " \t"), "::"), "a command: %q", line)
	}
	require.NotContains(t, markdown, "##[")
	require.LessOrEqual(t, len(markdown), 60_000)
	for _, c := range markdown {
		require.False(t, c < ' ' && c != '\n' || c == 0x7f || c >= 0x80 && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069, "%U", c)
	}
	rest := withoutCode(markdown)
	rest = regexp.MustCompile(`<code>[^<>]*</code>`).ReplaceAllString(rest, "CODE")
	rest = regexp.MustCompile(`</?(details|summary)( open)?>|^<!-- tiaptest summarize: go test -->`).ReplaceAllString(rest, "")
	require.NotRegexp(t, "[<`@]|https?:|javascript:|!\\[[^A-Z]", rest)
	for line := range strings.Lines(annotations) {
		require.Regexp(t, `^::error( (file=[^,:]+)?(,?line=\d+)?(,?title=[^,:]*)?)?::[^\r\n]*\n$`, line)
		require.NotContains(t, line, "\x1b")
	}
	require.LessOrEqual(t, strings.Count(annotations, "\n"), 10)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, h := range hostile.Texts() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			s := summarize(t, hostileLog(h.Text), repository(t))
			harmless(t, s.Markdown(), annotations(t, s))
		})
	}
}

func TestHostileProperties(t *testing.T) {
	t.Parallel()
	var parts []string
	for _, h := range hostile.Texts() {
		if len(h.Text) < 200 {
			parts = append(parts, h.Text)
		}
	}
	part := rapid.OneOf(rapid.SampledFrom(append(parts, "`", "|", "\n", "<", "\\", "%", "::")), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		s := summarize(t, hostileLog(strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "parts"), "")), "")
		harmless(t, s.Markdown(), annotations(t, s))
	})
}

// What TestHostile looks for is found.
func TestHarmlessFails(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"::error::x", "  ::error::x", "a ##[error]", "<script>", "a `b", "@everyone", "\x1b[31m", "\u202e", "![x](y)", "```\na\n```\nb\n```\n"} {
		assert.True(t, refuses(text, ""), "%q", text)
	}
	for _, text := range []string{"::error file=a:b::x\n", "::warning::x\n", "x\n", "::error::a\nb\n", strings.Repeat("::error::a\n", 11)} {
		assert.True(t, refuses("", text), "%q", text)
	}
	assert.False(t, refuses("fine `<b>`\n```\n<b>\n```\n", "::error file=a,line=1,title=x::y\n"))
}

// refuses reports whether harmless fails.
func refuses(markdown, annotations string) bool {
	var r recorder
	func() {
		defer func() { _ = recover() }()
		harmless(&r, markdown, annotations)
	}()
	return r.failed
}

type recorder struct{ failed bool }

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) FailNow()              { panic("failed") }
