package golden

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/internal/replace"
	"github.com/tiaptest/tiap/internal/shell"
)

// home is the folder in which the test binary started: go test starts it in the
// folder of the package, which a test may leave later. Neither runtime.Caller nor
// the import path would lead there under -trimpath.
var home, homeErr = os.Getwd()

// updating reads TIAP_UPDATE, at call time since tests may set it.
func updating() (bool, error) {
	v := os.Getenv("TIAP_UPDATE")
	switch v {
	case "", "0", "false":
		return false, nil
	case "force":
		return true, nil
	case "1", "true":
	default:
		return false, fmt.Errorf("TIAP_UPDATE=%q is not understood; use 1 to record, 0 to compare", v)
	}
	if ci := os.Getenv("CI"); ci != "" && ci != "0" && ci != "false" {
		return false, fmt.Errorf("TIAP_UPDATE=%s while CI=%s: golden files are recorded by people, who look at the difference; record them elsewhere, or set TIAP_UPDATE=force", v, ci)
	}
	return true, nil
}

// testdata is the folder of test data; TIAP_TESTDATA names it for test binaries
// that run elsewhere.
func testdata() (string, error) {
	if dir := os.Getenv("TIAP_TESTDATA"); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(home, dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", fmt.Errorf("TIAP_TESTDATA=%s is not a folder", os.Getenv("TIAP_TESTDATA"))
		}
		return dir, nil
	}
	if homeErr != nil {
		return "", homeErr
	}
	dir := filepath.Join(home, "testdata")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if len(goFiles(home)) == 0 {
		return "", errors.New("there is no folder testdata where the test binary was started; start it in the folder of its package, or set TIAP_TESTDATA to that folder's testdata")
	}
	return dir, nil
}

// goFiles are the names of the Go files in a folder, whose own name may hold what
// is special in patterns.
func goFiles(dir string) []string {
	names, _ := fs.Glob(os.DirFS(dir), "*.go")
	return names
}

