package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/tiaptest"
)

func rescoreWith(t *testing.T, b *tiaptest.Bundle, opts ...tiaptest.Option) *tiaptest.Audit {
	t.Helper()
	a, err := tiaptest.Rescore(b, opts...)
	require.NoError(t, err)
	return a
}

// tableFile holds an empty table of a key.
func tableFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "RESULTS.md")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// Several audits make one table: the scenario tells them apart, and where
// conventions differ each row says its own.
func TestTableOfAudits(t *testing.T) {
	stop := recording(t)
	walk := newTalk()
	walk.without = map[string]func(int) bool{"D5": func(q int) bool { return q < 10 }}
	second := walk.bundle()
	second.Scenario.Name = "walk|run"
	one := rescoreWith(t, newTalk().bundle(), tiaptest.Depth(10), tiaptest.Metrics(tiaptest.MRR(10)))
	two := rescoreWith(t, second, tiaptest.Depth(10), tiaptest.Metrics(tiaptest.MRR(10), tiaptest.Hit(1)))
	three := rescoreWith(t, newTalk().bundle(), tiaptest.Depth(5), tiaptest.Metrics(tiaptest.Hit(1)))

	file := tableFile(t, "<!-- tiap:both -->\n<!-- /tiap:both -->\n")
	require.True(t, golden.Table(t, file, "both", one, two))
	assert.Equal(t, `<!-- tiap:both -->

| scenario | system | target | mrr@10 | hit@1 | n |
| --- | --- | --- | ---: | ---: | ---: |
| talk | D1 | raw | 0.5000 | - | 40 |
| talk | D1 | source | 0.5000 | - | 40 |
| talk | D1 | canonical | 0.3333 | - | 40 |
| talk | D5 | raw | 0.2500 | - | 40 |
| talk | D5 | source | 0.2500 | - | 40 |
| talk | D5 | canonical | 0.2000 | - | 40 |
| walk\|run | D1 | raw | 0.5000 | 0.0000 | 30 |
| walk\|run | D1 | source | 0.5000 | 0.0000 | 30 |
| walk\|run | D1 | canonical | 0.3333 | 0.0000 | 30 |
| walk\|run | D5 | raw | 0.2500 | 0.0000 | 30 |
| walk\|run | D5 | source | 0.2500 | 0.0000 | 30 |
| walk\|run | D5 | canonical | 0.2000 | 0.0000 | 30 |

Each score is over n queries; credit by evidence, uncovered units dropped, population shared, depth 10, headline canonical.

<!-- /tiap:both -->
`, content(t, file))

	file = tableFile(t, "<!-- tiap:depths -->\n<!-- /tiap:depths -->\n")
	require.True(t, golden.Table(t, file, "depths", one, three))
	text := content(t, file)
	assert.Contains(t, text, "| scenario | system | target | mrr@10 | hit@1 | n | conventions |\n")
	assert.Contains(t, text, "| talk | D1 | raw | 0.5000 | - | 40 | credit by evidence, uncovered units dropped, population shared, depth 10, headline canonical |\n")
	assert.Contains(t, text, "| talk | D1 | raw | - | 0.0000 | 40 | credit by evidence, uncovered units dropped, population shared, depth 5, headline canonical |\n")
	stop()
	assert.True(t, golden.Table(t, file, "depths", one, three))

	none := &quiet{TB: t}
	assert.False(t, golden.Table(none, file, "depths"))
	assert.Equal(t, []string{"table depths: no audit to make a table of"}, none.failures)
}

