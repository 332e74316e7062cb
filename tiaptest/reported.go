package tiaptest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/markdown"
)

// ReportedIn checks a results file, JSON or the tables of a Markdown file. It
// fails for every retrieval metric whose target, crediting, depth, number of
// queries or (when the audit has several) system is not stated, and for every
// value that the audit does not give, to the decimals that are printed. A value
// above 1, or with a percent sign by it or in the head of its column, is a
// percentage. Values of systems and targets that the audit has not are noted; when
// there are no others the rule fails.
//
// In JSON, one value or several in lines, a metric is a member whose name
// [ParseMetric] reads, or an object with "metric" and "value". What it stands
// under is said by members of its object or of one around it (system, target,
// credit, depth, n, population, uncovered), by a "settings" object beside it, or
// by member names that are targets or systems. The JSON report of an audit is
// such a file.
//
// In Markdown, a metric is a column whose head holds its name, alone or with a
// target, as in "canonical nDCG@60"; a number with a sign is a difference and no
// value. The rest is said by columns (system, target, n, ...), or in the text and
// heading above the table, the nearest paragraph first, or in the paragraph below
// it, as in "target canonical, credit by evidence, depth 60, 453 queries". The
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
		v.nothing(fmt.Sprintf("%s: %s", printable(file), readFault(err)))
		return
	}
	file = printable(file)
	c := claims{audit: a}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		err = c.json(text)
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
	var unstated, wrong, strange []string
	checked := 0
	scores := a.scoresOf(c.found)
	for _, claim := range c.found {
		if missing := a.unstated(&claim); len(missing) > 0 {
			unstated = append(unstated, fmt.Sprintf("%s: %s = %s does not state its %s", claim.where, claim.metric, claim.value, strings.Join(missing, ", ")))
			continue
		}
		if lacks := a.lacksFor(claim); lacks != "" {
			strange = append(strange, fmt.Sprintf("%s: %s = %s: the audit has no %s", claim.where, claim.metric, claim.value, lacks))
			continue
		}
		checked++
		if fault := scores.check(claim); fault != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s", claim.where, fault))
		}
	}
	list := func(lines []string) string {
		shown := v.shown(len(lines), shownQueries)
		text := "\n    " + strings.Join(lines[:shown], "\n    ")
		if n := len(lines) - shown; n > 0 {
			text += fmt.Sprintf("\n    and %d more", n)
		}
		return text
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
}

// unstated lists what is not said about a value. The only system of an audit
// need not be named.
func (a *Audit) unstated(c *claim) []string {
	if c.stated["system"] == "" && len(a.r.systems) == 1 {
		c.stated = c.stated.with("system", a.r.systems[0].Name)
	}
	var out []string
	for _, name := range []string{"system", "target", "credit", "n"} {
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
	line  string // of the value that is read, when there are several
	found []claim
}

func (c *claims) json(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return nil
		}
		end := d.InputOffset()
		if err != nil {
			return fmt.Errorf("malformed JSON: %w", err)
		}
		if c.line != "" || len(bytes.TrimSpace(text[end:])) > 0 {
			c.line = fmt.Sprintf("line %d, ", 1+bytes.Count(text[:end], []byte("\n")))
		}
		c.value("", v, statement{})
	}
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
	at := func(name string) string { return strings.TrimPrefix(path+"."+printable(name), ".") }
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if printed := printedIn(o[name]); printed != "" {
			metric, err := ParseMetric(name)
			if name == "value" {
				word, _ := o["metric"].(string)
				metric, err = ParseMetric(word)
			}
			if err == nil {
				c.found = append(c.found, claim{c.line + at(name), metric, printed, stated})
			}
			continue
		}
		inner := stated
		switch {
		case c.isTarget(name):
			inner = stated.with("target", name)
		case c.audit.r.system(name) != nil:
			inner = stated.with("system", name)
		}
		c.value(at(name), o[name], inner)
	}
}

// printedIn is the number between 0 and 100 that a member holds, as it stands in
// the file.
func printedIn(member any) string {
	printed := ""
	switch m := member.(type) {
	case json.Number:
		printed = m.String()
	case string:
		printed = strings.TrimSpace(m)
	}
	if numberIn(printed) != printed {
		return ""
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(printed, "%"), 64)
	if err != nil || f > 100 {
		return ""
	}
	return printed
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

// isTarget reports whether a word names a target, in any case.
func (c *claims) isTarget(word string) bool {
	_, err := parseTarget(strings.ToLower(word))
	return err == nil || c.audit.r.targetCalled(word) >= 0
}

// targetCalled is the number of the target of that name in any case, or -1.
func (r *results) targetCalled(name string) int {
	return slices.IndexFunc(r.targets, func(t Target) bool { return strings.EqualFold(t.name, name) })
}

func (c *claims) markdown(text string) {
	for _, t := range markdown.Tables(text) {
		places := strings.Split(t.Before, "\n\n")
		slices.Reverse(places)
		around := c.prose(append(places, t.Heading, t.After))
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
					if key == "system" && c.audit.r.system(cell) != nil {
						stated[key] = cell
					}
				}
			}
			for i, cell := range row {
				value := numberIn(cell)
				if metrics[i] == nil || value == "" {
					continue
				}
				if strings.Contains(t.Header[i], "%") && !strings.HasSuffix(value, "%") {
					value += "%"
				}
				own := maps.Clone(stated)
				maps.Copy(own, columns[i])
				c.found = append(c.found, claim{fmt.Sprintf("line %d, %s", t.Line+2+n, plainCell(t.Header[i])), *metrics[i], value, own})
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
		switch {
		case err == nil && metric == nil:
			metric = &m
		case c.isTarget(word):
			stated["target"] = word
		}
	}
	return metric, stated
}

