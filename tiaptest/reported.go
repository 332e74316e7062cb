package tiaptest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/rank"
	"github.com/tiaptest/tiap/internal/reported"
)

// ReportedIn checks a results file, JSON or the tables of a Markdown file. It
// fails for every retrieval metric whose target, crediting, depth, number of
// queries or (when the audit has several) system is not stated, and for every
// value that the audit does not give, to the decimals that are printed behind a
// point or a comma. A value above 1, or with a percent sign by it or in the head of
// its column, is a percentage. Values of systems and targets that the audit has not
// are noted, and so are numbers by a metric that are not read: those of names such as
// "R@10", and what is no plain number, such as "~0.9"; when there are no others the rule
// fails.
//
// In JSON, one value or several in lines, a metric is a member whose name
// [ParseMetric] reads, which holds the value or an object with values: "value",
// "mean", or by targets or systems. Or it is an object with "metric" and "value"
// or "mean". What it stands under is said by members of its object or of one around it
// (system, target, credit, depth, n, population, uncovered), by a "settings" object
// beside it, or by member names that are targets or systems. The JSON report of an
// audit is such a file.
//
// In Markdown, a metric is a column whose head holds its name, alone or with a
// target, as in "canonical nDCG@60"; a number with a sign is a difference and no
// value, and NaN is the value of what is undefined. The rest is said by columns
// (system, target, n, ...), or in the text and heading above the table, the nearest
// paragraph first, or in the paragraph below it, as in "target canonical, credit by
// evidence, depth 60, 453 queries". The cut-off of a metric states its depth.
//
// The file may end in .gz or .zst. It has at most 64 MiB and 131,072 values.
func ReportedIn(file string) Rule {
	return rule{"ReportedIn(" + file + ")", func(a *Audit, v *verdicts) { verifyReported(a, v, file) }}
}

// unreadMend is how to write what was not read.
const unreadMend = "\n    write metrics as recall@10 and their values as 0.61 or 61%"

func verifyReported(a *Audit, v *verdicts, file string) {
	text, err := readReported(file)
	if err != nil {
		v.nothing(fmt.Sprintf("%s: %s", printable(file), readFault(err)))
		return
	}
	file = printable(file)
	claims, unread, err := reported.Read(text, a.words())
	switch {
	case err != nil:
		v.nothing(fmt.Sprintf("%s: %v", file, err))
		return
	case len(claims)+len(unread) == 0:
		v.nothing(fmt.Sprintf("%s holds no retrieval metric", file))
		return
	}
	list := func(lines []string) string {
		shown := v.shown(len(lines), shownQueries)
		text := "\n    " + strings.Join(lines[:shown], "\n    ")
		if n := len(lines) - shown; n > 0 {
			text += fmt.Sprintf("\n    and %d more", n)
		}
		return text
	}
	if len(claims) == 0 {
		v.nothing(fmt.Sprintf("no value of a retrieval metric in %s is read", file) + list(unread) + unreadMend)
		return
	}
	if len(a.r.systems) == 1 { // the only system need not be named
		for i, claim := range claims {
			if claim.Stated["system"] == "" {
				claims[i].Stated = maps.Clone(claim.Stated)
				claims[i].Stated["system"] = a.r.systems[0].Name
			}
		}
	}
	scores, err := a.scoresOf(claims)
	if err != nil {
		v.nothing(fmt.Sprintf("%s: %v", file, err))
		return
	}
	var unstated, wrong, strange []string
	checked := 0
	for _, claim := range claims {
		if missing := unstatedOf(claim); len(missing) > 0 {
			unstated = append(unstated, fmt.Sprintf("%s: %s = %s does not state its %s", claim.Where, Metric{claim.Metric}, claim.Value, strings.Join(missing, ", ")))
			continue
		}
		if lacks := a.lacksFor(claim); lacks != "" {
			strange = append(strange, fmt.Sprintf("%s: %s = %s: the audit has no %s", claim.Where, Metric{claim.Metric}, claim.Value, lacks))
			continue
		}
		checked++
		if fault := scores.check(claim); fault != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s", claim.Where, fault))
		}
	}
	if n := len(unstated); n > 0 {
		v.add(nil, nil, fmt.Sprintf("%s reports %s without saying under what", file, english.Count(n, "value", "values"))+list(unstated))
	}
	if n := len(wrong); n > 0 {
		v.add(nil, nil, fmt.Sprintf("%s reports %s that the audit does not give", file, english.Count(n, "value", "values"))+list(wrong))
	}
	switch n := len(strange); {
	case n > 0 && checked+len(unstated) == 0:
		v.nothing(fmt.Sprintf("no value of %s is of a system and target of the audit", file) + list(strange))
	case n > 0:
		v.note(nil, nil, fmt.Sprintf("%s in %s not compared", english.Count(n, "value", "values"), file)+list(strange))
	}
	if n := len(unread); n > 0 {
		v.note(nil, nil, fmt.Sprintf("%s in %s not read", english.Count(n, "number by a metric", "numbers by metrics"), file)+list(unread)+unreadMend)
	}
}

// words says what the words of a results file mean to the audit.
func (a *Audit) words() reported.Words {
	return reported.Words{
		Metric: func(name string) (rank.Metric, bool) {
			m, err := ParseMetric(name)
			return m.m, err == nil
		},
		Target: func(name string) bool {
			_, err := parseTarget(strings.ToLower(name))
			return err == nil || a.r.targetCalled(name) >= 0
		},
		System: func(name string) bool { return a.r.system(name) != nil },
	}
}

// readReported reads a results file, which may be compressed.
func readReported(file string) ([]byte, error) {
	f, err := limit.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return lines.ReadAll(file, f, limit.File)
}

