package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// measureEnv makes this test binary the command, which says at its end on standard
// error how much memory it had at most.
const measureEnv = "TIAPTEST_MEASURE"

func init() {
	if os.Getenv(measureEnv) == "" {
		return
	}
	collectLate()
	status := run(os.Args[1:], os.Stdout, os.Stderr)
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	peak, _, _ := strings.Cut(rest, "kB")
	fmt.Fprintln(os.Stderr, strings.TrimSpace(peak))
	os.Exit(status)
}

// measured runs the command in a process of its own, which must end with bad input,
// within 448 MiB and 5 seconds of one processor. It returns what it says.
func measured(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), measureEnv+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	kill := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Run()
	said := strings.TrimSpace(stderr.String())
	last := strings.LastIndexByte(said, '\n') + 1
	peak, err := strconv.Atoi(said[last:])
	require.NoError(t, err, said)
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("%d MiB, %v", peak>>10, took.Round(10*time.Millisecond))
	assert.Equal(t, statusWrong, cmd.ProcessState.ExitCode(), said)
	assert.Less(t, peak, 448<<10, "KiB")
	assert.Less(t, took, 5*time.Second)
	return said[:last]
}

// writeBomb writes a file that unpacks to 10 GiB of a text: the same 16 MiB again and
// again.
func writeBomb(t *testing.T, file, text string) {
	t.Helper()
	const part, parts = 16 << 20, 640
	var b bytes.Buffer
	var w io.WriteCloser
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if strings.HasSuffix(file, ".zst") {
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	}
	require.NoError(t, err)
	_, err = io.WriteString(w, strings.Repeat(text, part/len(text)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	f, err := os.Create(file)
	require.NoError(t, err)
	for range parts {
		_, err = f.Write(b.Bytes())
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(40<<20), "a bomb is small")
}

// sound is a bundle that can be audited.
var sound = map[string]string{
	"queries.jsonl": `{"id":"q","evidence":["t"]}` + "\n",
	"store.jsonl":   `{"id":"m","form":"raw","sources":["t"]}` + "\n",
	"run.jsonl":     `{"query":"q","ranking":["m"]}` + "\n",
}

// bundleWith writes the sound bundle, but for one file, whose place it returns with
// an ending.
func bundleWith(t *testing.T, without, ending string) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range sound {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if without == "" {
		return dir, ""
	}
	if _, ok := sound[without]; ok {
		require.NoError(t, os.Remove(filepath.Join(dir, without)))
	}
	return dir, filepath.Join(dir, without+ending)
}

// Ten gigabytes in ten megabytes are refused, whatever they hold.
func TestBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("unpacks hundreds of megabytes")
	}
	const unpacks = "unpacks to more than 32 MiB and 256 times its size"
	for _, tt := range []struct{ file, ending, text, says string }{
		{"run.jsonl", ".gz", "\x00", unpacks},
		{"run.jsonl", ".zst", "\n", unpacks},
		{"run.jsonl", ".gz", `{"query":"q","ranking":["m"]}` + "\n", "reading stops after 1000 problems"},
		{"store.jsonl", ".zst", `{"id":"m","form":"raw"}` + "\n", "reading stops after 1000 problems"},
		{"queries.jsonl", ".zst", `{"id":"q","evidence":["t"]}` + "\n", "reading stops after 1000 problems"},
		{"turns.jsonl", ".zst", "[", unpacks},
	} {
		t.Run(fmt.Sprintf("%s%s of %.8q", tt.file, tt.ending, tt.text), func(t *testing.T) {
			t.Parallel()
			dir, file := bundleWith(t, tt.file, tt.ending)
			writeBomb(t, file, tt.text)
			said := measured(t, "audit", dir)
			assert.Contains(t, said, file+":")
			if strings.HasPrefix(tt.says, "reading") {
				assert.Contains(t, said, "more problems in "+file, "of which some are said")
			} else {
				assert.Contains(t, said, tt.says)
			}
		})
	}
}