// Prose that states something about a table.
var prosePatterns = map[string]*regexp.Regexp{
	"target": regexp.MustCompile(`(?i)\btargets?:? +([a-z]+(?:\([a-z]+\))*)|\b(?:under )?(raw|source|canonical) target\b|\bunder (raw|source|canonical)\b`),
	"credit": regexp.MustCompile(`(?i)\b(?:credit(?:ed|ing)?:?|scored) +(?:by )?(evidence|memory)\b|\bby (evidence|memory)\b`),
	"depth":  regexp.MustCompile(`(?i)\b(?:depth|top)[ :=-]*(\d+)\b`),
	"n":      regexp.MustCompile(`(?i)\bn *= *([\d,]*\d)|\b([\d,]*\d)(?: of [\d,]*\d)? (?:shared |scored |covered )?queries\b`),
}

// prose reads what texts state. The first text that states something counts.
func (c *claims) prose(texts []string) statement {
	s := statement{}
	for key, pattern := range prosePatterns {
		for i := 0; i < len(texts) && s[key] == ""; i++ {
			for _, found := range pattern.FindAllStringSubmatch(texts[i], -1) {
				value := strings.ToLower(strings.Join(found[1:], ""))
				if s[key] == "" && (key != "target" || c.isTarget(value)) {
					s[key] = value
				}
			}
		}
	}
	return s
}

// plainCell is a cell without links and the marks of emphasis and code.
func plainCell(s string) string {
	return strings.TrimSpace(cellMarks.ReplaceAllString(s, "$1$2"))
}

var cellMarks = regexp.MustCompile("\\[([^]]*)\\]\\([^)]*\\)|\\\\([[:punct:]])|[*`]|\\b_+|_+\\b")

var printedNumber = regexp.MustCompile(`^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?`)

// numberIn is the number that a cell starts with; a sign makes it a difference
// and no score.
func numberIn(cell string) string { return printedNumber.FindString(plainCell(cell)) }

// scoreBook looks up the scores that claims are about.
type scoreBook struct {
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
	return scoreBook{r, r.scores(a.shared)}
}

// lacksFor names what a claim is about and the audit has not.
func (a *Audit) lacksFor(c claim) string {
	if system := c.stated["system"]; a.r.system(system) == nil {
		return fmt.Sprintf("system %s", printable(system))
	}
	if target := c.stated["target"]; a.r.targetCalled(target) < 0 {
		return fmt.Sprintf("target %s", printable(target))
	}
	return ""
}

// check says what of a claim does not fit the audit.
func (b scoreBook) check(c claim) (fault string) {
	system, target := c.stated["system"], b.r.targets[b.r.targetCalled(c.stated["target"])].name
	of := fmt.Sprintf("%s of %s under %s", c.metric, system, target)
	for _, s := range []struct{ key, name, own string }{{"credit", "credit", string(b.r.credit)}, {"uncovered", "uncovered units", b.r.uncovered}} {
		if said := c.stated[s.key]; said != "" && strings.TrimPrefix(strings.ToLower(said), "by ") != s.own {
			return fmt.Sprintf("%s stands under %s %s, the audit under %s", of, s.name, printable(said), s.own)
		}
	}
	if depth := c.depth(); c.within(depth) != c.within(b.r.depth) {
		said := cmp.Or(c.stated["depth"], strconv.Itoa(depth))
		return fmt.Sprintf("%s stands at depth %s, the audit at %d", of, printable(said), b.r.depth)
	}
	population := strings.ToLower(c.stated["population"])
	if population == "" {
		population = b.r.population
	}
	i := slices.IndexFunc(b.rows, func(s scoreRow) bool {
		return s.System == system && s.Target == target && s.Subset == population && s.Metric == c.metric.String()
	})
	if i < 0 {
		return fmt.Sprintf("%s: the audit has no population %s", of, printable(population))
	}
	row := b.rows[i]
	if n := strings.ReplaceAll(c.stated["n"], ",", ""); n != strconv.Itoa(row.N) {
		return fmt.Sprintf("%s stands on %s queries, the audit on %d", of, printable(c.stated["n"]), row.N)
	}
	if row.Value == nil {
		return fmt.Sprintf("%s is %s, in the audit undefined", of, c.value)
	}
	if !printsAs(*row.Value, c.value) {
		return fmt.Sprintf("%s is %s, in the audit %.*g", of, c.value, max(6, len(c.value)), *row.Value)
	}
	return ""
}

// depth is the depth that a claim states, 0 for none that can be. The cut-off of
// a metric may state it alone.
func (c *claim) depth() int {
	said := c.stated["depth"]
	if said == "" {
		return c.metric.m.K
	}
	n, _ := strconv.Atoi(said)
	return max(n, 0)
}

// within is how many ranks the metric of a claim looks at in a ranking that is
// cut at a depth.
func (c *claim) within(depth int) int {
	if k := c.metric.m.K; k > 0 {
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
