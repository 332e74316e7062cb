package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStaleFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "[a]") // special in patterns
	const ours = `{"schema": "tiap.golden/v1", "query_scores": {"file": "used.0123456789ab.queries.zst"}}`
	root := filepath.Join(dir, "testdata", "golden")
	for file, text := range map[string]string{
		"a_test.go":                 "package a\n\nconst key = `sub/named`\n",
		"testdata/golden/used.json": ours,
		"testdata/golden/used.0123456789ab.queries.zst":      "",
		"testdata/golden/used.ba9876543210.queries.zst":      "", // of a merge
		"testdata/golden/sub/named.json":                     ours,
		"testdata/golden/sub/named.store.json":               `{"schema": "tiap.golden-store/v1"}`,
		"testdata/golden/sub/name.json":                      ours,
		"testdata/golden/gone.0123456789ab.queries.zst":      "",
		"testdata/golden/unnamed.store.json":                 ` "schema": "tiap.golden-store/v1"`,
		"testdata/golden/of-others.json":                     `{"a": 1}`,
		"testdata/golden/of-others.golden":                   "",
		"testdata/other.json":                                ours,
		"testdata/golden/.used.json.1.tmp":                   "",
		"testdata/golden/sub/named.0123456789a.queries.zst":  "",
		"testdata/golden/sub/named.not-a-digest.queries.zst": "",
	} {
		file = filepath.Join(dir, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	got, err := stale(dir, func(file string) bool { return file == filepath.Join(root, "used.json") })
	require.NoError(t, err)
	for i, f := range got {
		rel, err := filepath.Rel(root, f)
		require.NoError(t, err)
		got[i] = filepath.ToSlash(rel)
	}
	assert.Equal(t, []string{"gone.0123456789ab.queries.zst", "sub/name.json", "unnamed.store.json", "used.ba9876543210.queries.zst"}, got)

	require.NoError(t, os.Remove(filepath.Join(dir, "a_test.go")))
	got, err = stale(dir, func(string) bool { return false })
	require.NoError(t, err)
	assert.Empty(t, got, "without sources nothing can be said")
}

func TestNamed(t *testing.T) {
	t.Parallel()
	const sources = "golden.Check(t, `a/b`, x)\ngolden.Check(t, \"c-\" + name, x)\ngolden.Check(t, fmt.Sprintf(\"d/%s\", name), x)\n" +
		"func TestE(t *testing.T) { golden.Check(t, t.Name(), x) }\nconst f = \"ff/g\""
	for _, key := range []string{"a/b", "c-x", "c-x/y", "d/x", "TestE", "TestE/sub", "ff/g"} {
		assert.True(t, named([]byte(sources), key), key)
	}
	for _, key := range []string{"a", "b", "a/bc", "c", "cx", "d", "dx/y", "Test", "TestEx", "x/TestE", "ff/h", "f"} {
		assert.False(t, named([]byte(sources), key), key)
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	names := map[string]string{"run": "", "skip": "", "short": "false", "failfast": "false", "list": "", "fuzz": "", "fuzzworker": "false", "count": "1"}
	flags := func(changed, value string) func(string) *flag.Flag {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		for name, normal := range names {
			set.String("test."+name, normal, "")
		}
		if changed != "" {
			require.NoError(t, set.Set("test."+changed, value))
		}
		return set.Lookup
	}
	assert.True(t, full(flags("", "")))
	assert.True(t, full(flags("count", "2")))
	assert.True(t, full(flags("run", "")))
	for name, value := range map[string]string{"run": "A", "skip": "A", "short": "true", "failfast": "true", "list": ".", "fuzz": "F", "fuzzworker": "true", "count": "0"} {
		assert.False(t, full(flags(name, value)), name)
	}
	assert.False(t, full(func(string) *flag.Flag { return nil }), "this is no test binary")
}
