package tiaptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/markdown"
)

// ReportedIn checks a results file, JSON or the tables of a Markdown file. It
// fails for every retrieval metric whose target, crediting, depth or number of
// queries is not stated, and for every value that the audit does not give (to
// the decimals that are printed).
//
// In JSON, a metric is a member whose name [ParseMetric] reads, or an object with
// "metric" and "value". What it stands under is said by members of its object or
// of one around it (system, target, credit, depth, n, population, uncovered), by
// a "settings" object beside it, or by member names that are targets or systems.
// The JSON report of an audit is such a file.
//
// In Markdown, a metric is a column whose head holds its name, alone or with a
// target, as in "canonical nDCG@60". The rest is said by columns (system, target,
// n, ...), or in the heading and text above the table or the paragraph below it,
// as in "target canonical, credit by evidence, depth 60, 453 queries". The
// cut-off of a metric states its depth.
func ReportedIn(file string) Rule {
	return rule{"ReportedIn(" + file + ")", func(a *Audit, v *verdicts) { verifyReported(a, v, file) }}
}

// claim is one reported value with what is stated about it.
type claim struct {
	where  string
	metric Metric
	value  string // as printed
	stated statement
}

// statement says what a value stands under, by the names of statementNames.
type statement map[string]string

var statementNames = map[string]string{
	"system": "system", "name": "system", "model": "system",
	"target": "target", "scoring target": "target", "scoring_target": "target",
	"credit": "credit", "crediting": "credit",
	"depth": "depth", "k": "depth", "top_k": "depth",
	"n": "n", "queries": "n",
	"population": "population", "subset": "population",
	"uncovered": "uncovered",
}

func verifyReported(a *Audit, v *verdicts, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		v.nothing(fmt.Sprintf("%s: %s", file, readFault(err)))
		return
	}
	c := claims{audit: a}
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		err = c.json(trimmed)
	} else {
		c.markdown(string(text))
	}
	switch {
	case err != nil:
		v.nothing(fmt.Sprintf("%s: %v", file, err))
		return
	case len(c.found) == 0:
		v.nothing(fmt.Sprintf("%s holds no retrieval metric", file))
		return
	}
	var unstated, wrong []string
	checked := 0
	scores := a.scoresOf(c.found)
	for _, claim := range c.found {
		if missing := claim.unstated(); len(missing) > 0 {
			unstated = append(unstated, fmt.Sprintf("%s: %s = %s does not state its %s", claim.where, claim.metric, claim.value, strings.Join(missing, ", ")))
			continue
		}
		compared, fault := scores.check(claim)
		if fault != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s", claim.where, fault))
		}
		if compared {
			checked++
		}
	}
	report := func(head string, lines []string) {
		if len(lines) == 0 {
			return
		}
		shown := v.shown(len(lines), shownQueries)
		text := head + "\n    " + strings.Join(lines[:shown], "\n    ")
		if n := len(lines) - shown; n > 0 {
			text += fmt.Sprintf("\n    and %d more", n)
		}
		v.add(nil, nil, text)
	}
	report(fmt.Sprintf("%s reports %s without what they stand under", file, plural(len(unstated), "value", "values")), unstated)
	report(fmt.Sprintf("%s reports %s that the audit does not give", file, plural(len(wrong), "value", "values")), wrong)
	if checked == 0 && len(v.found) == 0 {
		v.note(nil, nil, fmt.Sprintf("no value of %s could be compared: the audit has none of its systems and targets", file))
	}
}

// unstated lists what is not said about a value.
func (c *claim) unstated() []string {
	var out []string
	for _, name := range []string{"target", "credit", "n"} {
		if c.stated[name] == "" {
			out = append(out, name)
		}
	}
	if c.stated["depth"] == "" && c.metric.m.K == 0 {
		out = append(out, "depth")
	}
	return out
}

// claims collects the claims of a file.
type claims struct {
	audit *Audit
	found []claim
}

