package crash_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/internal/crash"
)

// kindEnv names the kind of work that TestWork does.
const kindEnv = "TIAP_CRASH_TEST_KIND"

// TestWork does work of a kind, in a process that TestTest starts.
func TestWork(t *testing.T) {
	kind := os.Getenv(kindEnv)
	if kind == "" {
		t.Skip("started by TestTest")
	}
	const pause = 2 * time.Millisecond
	// write writes a number with a full stop.
	write := func(file string, n int) error {
		text := strconv.Itoa(n) + "."
		return os.WriteFile(file, []byte(text), 0o666)
	}
	crash.Test(t, 20, crash.Work{
		Do: func(dir string, before int, done func(int) bool) error {
			file := filepath.Join(dir, "n")
			for n := before + 1; ; n++ {
				switch kind {
				case "sound":
					if err := errors.Join(write(file+"+", n), os.Rename(file+"+", file)); err != nil {
						return err
					}
				case "loses": // it says that a piece is done before it is
					if !done(n) {
						return nil
					}
					time.Sleep(pause)
					if err := errors.Join(write(file+"+", n), os.Rename(file+"+", file)); err != nil {
						return err
					}
					continue
				case "tears":
					if err := os.WriteFile(file, []byte("half"), 0o666); err != nil {
						return err
					}
					time.Sleep(pause)
					if err := write(file, n); err != nil {
						return err
					}
				case "ends":
					return errors.New("nothing to do")
				}
				time.Sleep(pause)
				if !done(n) {
					return nil
				}
			}
		},
		Found: func(dir string) (int, error) {
			text, err := os.ReadFile(filepath.Join(dir, "n"))
			if errors.Is(err, os.ErrNotExist) {
				return 0, nil
			}
			if err != nil || len(text) < 2 || text[len(text)-1] != '.' {
				return 0, errors.Join(errors.New("torn"), err)
			}
			return strconv.Atoi(string(text[:len(text)-1]))
		},
	})
}

// TestTest: work that is sound passes, work that loses or tears something does not, nor
// what does not work at all.
func TestTest(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"sound": "PASS",
		"loses": " were said to be done",
		"tears": ": torn",
		"ends":  "the work ended: nothing to do",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(os.Args[0], "-test.run=^TestWork$")
			c.Env = append(os.Environ(), kindEnv+"="+kind, "TIAP_KILLS=40")
			out, err := c.CombinedOutput()
			assert.Equal(t, kind == "sound", err == nil, string(out))
			assert.Contains(t, string(out), want)
		})
	}
}
