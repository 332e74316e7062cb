package annotation_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/internal/annotation"
)

func written(t require.TestingT, as ...annotation.Annotation) string {
	var b strings.Builder
	require.NoError(t, annotation.Write(&b, as))
	return b.String()
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   annotation.Annotation
		want string
	}{
		{annotation.Annotation{File: "a/b_test.go", Line: 3, Title: "TestA", Message: "broken\n"}, "::error file=a/b_test.go,line=3,title=TestA::broken\n"},
		{annotation.Annotation{File: "a.go", Message: "x"}, "::error file=a.go::x\n"},
		{annotation.Annotation{Line: 3, Message: "a line without file"}, "::error::a line without file\n"},
		{annotation.Annotation{}, "::error::\n"},
		{annotation.Annotation{Title: "a,b:c%0A", Message: "50%,\r\n  a: b"}, "::error title=a%2Cb%3Ac%250A::50%25,%0A  a: b\n"},
		{annotation.Annotation{File: "a,line=9::x.go", Line: 1, Message: "x"}, "::error file=a%2Cline=9%3A%3Ax.go,line=1::x\n"},
		{annotation.Annotation{Message: "x\n::error::y\n%0A::warning::z"}, "::error::x%0A::error::y%0A%250A::warning::z\n"},
		{annotation.Annotation{Message: "\x1b[31mred\u202e\rgone"}, `::error::\x1b[31mred\u202e gone` + "\n"},
		{annotation.Annotation{Message: strings.Repeat("x", 10_000)}, "::error::" + strings.Repeat("x", 200) + "... (10000 characters)\n"},
		{annotation.Annotation{Message: strings.Repeat("x\n", 30)}, "::error::" + strings.Repeat("x%0A", 24) + "and 6 more lines\n"},
	} {
		assert.Equal(t, tt.want, written(t, tt.in))
	}
}

func TestMost(t *testing.T) {
	t.Parallel()
	var as []annotation.Annotation
	for i := range 9 {
		as = append(as, annotation.Annotation{Message: fmt.Sprint(i)})
	}
	assert.Equal(t, 9, strings.Count(written(t, as...), "\n"))
	assert.NotContains(t, written(t, as...), "more")
	as = append(as, as...)
	text := written(t, as...)
	assert.Equal(t, 10, strings.Count(text, "\n"))
	assert.True(t, strings.HasSuffix(text, "::error::8\n::error::and 9 more; see the summary\n"), text)
}

// A runner that reads the lines gets the texts back.
func TestWriteProperties(t *testing.T) {
	t.Parallel()
	line := regexp.MustCompile(`^::error( file=([^,:\r\n]*),line=7,title=([^,:\r\n]*))::([^\r\n]*)\n$`)
	undo := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	text := rapid.StringOfN(rapid.SampledFrom([]rune("a%:,\n\r0AD253C=# ;é")), 1, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		in := annotation.Annotation{File: text.Draw(t, "file"), Line: 7, Title: text.Draw(t, "title"), Message: text.Draw(t, "message")}
		got := line.FindStringSubmatch(written(t, in))
		require.NotNil(t, got, "%q", written(t, in))
		blanks := strings.NewReplacer("\n", " ", "\r", " ")
		require.Equal(t, blanks.Replace(in.File), undo.Replace(got[2]))
		require.Equal(t, blanks.Replace(in.Title), undo.Replace(got[3]))
		if !strings.ContainsAny(in.Message, "\n\r") && strings.TrimSpace(in.Message) == in.Message {
			require.Equal(t, in.Message, undo.Replace(got[4]))
		}
	})
}

type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	t.Parallel()
	as := make([]annotation.Annotation, 12)
	for room := range 10 {
		require.Error(t, annotation.Write(&full{room}, as), "room for %d", room)
	}
	require.NoError(t, annotation.Write(&full{10}, as))
}
