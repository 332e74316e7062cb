package memsys_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
)

// lettaOf imports a store of one passage and what lies at search, a file or a folder.
func lettaOf(t *testing.T, dir, search string) (*memsys.Import, error) {
	t.Helper()
	store := filepath.Join(dir, "passages.json")
	require.NoError(t, os.WriteFile(store, []byte(`[{"id":"a","text":"t","tags":["src:conv-90/D1:3"]}]`), 0o600))
	return memsys.Letta(pears(), memsys.Files{Store: []string{store}, Search: []string{filepath.Join(dir, search)}})
}

// In a folder each file is an answer, named by its query; what is not is passed over or
// named.
func TestAnswersInFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	answers := filepath.Join(dir, "answers")
	require.NoError(t, os.MkdirAll(filepath.Join(answers, "folder.json"), 0o777))
	for name, text := range map[string]string{
		"conv-90%2Fqa0.json": `[{"id":"a"}]`, "conv-90%2Fqa9.json": `[{"id":"b"}]`, "notes.txt": "none",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(answers, name), []byte(text), 0o600))
	}
	in, err := lettaOf(t, dir, "answers")
	require.NoError(t, err)
	found := 0
	for r := range in.System.Ingests[0].Run.All() {
		found++
		assert.Equal(t, "conv-90/qa0", r.Query)
		assert.Equal(t, []string{"a"}, r.IDs)
	}
	assert.Equal(t, 1, found)
	require.Len(t, in.Notes, 1)
	assert.Equal(t, 1, in.Notes[0].Count)

	require.NoError(t, os.WriteFile(filepath.Join(answers, "conv%zz.json"), []byte("[]"), 0o600))
	_, err = lettaOf(t, dir, "answers")
	assert.ErrorContains(t, err, `conv%zz.json: the name is not percent-encoded: invalid URL escape "%zz"; name it by its query, as conv-26%2Fqa0.json`)
}

// Lines of a search log that answer no query, or hold no answer, are noted or named.
func TestSearchLogLines(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		`{"query":"conv-90/qa0","result":[{"id":"a"}]}` + "\n" + `{"query":"conv-90/qa9","result":[]}`: "",
		`{"query_id":"conv-90/qa0","result":[{"id":"a"}]}`:                                             "",
		`{"result":[]}`:                                        `search.jsonl:1: the line has no "query"; add the id of the query`,
		`{"query":"conv-90/qa0"}`:                              `search.jsonl:1: query "conv-90/qa0" has neither "result" nor "error"; add the answer as the system gave it`,
		"\n" + `{"query":"conv-90/qa0","result":[}`:            "search.jsonl:2: ",
		`{"query":"conv-90/qa0","error":"it was not running"}`: "",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "search.jsonl"), []byte(text), 0o600))
		in, err := lettaOf(t, dir, "search.jsonl")
		if says != "" {
			assert.ErrorContains(t, err, says)
			continue
		}
		require.NoError(t, err, text)
		for r := range in.System.Ingests[0].Run.All() {
			assert.Equal(t, "conv-90/qa0", r.Query)
			assert.Equal(t, strings.Contains(text, "error"), r.Error != "")
		}
	}
	_, err := lettaOf(t, t.TempDir(), "none")
	assert.ErrorContains(t, err, "none: no such file or directory; name a search log, or a folder with an answer for each query")
}

// A system is added to a bundle once.
func TestWriteDirTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "search.jsonl"), []byte(`{"query":"conv-90/qa0","result":[{"id":"a"}]}`), 0o600))
	in, err := lettaOf(t, dir, "search.jsonl")
	require.NoError(t, err)
	bundle := filepath.Join(dir, "bundle")
	require.NoError(t, os.Mkdir(bundle, 0o777))
	require.NoError(t, in.WriteDir(bundle))
	err = in.WriteDir(bundle)
	assert.ErrorContains(t, err, "letta: there is a system of that name; remove it, or name this one otherwise")
	in.System.Name = "../up"
	assert.ErrorContains(t, in.WriteDir(bundle), `system "../up"`)
}