func (c *claims) json(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("malformed JSON: %w", err)
	}
	c.value("", v, statement{})
	return nil
}

func (c *claims) value(path string, v any, around statement) {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			c.value(fmt.Sprintf("%s[%d]", path, i), e, around)
		}
	case map[string]any:
		c.object(path, v, around)
	}
}

func (c *claims) object(path string, o map[string]any, around statement) {
	stated := maps.Clone(around)
	if settings, ok := o["settings"].(map[string]any); ok {
		stated.take(settings)
	}
	stated.take(o)
	at := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if number, ok := o[name].(json.Number); ok {
			metric, err := ParseMetric(name)
			if name == "value" {
				word, _ := o["metric"].(string)
				metric, err = ParseMetric(word)
			}
			if f, _ := number.Float64(); err == nil && f >= 0 && f <= 1 {
				c.found = append(c.found, claim{at(name), metric, number.String(), stated})
			}
			continue
		}
		inner := stated
		switch {
		case c.audit.r.target(name) >= 0 || isTarget(name):
			inner = stated.with("target", name)
		case c.audit.r.system(name) != nil:
			inner = stated.with("system", name)
		}
		c.value(at(name), o[name], inner)
	}
}

// take reads the members that state something.
func (s statement) take(o map[string]any) {
	for name, v := range o {
		key := statementNames[strings.ToLower(name)]
		if key == "" {
			continue
		}
		switch v := v.(type) {
		case string:
			s[key] = v
		case json.Number:
			s[key] = v.String()
		}
	}
}

func (s statement) with(key, value string) statement {
	s = maps.Clone(s)
	s[key] = value
	return s
}

func isTarget(name string) bool {
	_, err := parseTarget(name)
	return err == nil
}

func (c *claims) markdown(text string) {
	for _, t := range markdown.Tables(text) {
		around := c.prose(t.Heading + "\n" + t.Before + "\n" + t.After)
		metrics := make([]*Metric, len(t.Header))
		columns := make([]statement, len(t.Header))
		for i, head := range t.Header {
			metrics[i], columns[i] = c.head(head)
		}
		for n, row := range t.Rows {
			stated := maps.Clone(around)
			for i, cell := range row {
				if key := statementNames[strings.ToLower(plainCell(t.Header[i]))]; key != "" && metrics[i] == nil {
					stated[key] = plainCell(cell)
				}
			}
			for i, cell := range row {
				if metrics[i] == nil || numberIn(cell) == "" {
					continue
				}
				own := maps.Clone(stated)
				maps.Copy(own, columns[i])
				c.found = append(c.found, claim{fmt.Sprintf("line %d, %s", t.Line+2+n, plainCell(t.Header[i])), *metrics[i], numberIn(cell), own})
			}
		}
	}
}

// head reads the head of a column: a metric, perhaps with a target.
func (c *claims) head(text string) (*Metric, statement) {
	var metric *Metric
	stated := statement{}
	for _, word := range strings.FieldsFunc(plainCell(text), func(r rune) bool { return strings.ContainsRune(" ,;:/[]↑↓", r) }) {
		word = strings.Trim(word, "()")
		m, err := ParseMetric(word)
		switch lower := strings.ToLower(word); {
		case err == nil && metric == nil:
			metric = &m
		case c.audit.r.target(lower) >= 0 || isTarget(lower):
			stated["target"] = lower
		}
	}
	return metric, stated
}

// Prose that states something about a table.
var (
	proseTarget = regexp.MustCompile(`(?i)\btargets?:? +([a-z]+(?:\([a-z]+\))?)|\b(?:under )?(raw|source|canonical) target\b|\bunder (raw|source|canonical)\b`)
	proseCredit = regexp.MustCompile(`(?i)\b(?:credit(?:ed|ing)?:?|scored) +(?:by )?(evidence|memory)\b|\bby (evidence|memory)\b`)
	proseDepth  = regexp.MustCompile(`(?i)\b(?:depth|top)[ :=-]*(\d+)\b`)
	proseN      = regexp.MustCompile(`(?i)\bn *= *([\d,]+)|\b([\d,]+) (?:shared |scored |covered )?queries\b`)
)

