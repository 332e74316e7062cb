package golden

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/shell"
)

// Stale is an error that names the golden files of the package that nothing in
// this process used, such as those of a test that was removed, and the command
// that deletes them; nil if there are none. Only the end of a run knows:
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		if err := golden.Stale(code); err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			code = 1 // go test shows the error of a package that passes only with -v
//		}
//		os.Exit(code)
//	}
//
// It is nil unless the run was full and green: code is 0, and none of -run, -skip,
// -short, -failfast, -list, -fuzz or -count=0 was given. A test may have been
// skipped, or left out by a build constraint: a file counts as used, too, when the
// Go files beside testdata name its key, as the string "a/b", as a beginning of it
// ("a/" + x, "a/%s"), or as the test of that name (t.Name()). Other keys that are
// put together at run time are known only when they are used. Without Go files,
// and with TIAP_TESTDATA, whose folder packages may share, it is nil. Nothing is
// ever deleted.
func Stale(code int) error {
	if code != 0 || !full(flag.Lookup) || os.Getenv("TIAP_TESTDATA") != "" {
		return nil
	}
	if homeErr != nil {
		return homeErr
	}
	files, err := stale(home, claimed)
	if err != nil || len(files) == 0 {
		return err
	}
	text, command := "stale: nothing in this run used\n", "    to delete: rm --"
	for _, f := range files {
		text += "    " + shown(f) + "\n"
		command += " " + shell.Quote(shown(f))
	}
	return errors.New(text + command)
}

// full reports whether the flags of a test binary leave nothing out.
func full(lookup func(string) *flag.Flag) bool {
	for _, name := range []string{"run", "skip", "short", "failfast", "list", "fuzz", "fuzzworker"} {
		if f := lookup("test." + name); f == nil || f.Value.String() != f.DefValue {
			return false
		}
	}
	return lookup("test.count").Value.String() != "0"
}

// claimed reports whether this process compared something with a file.
func claimed(file string) bool {
	claims.Lock()
	defer claims.Unlock()
	_, ok := claims.of[strings.ToLower(file)]
	return ok
}

var scoresName = regexp.MustCompile(`\.[0-9a-f]{12}\.queries\.zst$`)

// stale returns the golden files of the package in a folder that are neither used
// nor named by its sources. Files of others in the same folder are left alone.
func stale(dir string, used func(file string) bool) ([]string, error) {
	var sources []byte
	names := goFiles(dir)
	if len(names) == 0 {
		return nil, nil
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		sources = append(sources, text...)
	}
	root := filepath.Join(dir, "testdata", "golden")
	var out []string
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		scores := scoresName.MatchString(file)
		if err != nil || !e.Type().IsRegular() || !scores && !strings.HasSuffix(file, ".json") {
			return err
		}
		record := scoresName.ReplaceAllString(file, ".json")
		content, err := limit.ReadFile(record, limit.File)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		there := err == nil
		key, err := filepath.Rel(root, strings.TrimSuffix(record, ".json"))
		if err != nil {
			return err
		}
		key = filepath.ToSlash(key)
		live := used(record) || named(sources, key) || named(sources, strings.TrimSuffix(key, ".store"))
		switch {
		case scores && live && there:
			// Merges leave scores that the record does not name.
			live = bytes.Contains(content, []byte(`"`+e.Name()+`"`))
		case !scores:
			live = live || !bytes.Contains(content, []byte(`"schema": "tiap.golden`))
		}
		if !live {
			out = append(out, file)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}

// named reports whether sources may use a key in a test that did not run.
func named(sources []byte, key string) bool {
	holds := func(text string) bool { return bytes.Contains(sources, []byte(text)) }
	for i := range key {
		last := i == len(key)-1
		if !last && !strings.ContainsRune("/-_. ", rune(key[i])) {
			continue
		}
		for _, quote := range []string{`"`, "`"} {
			part := quote + key[:i+1]
			if holds(part+quote) || !last && holds(part+"%") {
				return true
			}
		}
	}
	test, _, _ := strings.Cut(key, "/")
	return holds("func " + test + "(")
}
