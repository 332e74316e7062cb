package record_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest/record"
)

// The roles of this test binary when it is run by a test of limits: an adapter that
// prints without end, and a recorder that says at its end how much memory it had.
const (
	floodEnv    = "TIAP_RECORD_TEST_FLOOD"    // the request that it floods: hello, store or query
	measuredEnv = "TIAP_RECORD_TEST_MEASURED" // what is recorded, as in recordings
)

func init() {
	switch {
	case os.Getenv(floodEnv) != "":
		flood(os.Getenv(floodEnv))
	case os.Getenv(measuredEnv) != "":
		what, dir, _ := strings.Cut(os.Getenv(measuredEnv), " ")
		_, report, err := record.Ingests(context.Background(), questions(3), recordings[what](), here(record.Options{Dir: dir, K: 10}))
		for _, f := range report.Failed {
			fmt.Println(f)
		}
		fmt.Println(err)
		text, _ := os.ReadFile("/proc/self/status")
		_, rest, _ := strings.Cut(string(text), "VmHWM:")
		peak, _, _ := strings.Cut(rest, "kB")
		fmt.Println(strings.TrimSpace(peak))
		os.Exit(0)
	}
}

// flood serves the steady system, but to one request it prints a line that does not
// end.
func flood(on string) {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var a ask
		if in.Decode(&a) != nil {
			os.Exit(0)
		}
		kind := "hello"
		switch {
		case a.Store:
			kind = "store"
		case a.Query != nil:
			kind = "query"
		}
		if kind == on && (a.Query == nil || *a.Query == "q001") {
			endless(os.Stdout)
		}
		out.Encode(reply(a))
	}
}

func endless(w io.Writer) {
	text := bytes.Repeat([]byte("x"), 1<<20)
	for {
		if _, err := w.Write(text); err != nil {
			return
		}
	}
}

// recordings are what is recorded by the words of measuredEnv.
var recordings = map[string]func() record.Builder{
	"hello": func() record.Builder { return flooding("hello") },
	"query": func() record.Builder { return flooding("query") },
	"url": func() record.Builder {
		return record.URL(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { endless(w) })).URL)
	},
	"journal": func() record.Builder { return build(steady) },
}

func flooding(on string) record.Builder {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), floodEnv+"="+on)
	return record.Command(cmd)
}

// measured records in a process of its own and returns what it says and its peak of
// memory in KiB.
func measured(t *testing.T, what, dir string) (said string, peak int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), measuredEnv+"="+what+" "+dir)
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	said = strings.TrimSpace(string(text))
	last := strings.LastIndexByte(said, '\n') + 1
	peak, err = strconv.Atoi(said[last:])
	require.NoError(t, err, said)
	t.Logf("%d MiB", peak>>10)
	return said[:last], peak
}

// A line without an end is no reply, and costs no memory beyond its limit.
func TestEndlessReplies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes hundreds of megabytes")
	}
	for what, want := range map[string]string{
		"hello": "building the system: the adapter printed a line that has more than 32 MiB; look what it holds",
		"query": "the adapter printed a line that has more than 32 MiB; look what it holds",
		"url":   "building the system: the reply is too large: it has more than 32 MiB; ",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "mine")
			said, peak := measured(t, what, dir)
			assert.Contains(t, said, want)
			assert.Less(t, peak, 300<<10, "KiB")
			if what == "query" { // the others are answered by the next process
				assert.Contains(t, said, "q001")
				assert.Equal(t, 2, strings.Count(read(t, dir, "run.jsonl"), `"ranking"`))
			}
		})
	}
}

// A journal is read line by line: what it says beside the answers to the questions, and
// how long it is, costs no memory.
func TestLargeJournal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes 100 MiB")
	}
	journal := func(t *testing.T) (dir string, f *os.File) {
		dir = filepath.Join(t.TempDir(), "mine")
		_, _, err := record.Ingests(t.Context(), questions(3), build(record.SearchFunc(func(_ context.Context, q record.Query) ([]record.Hit, error) {
			if q.ID == "q001" {
				return nil, assert.AnError
			}
			return answers(q), nil
		})), here(record.Options{Dir: dir, K: 10}))
		require.NoError(t, err)
		f, err = os.OpenFile(filepath.Join(dir, "run.jsonl.part"), os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return dir, f
	}
	t.Run("of others", func(t *testing.T) {
		t.Parallel()
		dir, f := journal(t)
		for i := range 1000 {
			_, err := fmt.Fprintf(f, `{"answer":{"query":"other%d","asked":"x","hits":[{"id":%q}]}}`+"\n", i, strings.Repeat("x", 100<<10))
			require.NoError(t, err)
		}
		said, peak := measured(t, "journal", dir)
		assert.Equal(t, "<nil>\n", said)
		assert.Less(t, peak, 80<<10, "KiB")
		assert.Equal(t, 3, strings.Count(read(t, dir, "run.jsonl"), `"ranking"`))
	})
	t.Run("torn", func(t *testing.T) { // the last line, which is asked again
		t.Parallel()
		dir, f := journal(t)
		_, err := f.WriteString(strings.Repeat("x", 32<<20))
		require.NoError(t, err)
		said, _ := measured(t, "journal", dir)
		assert.Equal(t, "<nil>\n", said)
	})
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		dir, f := journal(t)
		info, err := f.Stat()
		require.NoError(t, err)
		require.NoError(t, f.Truncate(info.Size()+1<<30)) // a gigabyte, none of which is on the disk
		said, peak := measured(t, "journal", dir)
		assert.Contains(t, said, fmt.Sprintf("%s:5: the line has more than 32 MiB; look what it holds", f.Name()))
		assert.Less(t, peak, 300<<10, "KiB")
	})
}

// An answer that could not be read again is not kept.
func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	_, _, err := record.Ingests(t.Context(), questions(1), build(record.SearchFunc(func(context.Context, record.Query) ([]record.Hit, error) {
		return []record.Hit{{ID: strings.Repeat("x", 32<<20)}}, nil
	})), here(record.Options{Dir: filepath.Join(t.TempDir(), "mine"), K: 1}))
	require.ErrorContains(t, err, "what is to be kept takes more than 32 MiB; ask for fewer memories")
}
