package golden_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/tiaptest/tiap/golden"
)

// inFolder runs f as a test whose folder testdata is a new one.
func inFolder(f func(tb *quiet, dir string)) {
	dir, err := os.MkdirTemp("", "golden")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, value := range map[string]string{"TIAP_TESTDATA": dir, "TIAP_UPDATE": "1", "CI": ""} {
		if before, ok := os.LookupEnv(name); ok {
			defer os.Setenv(name, before)
		} else {
			defer os.Unsetenv(name)
		}
		os.Setenv(name, value)
	}
	f(&quiet{}, dir)
}

func ExampleCheck() {
	inFolder(func(t *quiet, dir string) {
		fmt.Println("recorded:", golden.Check(t, "example", rescore(5))) // with TIAP_UPDATE=1
		os.Setenv("TIAP_UPDATE", "")
		fmt.Println("unchanged:", golden.Check(t, "example", rescore(5)))
		_, err := os.Stat(filepath.Join(dir, "golden", "example.json"))
		fmt.Println("in the repository:", err == nil)
	})
	// Output:
	// recorded: true
	// unchanged: true
	// in the repository: true
}

func ExampleStore() {
	inFolder(func(t *quiet, _ string) {
		d5 := newTalk().bundle().Systems[1]
		fmt.Println(golden.Store(t, "example-d5", d5))
	})
	// Output: true
}

// Texts keep what a deterministic parser wrote, Audited what it means for
// retrieval.
func ExampleTexts() {
	inFolder(func(t *quiet, dir string) {
		d5 := newTalk().bundle().Systems[1]
		golden.Store(t, "example-texts", d5, golden.Texts())
		text, err := os.ReadFile(filepath.Join(dir, "golden", "example-texts.store.json"))
		fmt.Println(strings.Contains(string(text), "fact-t07 fact: what fact-t07 says"), err)
	})
	// Output: true <nil>
}

// Texts fit a parser that is deterministic alone.
func ExampleStoreOption() {
	inFolder(func(t *quiet, dir string) {
		opts := []golden.StoreOption{golden.Audited(rescore(5))}
		if deterministic := true; deterministic {
			opts = append(opts, golden.Texts())
		}
		golden.Store(t, "example-options", newTalk().bundle().Systems[1], opts...)
		var recorded struct{ Options []string }
		text, err := os.ReadFile(filepath.Join(dir, "golden", "example-options.store.json"))
		if err == nil {
			err = json.Unmarshal(text, &recorded)
		}
		fmt.Println(recorded.Options, err)
	})
	// Output: [Audited Texts] <nil>
}

func ExampleAudited() {
	inFolder(func(t *quiet, dir string) {
		d5 := newTalk().bundle().Systems[1]
		golden.Store(t, "example-audited", d5, golden.Audited(rescore(5)))
		text, err := os.ReadFile(filepath.Join(dir, "golden", "example-audited.store.json"))
		fmt.Println(strings.Contains(string(text), "mrr@10 of D1 and D5 under raw"), err)
	})
	// Output: true <nil>
}

func ExampleTable() {
	inFolder(func(t *quiet, dir string) {
		file := filepath.Join(dir, "RESULTS.md")
		if err := os.WriteFile(file, []byte("<!-- tiap:example -->\n<!-- /tiap:example -->\n"), 0o666); err != nil {
			log.Fatal(err)
		}
		golden.Table(t, file, "example", rescore(5))
		text, _ := os.ReadFile(file)
		for _, line := range strings.Split(string(text), "\n")[:6] {
			fmt.Println(line)
		}
	})
	// Output:
	// <!-- tiap:example -->
	//
	// | system | target | mrr@10 | n |
	// | --- | --- | ---: | ---: |
	// | D1 | raw | 0.5000 | 40 |
	// | D1 | source | 0.5000 | 40 |
}

// A file that is not there is a finding, and nothing is recorded unasked.
func ExampleCheckFile() {
	file := filepath.Join(os.TempDir(), "no-such-golden.json")
	d, err := golden.CheckFile(file, "the command that records it", rescore(5))
	fmt.Println(d.Verdict, d.Failed(), err)
	_, err = os.Stat(file)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// missing true <nil>
	// true
}

func ExampleNewRecord() {
	d := golden.Diff(record(5), record(5))
	fmt.Println(d.Verdict)
	// Output: same
}

func ExampleReadRecord() {
	_, err := golden.ReadRecord(filepath.Join("testdata", "golden", "none.json"))
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output: true
}

// Of forty covered queries D5 loses four under canonical.
func ExampleTolerance() {
	k := newTalk()
	k.without = map[string]func(int) bool{"D5": func(q int) bool { return q < 4 }}
	less, err := golden.NewRecord(mustRescore(k))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(golden.Diff(record(5), less).Verdict)
	fmt.Println(golden.Diff(record(5), less, golden.Tolerance(0.1)).Failed())
	// Output:
	// coverage-lost
	// false
}

// Without the scores of single queries a failure cannot name those that moved.
func ExampleQueryScores() {
	inFolder(func(t *quiet, dir string) {
		golden.Check(t, "example-small", rescore(5), golden.QueryScores(0))
		entries, err := os.ReadDir(filepath.Join(dir, "golden"))
		fmt.Println(len(entries), err)
	})
	// Output: 1 <nil>
}

func ExampleParseVerdict() {
	fmt.Println(golden.ParseVerdict("winner-flip"))
	_, err := golden.ParseVerdict("flop")
	fmt.Println(err)
	// Output:
	// winner-flip <nil>
	// unknown verdict "flop"; the verdicts are identity-mismatch,missing,coverage-lost,inconclusive,tie,winner-flip,new-flip,flip-resolved,change-flip,recommendation-changed,regressed,improved,query-lost,same,new
}

// At the end of TestMain, code is what m.Run returned.
func ExampleStale() {
	code := 0
	if err := golden.Stale(code); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	fmt.Println(code)
	// Output: 0
}