// readers are the commands that read a file, by the ending of its name.
var readers = []struct {
	name, ending string
	args         func(dir, file string) []string
}{
	{"records", ".jsonl", func(_, f string) []string { return []string{"audit", "-records", f, "-trace", f} }},
	{"qrels and run", ".txt", func(_, f string) []string { return []string{"audit", "-qrels", "raw=" + f, "-run", f} }},
	{"answers", ".jsonl", func(dir, f string) []string { return []string{"audit", "-sensitivity", "-answers", f, dir} }},
	{"labels", ".jsonl", func(dir, f string) []string { return []string{"audit", "-sensitivity", "-labels", f, dir} }},
	{"locomo", ".json", func(dir, f string) []string { return []string{"import", "locomo", f, "-o", dir + "/new"} }},
	{"longmemeval", ".json", func(dir, f string) []string { return []string{"import", "longmemeval", f, "-o", dir + "/new"} }},
	{"beam", ".json", func(dir, f string) []string { return []string{"import", "beam", f, "-o", dir + "/new"} }},
	{"mem0", ".json", func(dir, f string) []string {
		return []string{"import", "mem0", "store=" + f, "search=" + f, "-o", dir}
	}},
	{"mem0 history", ".db", func(dir, f string) []string {
		return []string{"import", "mem0", "store=" + f, "history=" + f, "search=" + f, "-o", dir}
	}},
	{"letta", ".jsonl", func(dir, f string) []string {
		return []string{"import", "letta", "store=" + f, "search=" + f, "-o", dir}
	}},
	{"golden", ".json", func(dir, f string) []string { return []string{"gate", "-golden", f, dir} }},
}

// Every reader ends soon and in little memory on what no sound file holds.
func TestReadersHaveLimits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("unpacks hundreds of megabytes")
	}
	inputs := t.TempDir()
	bomb := filepath.Join(inputs, "bomb.zst")
	writeBomb(t, bomb, "\x00")
	line := filepath.Join(inputs, "line") // of a gigabyte, none of which is on the disk
	require.NoError(t, os.WriteFile(line, nil, 0o600))
	require.NoError(t, os.Truncate(line, 1<<30))
	deep := filepath.Join(inputs, "deep")
	require.NoError(t, os.WriteFile(deep, []byte(`{"id":`+strings.Repeat("[", 1_000_000)+strings.Repeat("]", 1_000_000)+"}\n"), 0o600))
	for _, r := range readers {
		for from, ending := range map[string]string{bomb: ".zst", line: "", deep: ""} {
			if r.name == "golden" && ending != "" {
				continue // golden files are plain
			}
			t.Run(r.name+" of "+filepath.Base(from), func(t *testing.T) {
				t.Parallel()
				dir, _ := bundleWith(t, "", "")
				file := filepath.Join(dir, "input"+r.ending+ending)
				require.NoError(t, os.Symlink(from, file))
				assert.Contains(t, measured(t, r.args(dir, file)...), file)
			})
		}
	}
}

// A memory with a million parents is refused, whether they are stored or not, and as
// many parents as a memory may have are looked for, one and all.
func TestMillionParents(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes stores of megabytes")
	}
	for _, test := range []struct {
		name            string
		parents, stored int
		want            []string
	}{
		{"none stored", 1_000_000, 0, []string{`:1: memory "all" names 0 turns and 1000000 parents, of which each may be 100000;`}},
		{"all stored", 1_000_000, 1_000_000, []string{`:1: memory "all" names 0 turns and 1000000 parents, of which each may be 100000;`}},
		{"fewer", 100_000, 0, []string{`:1: memory "all" names the parent "m0", which is not in the store`, "and 99980 more problems"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			b.WriteString(`{"id":"all","form":"summary","parents":["m0"`)
			for i := 1; i < test.parents; i++ {
				fmt.Fprintf(&b, `,"m%d"`, i)
			}
			b.WriteString("]}\n")
			for i := range test.stored {
				fmt.Fprintf(&b, `{"id":"m%d","form":"raw"}`+"\n", i)
			}
			dir, file := bundleWith(t, "store.jsonl", "")
			require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
			said := measured(t, "audit", dir)
			for _, want := range test.want {
				assert.Contains(t, said, want)
			}
			assert.Contains(t, said, file)
		})
	}
}

// Rolling summaries, each with the one before as a parent, are refused when they
// inherit more links to evidence than can be held.
func TestRollingSummariesRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes a store of megabytes")
	}
	const memories, gold = 60_000, 400
	var store, queries strings.Builder
	store.WriteString(`{"id":"m0","form":"summary","sources":["t0"]}` + "\n")
	for i := 1; i < memories; i++ {
		fmt.Fprintf(&store, `{"id":"m%d","form":"summary","sources":["t%d"],"parents":["m%d"]}`+"\n", i, i, i-1)
	}
	for i := range gold {
		fmt.Fprintf(&queries, `{"id":"q%d","evidence":["t%d"]}`+"\n", i, i*memories/gold)
	}
	dir, file := bundleWith(t, "store.jsonl", "")
	require.NoError(t, os.WriteFile(file, []byte(store.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queries.jsonl"), []byte(queries.String()), 0o600))
	said := measured(t, "audit", dir)
	assert.Contains(t, said, file+":")
	assert.Contains(t, said, "memories inherit more than 4194304 links to turns of evidence from their parents")
}