// Markers of another table between those of a table are refused, in comparing and in
// updating, and the file stays as it is. Beside them they stand as well as other comments.
func TestTableWithin(t *testing.T) {
	a := audit(t, newTalk())
	for name, text := range map[string]string{
		"other table":    "<!-- tiap:talk -->\ntext\n<!-- tiap:walk -->\n<!-- /tiap:walk -->\n<!-- /tiap:talk -->\n",
		"crossing table": "<!-- tiap:talk -->\ntext\n  <!-- tiap:walk -->\r\n<!-- /tiap:talk -->\n<!-- /tiap:walk -->\n",
		"end of another": "<!-- tiap:walk -->\n<!-- tiap:talk -->\n<!-- /tiap:walk -->\n<!-- /tiap:talk -->\n",
	} {
		marker, line, above, below := "<!-- tiap:walk -->", 3, 1, 5
		switch name {
		case "crossing table":
			below = 4
		case "end of another":
			marker, above, below = "<!-- /tiap:walk -->", 2, 4
		}
		want := fmt.Sprintf(": line %d: the marker %s stands between those of table talk, where an update would remove it; move it above line %d or below line %d", line, marker, above, below)
		file := tableFile(t, text)
		fails := func() {
			q := &quiet{TB: t}
			assert.False(t, golden.Table(q, file, "talk", a), name)
			assert.Equal(t, []string{"table talk: " + file + want}, q.failures, name)
			assert.Equal(t, text, content(t, file), name)
		}
		fails()
		stop := recording(t)
		fails()
		stop()
	}

	stop := recording(t)
	file := tableFile(t, "<!-- tiap:walk -->\n<!-- /tiap:walk -->\n<!-- tiap:talk -->\n<!-- a comment on tiap:walk -->\n<!-- /tiap:talk -->\n<!-- tiap:run -->\n<!-- /tiap:run -->\n")
	assert.True(t, golden.Table(t, file, "talk", a))
	stop()
	assert.True(t, golden.Table(t, file, "talk", a))
	assert.Equal(t, 6, strings.Count(content(t, file), "tiap:"))
}

// Line ends stay as they are in the file, also where it mixes them.
func TestTableLineEnds(t *testing.T) {
	stop := recording(t)
	a := audit(t, newTalk())
	file := tableFile(t, "# Results\r\nunix\n\r\n<!-- tiap:talk -->\r\n<!-- /tiap:talk -->\r\n\r\nThe end.\r\n")
	require.True(t, golden.Table(t, file, "talk", a))
	text := content(t, file)
	before, rest, ok := strings.Cut(text, "<!-- tiap:talk -->\r\n")
	require.True(t, ok)
	table, after, ok := strings.Cut(rest, "<!-- /tiap:talk -->\r\n")
	require.True(t, ok)
	assert.Equal(t, "# Results\r\nunix\n\r\n", before)
	assert.Equal(t, "\r\nThe end.\r\n", after)
	assert.Contains(t, table, "\r\n| D1 | raw | 0.6309 | 40 |\r\n")
	assert.Equal(t, strings.Count(table, "\n"), strings.Count(table, "\r\n"))
	stop()
	assert.True(t, golden.Table(t, file, "talk", a))

	// A checkout with other line ends is the same table.
	for _, to := range []string{"\n", "\r\n"} {
		file = tableFile(t, strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", to))
		assert.True(t, golden.Table(t, file, "talk", a), "%q", to)
	}
}

// Parallel tests that write tables of one file lose none.
func TestTablesOfOneFile(t *testing.T) {
	stop := recording(t)
	text := ""
	const tables = 8
	for i := range tables {
		text += fmt.Sprintf("<!-- tiap:%d -->\n<!-- /tiap:%d -->\n", i, i)
	}
	file, a := tableFile(t, text), audit(t, newTalk())
	t.Run("parallel", func(t *testing.T) {
		for i := range tables {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				assert.True(t, golden.Table(t, file, fmt.Sprint(i), a))
			})
		}
	})
	stop()
	for i := range tables {
		assert.True(t, golden.Table(t, file, fmt.Sprint(i), a))
	}
}

// The tables of one file may be those of several packages, whose tests are processes of
// their own: one waits for the other before it reads the file.
func TestTableOfPackages(t *testing.T) {
	stop := recording(t)
	file := tableFile(t, "<!-- tiap:a -->\n<!-- /tiap:a -->\n<!-- tiap:b -->\n<!-- /tiap:b -->\n")
	a := rescore(5)
	release, err := lock.Try(filepath.Dir(file)) // as another process does
	require.NoError(t, err)
	before := content(t, file)
	done := make(chan bool)
	go func() { done <- golden.Table(new(quiet), file, "b", a) }()
	select {
	case <-done:
		t.Error("it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	// The other process writes its table meanwhile.
	require.Equal(t, before, content(t, file))
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(before, "<!-- tiap:a -->", "<!-- tiap:a -->\nits table", 1)), 0o666))
	release()
	require.True(t, <-done)
	assert.Contains(t, content(t, file), "its table")
	stop()
	assert.True(t, golden.Table(t, file, "b", a))
}