// unstatedOf lists what is not said about a value.
func unstatedOf(c reported.Claim) []string {
	var out []string
	for _, name := range []string{"system", "target", "credit", "n"} {
		if c.Stated[name] == "" {
			out = append(out, name)
		}
	}
	if c.Stated["depth"] == "" && c.Metric.K == 0 {
		out = append(out, "depth")
	}
	return out
}

// targetCalled is the number of the target of that name in any case, or -1.
func (r *results) targetCalled(name string) int {
	return slices.IndexFunc(r.targets, func(t Target) bool { return strings.EqualFold(t.name, name) })
}

// scoreBook looks up the scores that claims are about.
type scoreBook struct {
	r    *results // with some of the metrics of the claims
	rows map[scoreKey]*scoreRow
}

type scoreKey struct {
	system, target, population string
	metric                     Metric
}

// scoresOf scores by the metrics of claims, of which only few are held at once.
func (a *Audit) scoresOf(cs []reported.Claim) (scoreBook, error) {
	b := scoreBook{a.r, make(map[scoreKey]*scoreRow)}
	seen := make(map[Metric]bool)
	var metrics []Metric
	for _, c := range cs {
		if !seen[Metric{c.Metric}] {
			seen[Metric{c.Metric}] = true
			metrics = append(metrics, Metric{c.Metric})
		}
		if a.lacksFor(c) == "" {
			b.rows[b.key(c)] = nil
		}
	}
	if len(metrics) > limit.Metrics {
		return b, &limit.Error{What: fmt.Sprintf("it holds values of more than %d metrics", limit.Metrics), Mend: "check the files one by one"}
	}
	for some := range slices.Chunk(metrics, 16) {
		r := a.r.withMetrics(some)
		for i, row := range r.scores(a.shared) {
			key := scoreKey{row.System, row.Target, row.Subset, r.metrics[i%len(r.metrics)]}
			if _, claimed := b.rows[key]; claimed {
				b.rows[key] = &row
			}
		}
	}
	return b, nil
}

// key is what a claim is about, of a system and target that the audit has.
func (b scoreBook) key(c reported.Claim) scoreKey {
	return scoreKey{
		c.Stated["system"], b.r.targets[b.r.targetCalled(c.Stated["target"])].name,
		cmp.Or(strings.ToLower(c.Stated["population"]), b.r.population), Metric{c.Metric},
	}
}

// lacksFor names what a claim is about and the audit has not.
func (a *Audit) lacksFor(c reported.Claim) string {
	if system := c.Stated["system"]; a.r.system(system) == nil {
		return fmt.Sprintf("system %s", printable(system))
	}
	if target := c.Stated["target"]; a.r.targetCalled(target) < 0 {
		return fmt.Sprintf("target %s", printable(target))
	}
	return ""
}

// check says what of a claim does not fit the audit.
func (b scoreBook) check(c reported.Claim) (fault string) {
	key := b.key(c)
	of := fmt.Sprintf("%s of %s under %s", Metric{c.Metric}, key.system, key.target)
	for _, s := range []struct{ key, name, own string }{{"credit", "credit", string(b.r.credit)}, {"uncovered", "uncovered units", b.r.uncovered}} {
		if said := c.Stated[s.key]; said != "" && strings.TrimPrefix(strings.ToLower(said), "by ") != s.own {
			return fmt.Sprintf("%s stands under %s %s, the audit under %s", of, s.name, printable(said), s.own)
		}
	}
	if depth := depthOf(c); within(c, depth) != within(c, b.r.depth) {
		said := cmp.Or(c.Stated["depth"], strconv.Itoa(depth))
		return fmt.Sprintf("%s stands at depth %s, the audit at %d", of, printable(said), b.r.depth)
	}
	row := b.rows[key]
	if row == nil {
		return fmt.Sprintf("%s: the audit has no population %s", of, printable(key.population))
	}
	if row.Value == nil && c.Undefined() {
		return ""
	}
	if n := strings.ReplaceAll(c.Stated["n"], ",", ""); n != strconv.Itoa(row.N) {
		return fmt.Sprintf("%s stands on %s queries, the audit on %d", of, printable(c.Stated["n"]), row.N)
	}
	if row.Value == nil {
		return fmt.Sprintf("%s is %s, in the audit undefined", of, c.Value)
	}
	if !printsAs(*row.Value, c.Value) {
		return fmt.Sprintf("%s is %s, in the audit %.*g", of, c.Value, max(6, len(c.Value)), *row.Value)
	}
	return ""
}

// depthOf is the depth that a claim states, 0 for none that can be. The cut-off of
// a metric may state it alone.
func depthOf(c reported.Claim) int {
	said := c.Stated["depth"]
	if said == "" {
		return c.Metric.K
	}
	n, _ := strconv.Atoi(said)
	return max(n, 0)
}

// within is how many ranks the metric of a claim looks at in a ranking that is
// cut at a depth.
func within(c reported.Claim, depth int) int {
	if k := c.Metric.K; k > 0 {
		return min(k, depth)
	}
	return depth
}

// printsAs reports whether a value rounds to the printed one, which is a percentage
// when it ends in % or exceeds 1.
func printsAs(value float64, printed string) bool {
	digits, percent := strings.CutSuffix(printed, "%")
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return false
	}
	unit := 1.0
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(digits), "e"); ok {
		digits = mantissa
		n, _ := strconv.Atoi(exponent)
		unit = math.Pow10(n)
	}
	if _, fraction, ok := strings.Cut(digits, "."); ok {
		unit *= math.Pow10(-len(fraction))
	}
	if percent || x > 1 {
		x, unit = x/100, unit/100
	}
	return math.Abs(value-x) <= unit/2+1e-12
}
