package record_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// faultEnv is what goes wrong with the adapter of the steady system, a word and
// the name of a file that counts starts or attempts.
const faultEnv = "TIAP_RECORD_TEST_FAULT"

// adapter is the command of an adapter with a fault.
func adapter(t *testing.T, fault string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"=adapter", faultEnv+"="+fault+" "+filepath.Join(t.TempDir(), "count"))
	return cmd
}

// serveAdapter serves the steady system over standard input and output.
func serveAdapter() {
	fault, file, _ := strings.Cut(os.Getenv(faultEnv), " ")
	starts := next(file)
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	in.Buffer(nil, 8<<20)
	attempts := make(map[string]int)
	for in.Scan() {
		var a ask
		if err := json.Unmarshal(in.Bytes(), &a); err != nil {
			fmt.Fprintln(os.Stderr, "not a request:", in.Text())
			os.Exit(9)
		}
		if a.Hello != "" {
			switch fault {
			case "mute":
				os.Exit(4)
			case "mute-later":
				if starts > 1 {
					os.Exit(4)
				}
			case "orphan":
				orphan := exec.Command("sleep", "1000")
				orphan.Stdout = os.Stdout
				if err := orphan.Start(); err == nil {
					os.WriteFile(file+".pid", []byte(strconv.Itoa(orphan.Process.Pid)), 0o666)
				}
			case "chatter":
				fmt.Println("loading the model...")
			}
		}
		if a.Store && fault == "other-store" && starts > 1 {
			fmt.Println(`{"v":1,"store":[{"id":"m0","form":"fact"}]}`)
			continue
		}
		if a.Query != nil {
			attempts[*a.Query]++
			// Faults hit queries whose id ends in 3.
			if n := attempts[*a.Query]; strings.HasSuffix(*a.Query, "3") {
				switch fault {
				case "poison": // it never survives this one
					os.Exit(3)
				case "die", "other-store", "mute-later":
					if next(file+*a.Query) == 1 {
						os.Exit(3)
					}
				case "garbage":
					if n == 1 {
						fmt.Println("Traceback (most recent call last):")
						continue
					}
				case "print": // beside the answer
					if n == 1 {
						fmt.Println("searching")
					}
				case "slow": // later than the recorder waits
					if n == 1 {
						time.Sleep(600 * time.Millisecond)
					}
				case "hang":
					if next(file+*a.Query) <= 2 {
						time.Sleep(time.Hour)
					}
				case "stderr":
					fmt.Fprintln(os.Stderr, "the adapter says", *a.Query)
				}
			}
		}
		out.Encode(reply(a))
	}
	if fault == "stay" {
		time.Sleep(time.Hour)
	}
	os.Exit(0)
}

// next counts with a file, beyond the end of the process.
func next(file string) int {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	f.Write([]byte{'.'})
	info, _ := f.Stat()
	return int(info.Size())
}

// Faults of an adapter that pass leave no trace in what is recorded.
func TestCommand(t *testing.T) {
	t.Parallel()
	wantStore, wantRun := faultless(t, 40)
	for _, c := range []struct {
		fault   string
		timeout time.Duration
		retries int
	}{
		{"none", 0, 0},
		{"die", 0, 4},
		{"garbage", 0, 4},
		{"print", 0, 4},
		{"slow", 400 * time.Millisecond, 4},
		{"hang", 300 * time.Millisecond, 8},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "mine")
			opts := here(record.Options{Dir: dir, K: 10, Timeout: c.timeout, Attempts: 8})
			_, report, err := record.Ingests(t.Context(), questions(40), record.Command(adapter(t, c.fault)), opts)
			require.NoError(t, err)
			assert.Empty(t, report.Failed)
			if c.fault == "none" {
				assert.Zero(t, report.Retries)
			} else {
				assert.GreaterOrEqual(t, report.Retries, c.retries)
			}
			equalText(t, wantStore, read(t, dir, "store.jsonl"))
			equalText(t, wantRun, read(t, dir, "run.jsonl"))
			assert.Equal(t, []string{"run.jsonl", "store.jsonl", "system.json"}, names(t, dir))
		})
	}
}

