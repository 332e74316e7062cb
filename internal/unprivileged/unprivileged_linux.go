// Package unprivileged runs tests of permissions where the tests are run by root, to
// which nothing is forbidden.
package unprivileged

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user and the group that own nothing.
const nobody = 65534

// Run runs tests of this package again in a process of another user, when root runs
// them, and fails unless each passes there. The names are those of tests and of
// subtests as go test prints them. Other users run them anyway, so that Run does
// nothing then. Where root may not become another user, the test is skipped.
func Run(t *testing.T, names ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	// What go test builds lies in a folder of root's own.
	dir, err := os.MkdirTemp("", "unprivileged")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	own := filepath.Join(dir, "own") // where the tests may write
	binary := filepath.Join(dir, "test")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(own, 0o700), os.Chown(own, nobody, nobody), copyTo(binary)); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		parts := strings.Split(name, "/")
		for i := range parts {
			parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
		}
		cmd := exec.CommandContext(t.Context(), binary, "-test.v", "-test.run", strings.Join(parts, "/"))
		cmd.Dir = own
		cmd.Env = append(os.Environ(), "TMPDIR="+own, "HOME="+own)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		text, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
			t.Skip("root may not become another user here:", err)
		}
		if !passed(string(text), name) {
			t.Errorf("%s, run by another user: %v\n%s", name, err, text)
		}
	}
}

// passed reports whether a test passed by what it printed: to be skipped is not to pass.
func passed(text, name string) bool {
	return regexp.MustCompile(`(?m)^ *--- PASS: ` + regexp.QuoteMeta(name) + ` \(`).MatchString(text)
}

// copyTo copies this program to a file that all users may run.
func copyTo(file string) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Chmod(0o755), to.Close())
}
