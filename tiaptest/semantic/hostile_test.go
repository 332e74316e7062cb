package semantic_test

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/hostile"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// formula finds cells that a spreadsheet runs or splits: behind what it may cut off,
// a sign of a formula.
var formula = regexp.MustCompile("^[\\s\\p{Z}\\p{Cc}\\p{Cf}]*[=+\\-@|%＝＋－＠]|^[\t\r\n]")

// Hostile texts are cells of one row, none of them a formula, and can be read back.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, h := range hostile.Texts() {
		for _, before := range []string{"", " ", "\u200b", "\ufeff", "\t"} {
			text := before + h.Text
			c := semantic.Case{Query: h.Text, System: h.Text, Memory: h.Text, Question: text, Answer: text, Text: text, Earns: true}
			var b strings.Builder
			require.NoError(t, semantic.WriteCSV(&b, []semantic.Case{c}), h.Name)
			rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
			require.NoError(t, err, h.Name)
			require.Len(t, rows, 2, h.Name)
			require.Len(t, rows[1], 5, h.Name)
			for _, cell := range rows[1] {
				assert.NotRegexp(t, formula, cell, h.Name)
			}
			for _, cell := range rows[1][1:4] {
				// A reader of CSV makes a line feed of a line end.
				assert.Equal(t, strings.ReplaceAll(text, "\r\n", "\n"), strings.TrimPrefix(cell, "'"), h.Name)
			}
			labels, err := semantic.ReadAnswers("cases.csv", strings.NewReader(strings.TrimSuffix(b.String(), "\n")+"supports\n"), []semantic.Case{c}, semantic.Judgement{Judge: "reader", Kind: semantic.Human})
			require.NoError(t, err, h.Name)
			assert.Equal(t, 1, labels.Len(), h.Name)
		}
	}
	for _, run := range []string{"=1", "+1", "-1", "@SUM(A1)", " =1", "\u200b=1", "\ufeff+1", "\tx", "\n=1", "＝1"} {
		assert.Regexp(t, formula, run)
	}
	for _, fine := range []string{"", "a=1", "'=1", "1-1", "(1)"} {
		assert.NotRegexp(t, formula, fine)
	}
}