// A query that no process survives costs no other one.
func TestCommandPoison(t *testing.T) {
	t.Parallel()
	_, report, err := record.Ingests(t.Context(), questions(40), record.Command(adapter(t, "poison")), here(record.Options{}))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"q003: the adapter ended (exit status 3)", "q013: the adapter ended (exit status 3)",
		"q023: the adapter ended (exit status 3)", "q033: the adapter ended (exit status 3)",
	}, report.Failed)
}

// What ends a recording.
func TestCommandErrors(t *testing.T) {
	t.Parallel()
	missing := exec.Command("no-such-program-anywhere")
	for _, c := range []struct {
		name string
		cmd  *exec.Cmd
		want string
	}{
		{"no program", missing, `record: building the system: exec: "no-such-program-anywhere": executable file not found in $PATH`},
		{"mute", adapter(t, "mute"), "record: building the system: the adapter ended (exit status 4)"},
		{"chatter", adapter(t, "chatter"), `record: building the system: the reply "loading the model...": malformed JSON`},
		{"other store", adapter(t, "other-store"), "record: the adapter was started again and has another store than before; answers of two stores make no run: keep the store, or build it the same way each time"},
		{"mute later", adapter(t, "mute-later"), "record: the adapter was started 10 times again without an answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := record.Ingests(t.Context(), questions(40), record.Command(c.cmd), here(record.Options{Attempts: 100}))
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), c.want), err.Error())
		})
	}
}

// Standard error is passed on.
func TestCommandStderr(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	cmd := adapter(t, "stderr")
	cmd.Stderr = &stderr
	_, _, err := record.Ingests(t.Context(), questions(10), record.Command(cmd), here(record.Options{}))
	require.NoError(t, err)
	assert.Equal(t, "the adapter says q003\n", stderr.String())
}

// A long query does not fit into a pipe.
func TestCommandLongQuery(t *testing.T) {
	t.Parallel()
	qs := []tiaptest.Query{{ID: "q0", Text: strings.Repeat("long ", 1<<18)}}
	ingests, _, err := record.Ingests(t.Context(), qs, record.Command(adapter(t, "none")), here(record.Options{}))
	require.NoError(t, err)
	got, _ := ingests[0].Run.Ranking("q0")
	assert.Len(t, got.IDs, 7)
}

// At the end nothing is left of a process group, though a grandchild holds
// standard output open.
func TestCommandOrphans(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("process groups are for Unix")
	}
	cmd := adapter(t, "orphan")
	_, file, _ := strings.Cut(cmd.Env[len(cmd.Env)-1], " ")
	_, _, err := record.Ingests(t.Context(), questions(3), record.Command(cmd), here(record.Options{}))
	require.NoError(t, err)
	pid, err := strconv.Atoi(read(t, file+".pid"))
	require.NoError(t, err)
	assert.Eventually(t, func() bool { return gone(pid) }, 5*time.Second, 10*time.Millisecond)
}

// gone reports whether a process does not run; it may still be a zombie.
func gone(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
	}
	p, err := os.FindProcess(pid)
	return err != nil || p.Signal(syscall.Signal(0)) != nil
}

// A process that does not end by itself is killed.
func TestCommandStays(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, _, err := record.Ingests(t.Context(), questions(3), record.Command(adapter(t, "stay")), here(record.Options{}))
	require.NoError(t, err)
	assert.Greater(t, time.Since(start), 4*time.Second, "it has time to end; by itself it ends after an hour")
}

// An interrupted recording ends its process.
func TestCommandCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cmd := adapter(t, "hang")
	_, file, _ := strings.Cut(cmd.Env[len(cmd.Env)-1], " ")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(file + "q003"); err == nil { // it hangs
				cancel(errors.New("enough"))
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, _, err := record.Ingests(ctx, questions(40), record.Command(cmd), here(record.Options{}))
	assert.EqualError(t, err, "record: interrupted: enough")
}

// The searcher of a command is one as any other.
func TestCommandConforms(t *testing.T) {
	t.Parallel()
	s, log, err := record.Command(adapter(t, "none"))(t.Context(), 1)
	require.NoError(t, err)
	ms, err := log.Memories()
	require.NoError(t, err)
	assert.NoError(t, record.TestSearcher(s, questions(3), ms, record.Claims{Scores: record.Descending}))
	require.NoError(t, s.(interface{ Close() error }).Close())
}
