package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
)

// roleEnv makes this test binary another program: the command itself, or an
// adapter of a small system with a fault.
const roleEnv = "TIAPTEST_RECORD_ROLE"

func init() {
	role, fault, _ := strings.Cut(os.Getenv(roleEnv), " ")
	switch role {
	case "command":
		os.Unsetenv(roleEnv)
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	case "adapter":
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			fmt.Println(adapterReply(in.Bytes(), fault))
		}
		os.Exit(0)
	}
}

// adapterReply is what the adapter of the small system replies to a request.
func adapterReply(request []byte, fault string) string {
	var ask struct {
		Hello, Query string
		Repeat, K    int
		Store        bool
	}
	if err := json.Unmarshal(request, &ask); err != nil {
		return `{"v":1,"error":"not a request"}`
	}
	switch {
	case ask.Hello != "" && fault == "no store":
		return `{"v":1,"hello":"small"}`
	case ask.Hello != "":
		return `{"v":1,"hello":"small","store":true,"system":{"family":"small","unit":"fact","lineage":"recorded at ingest","forms":{"fact":"a sentence"}}}`
	case ask.Store:
		return `{"v":1,"store":[{"id":"m1","form":"fact","sources":["t1"]},{"id":"m2","form":"raw","sources":["t1"]},{"id":"m3","form":"fact","sources":["t2"]}]}`
	case fault == "fails" && ask.Query == "q2":
		return `{"v":1,"query":"q2","error":"no such conversation"}`
	case fault == "slow" && ask.Query >= "q3":
		time.Sleep(200 * time.Millisecond)
	case fault == "luck":
		return fmt.Sprintf(`{"v":1,"query":%q,"ranking":["m%d"]}`, ask.Query, 1+luck.Add(1)%3)
	}
	return fmt.Sprintf(`{"v":1,"query":%q,"ranking":["m1","m2"],"scores":[%d,0.5]}`, ask.Query, ask.K)
}

var luck atomic.Int64

// talk is a bundle of n queries without a system.
func talk(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for i := n; i >= 1; i-- {
		fmt.Fprintf(&text, `{"id":"q%d","text":"What happened on day %d?","evidence":["t1"],"note":"kept"}`+"\n", i, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queries.jsonl"), []byte(text.String()), 0o666))
	return dir
}

// adapterLine is the shell command of the small system.
func adapterLine(t *testing.T, fault string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the line is for a Unix shell")
	}
	return fmt.Sprintf("%s='adapter %s' '%s'", roleEnv, fault, os.Args[0])
}

// runRecord runs the command.
func runRecord(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(append([]string{"record"}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

const recordedRun = `{"query":"q1","ranking":["m1","m2"],"scores":[60,0.5],"k":60}
{"query":"q2","ranking":["m1","m2"],"scores":[60,0.5],"k":60}
`

// content reads a file.
func content(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

func TestRecordExec(t *testing.T) {
	t.Parallel()
	dir := talk(t, 2)
	queries := content(t, dir, "queries.jsonl")
	status, stdout, stderr := runRecord(dir, "-name", "small", "-exec", adapterLine(t, ""))
	assert.Empty(t, stderr)
	assert.Equal(t, 0, status)
	mine := filepath.Join(dir, "systems", "small")
	assert.Equal(t, "2 queries\n2 rankings of fewer ids than asked for\nwritten to "+mine+"\n", stdout)
	assert.Equal(t, recordedRun, content(t, mine, "run.jsonl"))
	assert.Equal(t, `{"id":"m1","form":"fact","sources":["t1"]}
{"id":"m2","form":"raw","sources":["t1"]}
{"id":"m3","form":"fact","sources":["t2"]}
`, content(t, mine, "store.jsonl"))
	assert.JSONEq(t, `{"name":"small","family":"small","unit":"fact","lineage":"recorded at ingest","forms":{"fact":"a sentence"}}`, content(t, mine, "system.json"))
	assert.Equal(t, queries, content(t, dir, "queries.jsonl"), "what the user wrote stays")

	// It is a bundle now; another system and further repeats join it.
	status, _, stderr = runRecord("-name=more", "-repeats=2", "-k", "5", dir, "-exec", adapterLine(t, ""))
	require.Equal(t, 0, status, stderr)
	b, err := tiaptest.Open(dir)
	require.NoError(t, err)
	require.Len(t, b.Systems, 2)
	assert.Len(t, b.Systems[0].Ingests, 2)
	_, err = tiaptest.Rescore(b)
	assert.NoError(t, err)
}

func TestRecordURL(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fmt.Fprintln(w, adapterReply(text, "no store"))
	}))
	defer s.Close()
	dir := talk(t, 2)
	status, _, stderr := runRecord("-name", "small", "-url", s.URL, "-scores", "descending", "-concurrency", "2", dir)
	assert.Empty(t, stderr)
	assert.Equal(t, 0, status)
	assert.Equal(t, recordedRun, content(t, dir, "systems", "small", "run.jsonl"))
	assert.NoFileExists(t, filepath.Join(dir, "systems", "small", "store.jsonl"))
	assert.NoFileExists(t, filepath.Join(dir, "systems", "small", "system.json"))
}

// Failed queries are a status and no loss: the same command mends them.
func TestRecordFailed(t *testing.T) {
	t.Parallel()
	dir := talk(t, 2)
	status, stdout, stderr := runRecord(dir, "-name", "small", "-exec", adapterLine(t, "fails"))
	assert.Equal(t, 2, status)
	assert.Contains(t, stdout, "1 query failed\n    q2: no such conversation\n")
	assert.Equal(t, "tiaptest record: 1 of 2 queries failed; the same command asks them again\n", stderr)
	run := filepath.Join(dir, "systems", "small", "run.jsonl")
	assert.Contains(t, content(t, run), `{"query":"q2","k":60,"error":"no such conversation"}`)

	status, stdout, stderr = runRecord(dir, "-name", "small", "-exec", adapterLine(t, ""))
	assert.Empty(t, stderr)
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, "1 answer of an interrupted recording\n")
	assert.Equal(t, recordedRun, content(t, run))
}

// An interrupt ends the command in order; the same command goes on.
func TestRecordInterrupt(t *testing.T) {
	t.Parallel()
	dir := talk(t, 9)
	cmd := exec.Command(os.Args[0], "record", dir, "-name", "small", "-exec", adapterLine(t, "slow"))
	cmd.Env = append(os.Environ(), roleEnv+"=command")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	part := filepath.Join(dir, "systems", "small", "run.jsonl.part")
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(part)
		return err == nil && bytes.Count(text, []byte("\n")) > 1
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	err := cmd.Wait()
	require.Error(t, err)
	assert.Equal(t, 2, cmd.ProcessState.ExitCode())
	assert.Regexp(t, `^tiaptest record: interrupted: .*; \d of 9 queries are answered in .*run\.jsonl\.part, and the same call goes on from there\n$`, stderr.String())

	status, stdout, errs := runRecord(dir, "-name", "small", "-exec", adapterLine(t, ""))
	require.Equal(t, 0, status, errs)
	assert.Contains(t, stdout, "of an interrupted recording\n")
	assert.NoFileExists(t, part)
	assert.Equal(t, 9, strings.Count(content(t, dir, "systems", "small", "run.jsonl"), "\n"))
}

func TestRecordLuck(t *testing.T) {
	t.Parallel()
	dir := talk(t, 2)
	status, _, stderr := runRecord(dir, "-name", "small", "-exec", adapterLine(t, "luck"))
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "tiaptest record: 2 of 2 queries got another answer when asked again; q1: other memories, at rank 1 ")
	status, stdout, stderr := runRecord(dir, "-name", "small", "-exec", adapterLine(t, "luck"), "-unstable", "-resume=false")
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "2 queries answered differently when asked again\n")
}

