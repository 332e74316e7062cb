// Package crash kills processes in the middle of their work, for tests of what they
// leave behind.
package crash

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The environment of a process that is to be killed: its folder, and how much of the
// work was said to be done before.
const (
	dirEnv  = "TIAP_CRASH_DIR"
	doneEnv = "TIAP_CRASH_DONE"
)

// Work is work whose pieces are numbered from 1 and done one after the other.
type Work struct {
	// Do goes on with the work in a folder, which is empty at first, from what lies
	// there, and says of each piece when it is done. It ends when done returns false.
	// It does at least one piece more than before.
	Do func(dir string, before int, done func(n int) (more bool)) error

	// Found returns how many pieces lie in a folder. It is an error when one of them
	// is not whole, or if anything else is wrong.
	Found func(dir string) (int, error)
}

// Result says what was found after the kills.
type Result struct {
	Dir   string // the folder, after one more piece without a kill
	Kills int
	Old   int // kills after which there was what was said to be done, and no more
	New   int // kills after which there was a piece more, which nobody had heard of
	Done  int // pieces in the end
}

// Test has processes do the work of a test in one folder, one after the other, each
// on what the one before it left, and kills them at random moments, as often as the
// variable TIAP_KILLS says or else few times. After each kill all that was said to be
// done must be there, whole, and at most one piece more. In the end one more piece is
// done without a kill. The time until a kill is random within what one or two pieces
// take on the machine.
//
// The test is run again in each process, so that Test must come before all else that
// takes time or leaves traces, t.TempDir too.
func Test(t *testing.T, few int, w Work) Result {
	t.Helper()
	if dir := os.Getenv(dirEnv); dir != "" {
		work(t, dir, w)
	}
	r := Result{Dir: t.TempDir(), Kills: few}
	if text := os.Getenv("TIAP_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("TIAP_KILLS=%q is no number of kills; give one from 1 on", text)
		}
		r.Kills = n
	}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	within := float64(20 * time.Millisecond)
	for i := range r.Kills {
		said, err := kill(t, r.Dir, r.Done, time.Duration(within*random.Float64()))
		if err != nil {
			t.Fatalf("kill %d: %v", i+1, err)
		}
		found, err := w.Found(r.Dir)
		switch {
		case err != nil:
			t.Fatalf("after kill %d, when %d pieces were said to be done: %v", i+1, said, err)
		case found < said || found > said+1:
			t.Fatalf("after kill %d there are %d pieces, and %d were said to be done", i+1, found, said)
		case found == said:
			r.Old++
		default:
			r.New++
		}
		switch n := found - r.Done; {
		case n == 0:
			within *= 1.1
		case n > 1:
			within /= 1.1
		}
		r.Done = found
	}
	before := r.Done
	if err := w.Do(r.Dir, before, func(n int) bool { r.Done = n; return false }); err != nil {
		t.Fatalf("after %d kills: %v", r.Kills, err)
	}
	if found, err := w.Found(r.Dir); err != nil || found != r.Done || found <= before {
		t.Fatalf("after %d kills and %d pieces, one more was done, and there are %d; error: %v", r.Kills, before, found, err)
	}
	t.Logf("%d kills: after %d there was what was done, after %d one piece more, after none anything torn or lost; %d pieces in the end", r.Kills, r.Old, r.New, r.Done)
	return r
}

// work does the work until the process is killed, or its parent ends.
func work(t *testing.T, dir string, w Work) {
	t.Helper()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	before, err := strconv.Atoi(os.Getenv(doneEnv))
	if err == nil {
		fmt.Println("at work")
		err = w.Do(dir, before, func(n int) bool {
			fmt.Println("done", n)
			return true
		})
	}
	fmt.Println("the work ended:", err)
	os.Exit(1)
}

// kill starts a process that works, kills it after a time and returns what it had
// said to be done.
func kill(t *testing.T, dir string, before int, after time.Duration) (said int, err error) {
	t.Helper()
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	c := exec.Command(os.Args[0], "-test.run="+pattern, "-test.timeout=10m")
	c.Env = append(os.Environ(), dirEnv+"="+dir, doneEnv+"="+strconv.Itoa(before))
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe() // which ends with this process
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	stdout, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	said, faults := before, []error(nil)
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() || lines.Text() != "at work" {
		faults = append(faults, fmt.Errorf("the process does not work: %s", lines.Text()))
	}
	time.AfterFunc(after, func() { _ = c.Process.Kill() })
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "done %d", &said); err != nil {
			faults = append(faults, errors.New(lines.Text()))
		}
	}
	_ = c.Wait()
	return said, errors.Join(faults...)
}