func (c *claims) prose(text string) statement {
	s := statement{}
	for key, pattern := range map[string]*regexp.Regexp{"target": proseTarget, "credit": proseCredit, "depth": proseDepth, "n": proseN} {
		if found := pattern.FindStringSubmatch(text); found != nil {
			value := strings.ToLower(strings.Join(found[1:], ""))
			if key == "target" && c.audit.r.target(value) < 0 && !isTarget(value) {
				continue
			}
			s[key] = value
		}
	}
	return s
}

// plainCell is a cell without the marks of emphasis and code.
func plainCell(s string) string {
	return strings.TrimSpace(strings.NewReplacer("*", "", "`", "", "__", "").Replace(s))
}

var printedNumber = regexp.MustCompile(`^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?`)

// numberIn is the number that a cell starts with.
func numberIn(cell string) string { return printedNumber.FindString(plainCell(cell)) }

// scoreBook looks up the scores that claims are about.
type scoreBook struct {
	a    *Audit
	r    *results // with the metrics of the claims
	rows []scoreRow
}

func (a *Audit) scoresOf(cs []claim) scoreBook {
	var metrics []Metric
	for _, c := range cs {
		if !slices.Contains(metrics, c.metric) {
			metrics = append(metrics, c.metric)
		}
	}
	r := a.r.withMetrics(metrics)
	return scoreBook{a, r, r.scores(a.shared)}
}

// check compares a claim with the audit. It reports whether the audit has the
// score, and what does not fit.
func (b scoreBook) check(c claim) (compared bool, fault string) {
	system := c.stated["system"]
	if system == "" && len(b.r.systems) == 1 {
		system = b.r.systems[0].Name
	}
	if system == "" {
		return false, fmt.Sprintf("%s = %s does not state its system", c.metric, c.value)
	}
	target := strings.ToLower(c.stated["target"])
	if b.r.system(system) == nil || b.r.target(target) < 0 {
		return false, ""
	}
	of := fmt.Sprintf("%s of %s under %s", c.metric, system, target)
	for _, s := range []struct{ key, own string }{{"credit", string(b.r.credit)}, {"uncovered", b.r.uncovered}} {
		if said := c.stated[s.key]; said != "" && strings.TrimPrefix(strings.ToLower(said), "by ") != s.own {
			return true, fmt.Sprintf("%s stands under %s %s, the audit under %s", of, s.key, said, s.own)
		}
	}
	if depth := c.stated["depth"]; depth != "" && depth != strconv.Itoa(b.r.depth) && depth != strconv.Itoa(c.metric.m.K) {
		return true, fmt.Sprintf("%s stands at depth %s, the audit at %d", of, depth, b.r.depth)
	}
	population := c.stated["population"]
	if population == "" {
		population = b.r.population
	}
	i := slices.IndexFunc(b.rows, func(s scoreRow) bool {
		return s.System == system && s.Target == target && s.Subset == population && s.Metric == c.metric.String()
	})
	if i < 0 {
		return true, fmt.Sprintf("%s: the audit has no population %s", of, population)
	}
	row := b.rows[i]
	if n := strings.ReplaceAll(c.stated["n"], ",", ""); n != strconv.Itoa(row.N) {
		return true, fmt.Sprintf("%s stands on %s queries, the audit on %d", of, c.stated["n"], row.N)
	}
	if row.Value == nil {
		return true, fmt.Sprintf("%s is %s, in the audit undefined", of, c.value)
	}
	if !printsAs(*row.Value, c.value) {
		return true, fmt.Sprintf("%s is %s, in the audit %.6g", of, c.value, *row.Value)
	}
	return true, ""
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
