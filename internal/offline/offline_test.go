package offline_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/golden"
	"github.com/tiaptest/tiap/internal/offline"
	"github.com/tiaptest/tiap/scenarios"
	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
	"github.com/tiaptest/tiap/tiaptest/report"
	"github.com/tiaptest/tiap/tiaptest/semantic"
)

// role makes this test binary another program, which does one thing.
const role = "TIAP_OFFLINE_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "nothing":
	case "fails":
		os.Exit(3)
	case "pipe":
		dir, err := os.MkdirTemp("", "")
		if err == nil {
			var l net.Listener
			if l, err = net.Listen("unix", filepath.Join(dir, "s")); err == nil {
				err = l.Close()
			}
			os.RemoveAll(dir)
		}
		exitOn(err)
	case "dial":
		_, err := net.DialTimeout("tcp", "127.0.0.1:9", time.Second)
		exitOn(err)
	case "dial6":
		_, err := net.DialTimeout("tcp6", "[::1]:9", time.Second)
		exitOn(err)
	case "listen":
		_, err := net.Listen("tcp", "127.0.0.1:0")
		exitOn(err)
	case "packet":
		_, err := net.ListenPacket("udp", "127.0.0.1:0")
		exitOn(err)
	case "lookup":
		_, err := net.DefaultResolver.LookupHost(context.Background(), "name.invalid")
		exitOn(err)
	case "child":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), role+"=dial")
		exitOn(cmd.Run())
	}
	os.Exit(0)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// program is this test binary with arguments, in an environment of its own.
func program(env []string, args ...string) (*exec.Cmd, *strings.Builder) {
	cmd := exec.Command(os.Args[0], args...)
	var out strings.Builder
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// run runs it offline, and skips the test where that is not possible.
func run(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	err := offline.Run(cmd)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	return err
}

// TestRun: whatever asks for an internet socket dies, and nothing else does.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"nothing", "pipe"} {
		cmd, out := program([]string{role + "=" + what})
		assert.NoError(t, run(t, cmd), "%s: %s", what, out)
	}
	for _, what := range []string{"dial", "dial6", "listen", "packet", "lookup"} {
		cmd, out := program([]string{role + "=" + what, "GODEBUG=netdns=go"})
		assert.ErrorIs(t, run(t, cmd), offline.ErrSocket, "%s: %s", what, out)
	}
	cmd, _ := program([]string{role + "=fails"})
	err := run(t, cmd)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, exit.ExitCode())
	assert.NotErrorIs(t, err, offline.ErrSocket)
	cmd, out := program([]string{role + "=child"})
	require.ErrorAs(t, run(t, cmd), &exit)
	assert.Contains(t, out.String(), "bad system call", "what a program starts dies too")

	missing := exec.Command(filepath.Join(t.TempDir(), "missing"))
	assert.ErrorIs(t, run(t, missing), os.ErrNotExist)
}

// TestSuiteOffline runs TestSuite again where it must not open a socket.
func TestSuiteOffline(t *testing.T) {
	t.Parallel()
	cmd, out := program(nil, "-test.run=^TestSuite$", "-test.v", "-test.count=1")
	require.NoError(t, run(t, cmd), out)
	assert.Contains(t, out.String(), "--- PASS: TestSuite")
}

// TestSuite is what suites do with saved rankings, and with a system that is part
// of the test: rules, golden files, recording, labels to be judged, reports.
func TestSuite(t *testing.T) {
	const garden = "../../scenarios/quickstart/testdata"
	t.Parallel()
	ndcg := tiaptest.NDCG(10)
	a := tiaptest.Load(t, garden+"/garden", tiaptest.Depth(10), tiaptest.Metrics(ndcg, tiaptest.Recall(10), tiaptest.MRR(10)))
	tiaptest.Check(t, a, tiaptest.TargetsReported(), tiaptest.SharedSubset(20), tiaptest.Nested(), tiaptest.CompleteRuns())
	recorded, err := golden.ReadRecord(garden + "/golden/garden.json")
	require.NoError(t, err)
	now, err := golden.NewRecord(a)
	require.NoError(t, err)
	require.NotEqual(t, golden.IdentityMismatch, golden.Diff(recorded, now).Verdict)
	cases, err := semantic.Contested(a, tiaptest.Canonical)
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	require.NoError(t, report.WriteFile(filepath.Join(t.TempDir(), "report.html"), a))

	scenario, err := tiaptest.OpenScenario(garden + "/boat")
	require.NoError(t, err)
	b, err := scenarios.Density(t.Context(), scenario, reference.MaxFacts, []int{1, 5}, reference.Hybrid(reference.Hashing(64)), record.Options{K: 10, Cacheable: true})
	require.NoError(t, err)
	live, err := tiaptest.Rescore(b, tiaptest.Depth(10), tiaptest.Metrics(ndcg))
	require.NoError(t, err)
	require.NoError(t, live.Verify(tiaptest.CompleteRuns()))
}
