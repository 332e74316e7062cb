package record_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/record"
)

func TestQueries(t *testing.T) {
	t.Parallel()
	put := func(name, text string) string {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		return dir
	}
	const two = `{"id":"q1","text":"Where?","evidence":["t1"]}` + "\n" + `{"query_id":"q2"}` + "\n"
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte(two))
	require.NoError(t, w.Close())
	for name, text := range map[string]string{"queries.jsonl": two, "queries.jsonl.gz": zipped.String()} {
		dir := put(name, text)
		// What else is there does not matter.
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "systems", "mine"), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "systems", "mine", "run.jsonl"), []byte("garbage"), 0o666))
		qs, err := record.Queries(dir)
		require.NoError(t, err)
		require.Len(t, qs, 2)
		assert.Equal(t, "Where?", qs[0].Text)
		assert.Equal(t, "q2", qs[1].ID)
	}

	for text, want := range map[string]string{
		"":                        ": the file is empty; it needs one JSON object a line",
		"{\"id\":\"q1\"}\n{}\n":   `:2: the query has no "id"; add it (or "query_id")`,
		"{\"id\":\"q1\"\n{\"id\"": ":1: the line ends before its JSON value does; ",
	} {
		dir := put("queries.jsonl", text)
		_, err := record.Queries(dir)
		assert.ErrorContains(t, err, filepath.Join(dir, "queries.jsonl")+want)
	}
	_, err := record.Queries("no-such-folder")
	assert.EqualError(t, err, "no-such-folder: no such file or directory; name the folder of a bundle")
	dir := t.TempDir()
	_, err = record.Queries(dir)
	assert.EqualError(t, err, filepath.Join(dir, "queries.jsonl")+": the file is missing; a bundle needs one query a line; see go doc github.com/tiaptest/tiap/tiaptest.Open")
}
