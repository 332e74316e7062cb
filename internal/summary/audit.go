package summary

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/testjson"
)

// checked is what one tiaptest.Check says by the attributes of its test.
type checked struct {
	verdict, headline, credit, n, winner string
	broken                               []string // rules
}

// recorded is what one golden.Check says.
type recorded struct{ key, verdict string }

// said reads the attributes of a test, in the order in which it set them. A check
// begins with its verdict.
func said(t *testjson.Test) (checks []checked, records []recorded) {
	for _, a := range t.Attrs {
		name, ok := strings.CutPrefix(a.Key, "tiap.")
		if !ok {
			continue
		}
		if name == "golden" {
			i := strings.LastIndexByte(a.Value, ' ') // a key may have blanks, a verdict has none
			records = append(records, recorded{a.Value[:max(i, 0)], a.Value[i+1:]})
			continue
		}
		if name == "verdict" {
			checks = append(checks, checked{verdict: a.Value})
			continue
		}
		if len(checks) == 0 {
			continue
		}
		c := &checks[len(checks)-1]
		switch name {
		case "headline":
			c.headline = a.Value
		case "credit":
			c.credit = a.Value
		case "n":
			c.n = a.Value
		case "winner":
			c.winner = a.Value
		case "broken":
			c.broken = append(c.broken, a.Value)
		}
	}
	return checks, records
}

// finding is the first line of a finding of a rule or of a comparison with a golden
// file, as a test logs it: behind the name of a file, or indented below it.
var finding = regexp.MustCompile(`^ {4}(?:\S[^:]*\.go:\d+: | {4})(known: )?` +
	`((?:winner|new|convention|depth|change) flip |flip resolved |recommendation (?:of family|changed) |target order on |` +
	`(?:coverage lost|regressed|improved) |identity mismatch: |missing: (?:there is no golden|system|target|the pair) |known finding )`)

// IsFinding reports whether a line that a test logged begins a finding. The reader
// of events is to note these lines.
func IsFinding(line string) bool { return finding.MatchString(line) }

// findingText is a finding without what stands before it.
func findingText(line string) (text string, known bool) {
	at := finding.FindStringSubmatchIndex(line)
	return line[at[4]:], at[2] >= 0
}

// scores are those that an audit has of each system under each target by its first
// metric.
type scores struct {
	scenario, metric, basis string
	targets                 []string // the headline target is marked
	systems                 []string
	cells                   [][]string // by system and target
}

// errNoArtifacts says that the folder of a test's artifacts is not here.
var errNoArtifacts = errors.New("no artifacts")

// readScores reads the audits that a test left in a folder. Its index says which of
// the files there are reports.
func readScores(dir string) ([]scores, error) {
	indexes, err := filepath.Glob(filepath.Join(globEscaper.Replace(dir), "index*.json"))
	if err != nil || len(indexes) == 0 {
		return nil, errNoArtifacts
	}
	var out []scores
	for _, file := range indexes {
		var index struct {
			Schema string
			Files  []string
		}
		if err := readJSON(file, &index); err != nil {
			return out, err
		}
		if index.Schema != "tiap.artifacts/v1" {
			continue
		}
		for _, name := range index.Files {
			if !filepath.IsLocal(name) || filepath.Ext(name) != ".json" {
				continue
			}
			var report auditjson.Report[json.RawMessage, json.RawMessage, json.RawMessage, json.RawMessage]
			if err := readJSON(filepath.Join(dir, name), &report); err != nil {
				return out, err
			}
			if report.Schema == auditjson.Schema && len(report.Settings.Metrics) > 0 {
				out = append(out, scoresOf(report.Scenario.Name, report.Settings, report.Systems, report.Scores))
			}
		}
	}
	return out, nil
}

var globEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// largestReport is the size in bytes of the largest report that is read.
const largestReport = 64 << 20

func readJSON(file string, v any) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, largestReport)).Decode(v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func scoresOf(scenario string, set auditjson.Settings, systems []auditjson.System, all []auditjson.Score) scores {
	s := scores{scenario: scenario, metric: set.Metrics[0]}
	credit := "credit by " + set.Credit
	if set.Credit == "evidence" {
		credit += ", uncovered units " + set.Uncovered
	}
	headline := "undeclared"
	if set.Headline != nil {
		headline = *set.Headline
	}
	s.basis = fmt.Sprintf("%s, population %s, depth %d, headline %s", credit, set.Population, set.Depth, headline)
	targets := append(set.Targets[:len(set.Targets):len(set.Targets)], set.Beside...)
	values := make(map[[2]string]auditjson.Score)
	for _, score := range all {
		if score.Metric == s.metric && score.Subset == set.Population {
			values[[2]string{score.System, score.Target}] = score
		}
	}
	for _, t := range targets {
		if t == headline {
			t += " (headline)"
		}
		s.targets = append(s.targets, t)
	}
	for _, system := range systems {
		s.systems = append(s.systems, system.Name)
		var row []string
		for _, t := range targets {
			cell := "-"
			if score := values[[2]string{system.Name, t}]; score.Value != nil {
				cell = fmt.Sprintf("%.4f (n %d)", *score.Value, score.N)
			}
			row = append(row, cell)
		}
		s.cells = append(s.cells, row)
	}
	return s
}