var (
	keyPart  = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_. -]*[A-Za-z0-9_])?$`)
	reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)
)

// fileOf returns the golden file of a key.
func fileOf(key string) (string, error) {
	for _, part := range strings.Split(key, "/") {
		if !keyPart.MatchString(part) || reserved.MatchString(part) {
			return "", fmt.Errorf("key %q makes no file name on every system; use letters, digits, '_', '-', '.' and '/'", key)
		}
	}
	dir, err := testdata()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "golden", filepath.FromSlash(key)+".json"), nil
}

// shown is a file's name for messages: below the package, if it is there.
func shown(file string) string {
	if rel, err := filepath.Rel(home, file); err == nil && !strings.HasPrefix(rel, "..") {
		file = rel
	}
	return filepath.ToSlash(file)
}

// claims remembers what this process compared each file with. File systems may
// not tell upper and lower case apart.
var claims = struct {
	sync.Mutex
	of map[string]claim
}{of: make(map[string]claim)}

type claim struct {
	key, test string
	sum       [sha256.Size]byte
}

// claimFile refuses two contents for one file: the later one would overwrite the
// earlier one, or fail against it. The same content may come again, with -count=2.
func claimFile(file, key, test string, content []byte) error {
	claims.Lock()
	defer claims.Unlock()
	id, c := strings.ToLower(file), claim{key, test, sha256.Sum256(content)}
	before, ok := claims.of[id]
	switch {
	case !ok:
		claims.of[id] = c
	case before.key != key:
		return fmt.Errorf("the keys %q (in %s) and %q name one file where case does not count; rename one", before.key, before.test, key)
	case before.sum != c.sum:
		return fmt.Errorf("key %q stands for two contents in one run: another one in %s; give each its own key", key, before.test)
	}
	return nil
}

// refuse says why a file must not be written.
func refuse(file string) error {
	dir := filepath.Dir(file)
	cache := os.Getenv("GOMODCACHE")
	parts := strings.Split(filepath.ToSlash(dir), "/")
	switch {
	case cache != "" && strings.HasPrefix(dir+string(filepath.Separator), filepath.Clean(cache)+string(filepath.Separator)),
		strings.Contains(filepath.ToSlash(dir), "/pkg/mod/"):
		return fmt.Errorf("%s lies in the module cache; record it in the module's own repository", shown(file))
	case slices.Contains(parts, "vendor"):
		return fmt.Errorf("%s lies in a vendor folder; record it in the module's own repository", shown(file))
	}
	if f := flag.Lookup("test.fuzzworker"); f != nil && f.Value.String() == "true" {
		return fmt.Errorf("%s: a fuzz target does not record; run it without -fuzz", shown(file))
	}
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a link or no file at all; record where the file itself is", shown(file))
	}
	// The superuser may write to such a folder, which still is not meant.
	for {
		info, err := os.Stat(dir)
		if err == nil {
			if info.Mode().Perm()&0o222 == 0 {
				return fmt.Errorf("%s: its folder is read-only; %s", shown(file), inCopy)
			}
			return nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return err
		}
		dir = parent
	}
}

// inCopy is what to do where a file cannot be written.
const inCopy = "make it writable, or record in another copy of the files"

// unwritten is the error of a file that an update could not write, with its name.
func unwritten(file string, err error) error {
	err = replace.Fault(shown(file), err)
	if replace.Refused(err) {
		return fmt.Errorf("%w; %s", err, inCopy)
	}
	return err
}

// writing serializes the updates of this process, where folders have no locks.
var writing sync.Mutex

// save writes a record with its scores. The scores have a name of their own for
// each content and come first; the rename of the record is what makes the update.
// A process that is killed leaves the old pair or the new one.
func save(file string, content files, f replace.Faults) (written bool, err error) {
	writing.Lock()
	defer writing.Unlock()
	if err := refuse(file); err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return false, unwritten(file, err)
	}
	return saveLocked(file, content, f)
}

// saveLocked keeps other processes from updating the same folder meanwhile: one
// would sweep away the scores that another is about to name.
func saveLocked(file string, content files, f replace.Faults) (written bool, err error) {
	dir := filepath.Dir(file)
	release, err := lock.Wait(dir)
	if err != nil {
		return false, unwritten(file, err)
	}
	defer release()
	if content.scoresName != "" {
		beside := filepath.Join(dir, content.scoresName)
		// The name tells the content, the bytes need not be those of another
		// version of the compressor.
		sum := strings.Split(strings.TrimSuffix(content.scoresName, ".queries.zst"), ".")
		if !intact(beside, sum[len(sum)-1]) {
			if err := replace.File(beside, content.scores, f); err != nil {
				return false, unwritten(beside, err)
			}
			written = true
		}
	}
	old, err := limit.ReadFile(file, limit.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return written, err
	}
	// Line ends are left as version control put them.
	if err != nil || !bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), content.record) {
		if err := replace.File(file, content.record, f); err != nil {
			return written, unwritten(file, err)
		}
		written = true
	}
	return written, sweep(file, content.scoresName, f)
}

// sweep removes scores that no record names any more, and what a killed update
// left behind.
func sweep(file, scoresFile string, f replace.Faults) error {
	dir, base := filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), ".json")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	stale := regexp.MustCompile(`^(` + regexp.QuoteMeta(base) + `\.[0-9a-f]{12}\.queries\.zst|` +
		`\.` + regexp.QuoteMeta(base) + `\.(json|[0-9a-f]{12}\.queries\.zst)\.[0-9]+\.tmp)$`)
	for _, e := range entries {
		if e.Name() == scoresFile || !stale.MatchString(e.Name()) {
			continue
		}
		if err := f.At("remove"); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// testCommand is the shell command that runs a test with golden files updated.
func testCommand(tb testing.TB) string {
	parts := strings.Split(tb.Name(), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	return "TIAP_UPDATE=1 go test -count=1 -run " + shell.Quote(strings.Join(parts, "/")) + " " + pkg
}