// What the command refuses, before it asks anybody.
func TestRecordRefused(t *testing.T) {
	t.Parallel()
	dir := talk(t, 2)
	single := talk(t, 2)
	require.NoError(t, os.WriteFile(filepath.Join(single, "run.jsonl.gz"), nil, 0o666))
	empty := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, `tiaptest record: no name; name the system with -name NAME
tiaptest record: name one adapter, with -exec COMMAND or -url ADDRESS
tiaptest record: 0 folders; name the one bundle
`},
		{"a name of Windows", []string{dir, "-name", "aux", "-exec", "true"},
			`tiaptest record: system "aux" cannot name a folder: Windows keeps that name for a device, so that a repository with it could not be checked out there; use another name
`},
		{"values", []string{dir, dir, "-name", "a/b", "-url", "http://localhost", "-exec", "true", "-k", "0", "-repeats", "0", "-concurrency", "0", "-retries", "-1", "-timeout", "0s", "-scores", "up"},
			`tiaptest record: system "a/b" cannot name a folder; use a plain name
tiaptest record: name one adapter, with -exec COMMAND or -url ADDRESS
tiaptest record: -k 0; it must be at least 1
tiaptest record: -repeats 0; it must be at least 1
tiaptest record: -concurrency 0; it must be at least 1
tiaptest record: -retries -1; it must be at least 0
tiaptest record: -timeout 0s; it must be above 0
tiaptest record: -scores up; use descending or ascending
tiaptest record: 2 folders; name the one bundle
`},
		{"a single system", []string{single, "-name", "a", "-url", "http://localhost"},
			"tiaptest record: " + filepath.Join(single, "run.jsonl.gz") + ": the bundle has a single system beside queries.jsonl; move it to a folder under systems\n"},
		{"no queries", []string{empty, "-name", "a", "-url", "http://localhost"},
			filepath.Join(empty, "queries.jsonl") + ": the file is missing; a bundle needs one query a line; see go doc github.com/tiaptest/tiap/tiaptest.Open\n"},
		{"a program that is not there", []string{dir, "-name", "a", "-exec", "exit 7"},
			"tiaptest record: building the system: the adapter ended (exit status 7)\n"},
		{"an unknown flag", []string{"-system", "a"}, "tiaptest record: flag provided but not defined: -system; see tiaptest record -h\n"},
	} {
		status, stdout, stderr := runRecord(c.args...)
		assert.Equal(t, 2, status, c.name)
		assert.Empty(t, stdout, c.name)
		assert.Equal(t, c.want, stderr, c.name)
	}
	status, stdout, stderr := runRecord("-h")
	assert.Equal(t, 0, status)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "usage: tiaptest record -name NAME -exec COMMAND [flags] DIR\n")
}

// Standard error of the adapter is passed on, and -v says how far it is.
func TestRecordVerbose(t *testing.T) {
	t.Parallel()
	dir := talk(t, 35)
	cmd := exec.Command(os.Args[0], "record", dir, "-name", "small", "-v", "-exec", "echo loading >&2; "+adapterLine(t, "slow"))
	cmd.Env = append(os.Environ(), roleEnv+"=command")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	assert.Regexp(t, `^loading\n(recorded \d+ of 35 queries\n)+$`, stderr.String())
}
