package tiaptest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/tiaptest/tiap/internal/decide"
)

// publish tells machines what was checked: the artifacts of the audit when the
// test runs with -artifacts, and attributes of the test. The folder is asked for
// before anything is printed: gotestsum 1.13 takes the line that announces it
// for the end of the test and drops what came before.
func publish(tb testing.TB, a *Audit, broken []Violation) {
	tb.Helper()
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		if err := a.writeArtifacts(tb.ArtifactDir(), tb.Name()); err != nil {
			tb.Errorf("artifacts of the audit: %v", err)
		}
	}
	for _, attr := range a.attributes(broken) {
		tb.Attr(attr[0], attr[1])
	}
}

// attributes are the attributes of a test that checked the audit.
func (a *Audit) attributes(broken []Violation) [][2]string {
	verdict := "pass"
	if len(broken) > 0 {
		verdict = "fail"
	}
	headline := a.r.headline
	if headline == "" {
		headline = "undeclared"
	}
	winner, n := a.leader()
	out := [][2]string{
		{"tiap.verdict", verdict},
		{"tiap.headline", headline},
		{"tiap.credit", string(a.r.credit)},
		{"tiap.n", strconv.Itoa(n)},
		{"tiap.winner", winner},
	}
	for _, v := range broken {
		out = append(out, [2]string{"tiap.broken", v.Rule})
	}
	for i := range out {
		out[i][1] = oneLine(out[i][1])
	}
	return out
}

// oneLine makes a text fit for an attribute, which fails the test when its value
// has a line break.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// winnerTarget is the headline target, or the first one when none is declared.
func (a *Audit) winnerTarget() string {
	if a.r.headline != "" {
		return a.r.headline
	}
	return a.r.targets[0].name
}

// leader names the system with the highest score by the first metric under the
// headline target, and the number of queries that it was scored on. Systems whose
// score is undefined are left out.
func (a *Audit) leader() (text string, n int) {
	target, metric := a.winnerTarget(), a.r.metrics[0]
	var rows []scoreRow
	var values []float64
	for _, s := range a.systemNames() {
		if row, err := a.row(s, Target{name: target}, metric); err == nil && row.Value != nil {
			rows, values = append(rows, row), append(values, *row.Value)
		}
	}
	name := "none"
	best, leads := decide.Best(values, a.r.minEffect)
	if best >= 0 {
		name, n = "tie", rows[best].N
	}
	if leads {
		name = rows[best].System
	}
	return fmt.Sprintf("%s on %s under %s", name, metric, target), n
}

// writeArtifacts writes the report, the table and an index that says which test
// they are of: the folder's own name does not tell.
func (a *Audit) writeArtifacts(dir, test string) error {
	suffix, err := freeSuffix(dir)
	if err != nil {
		return err
	}
	index := struct {
		Schema  string   `json:"schema"`
		Package string   `json:"package"`
		Test    string   `json:"test"`
		Files   []string `json:"files"`
	}{Schema: "tiap.artifacts/v1", Test: test, Files: []string{"audit" + suffix + ".json", "audit" + suffix + ".txt"}}
	if info, ok := debug.ReadBuildInfo(); ok {
		index.Package = strings.TrimSuffix(info.Path, ".test")
	}
	return errors.Join(
		writeWhole(filepath.Join(dir, index.Files[0]), a.WriteJSON),
		writeWhole(filepath.Join(dir, index.Files[1]), a.WriteTable),
		writeWhole(filepath.Join(dir, "index"+suffix+".json"), func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			e.SetIndent("", " ")
			return e.Encode(index)
		}),
	)
}

// freeSuffix claims names for one audit: a test may check several, and all write
// to its one folder.
func freeSuffix(dir string) (string, error) {
	for n := 1; ; n++ {
		suffix := ""
		if n > 1 {
			suffix = fmt.Sprintf("-%d", n)
		}
		f, err := os.OpenFile(filepath.Join(dir, "index"+suffix+".json"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err == nil {
			return suffix, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

func writeWhole(file string, write func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Bench reports every score over the audit's population as a metric of a
// sub-benchmark, in percent since benchmarks print four digits, so that benchstat
// shows audits side by side. It is a view and no gate. An undefined score fails
// the benchmark: benchstat cannot compare it.
func Bench(b *testing.B, a *Audit) {
	b.Helper()
	for _, s := range a.systemNames() {
		for _, t := range a.r.targets {
			b.Run("system="+s+"/target="+t.name, func(b *testing.B) {
				b.Helper()
				for range b.N {
				}
				for _, m := range a.r.metrics {
					v, err := a.Score(s, t, m)
					if err != nil {
						b.Error(err)
						continue
					}
					b.ReportMetric(100*v, m.String()+"_pct")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
