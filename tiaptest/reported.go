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
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/english"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
	"github.com/tiaptest/tiap/internal/markdown"
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
	text, err := readReported(file)
	if err != nil {
		v.nothing(fmt.Sprintf("%s: %s", printable(file), readFault(err)))
		return
	}
	file = printable(file)
	c := claims{audit: a, said: make(map[string]statement)}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		err = c.json(text)
	} else {
		err = c.markdown(string(text))
	}
	switch {
	case err != nil:
		v.nothing(fmt.Sprintf("%s: %v", file, err))
		return
	case len(c.found)+len(c.missed) == 0:
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
	if len(c.found) == 0 {
		v.nothing(fmt.Sprintf("no value of a retrieval metric in %s is read", file) + list(c.missed) + unreadMend)
		return
	}
	if len(a.r.systems) == 1 { // the only system need not be named
		for i, claim := range c.found {
			if claim.stated["system"] == "" {
				c.found[i].stated = claim.stated.with("system", a.r.systems[0].Name)
			}
		}
	}
	scores, err := a.scoresOf(c.found)
	if err != nil {
		v.nothing(fmt.Sprintf("%s: %v", file, err))
		return
	}
	var unstated, wrong, strange []string
	checked := 0
	for _, claim := range c.found {
		if missing := claim.unstated(); len(missing) > 0 {
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
	if n := len(c.missed); n > 0 {
		v.note(nil, nil, fmt.Sprintf("%s in %s not read", english.Count(n, "number by a metric", "numbers by metrics"), file)+list(c.missed)+unreadMend)
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

// unstated lists what is not said about a value.
func (c *claim) unstated() []string {
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
	audit  *Audit
	line   string // of the value that is read, when there are several
	found  []claim
	missed []string             // numbers by metrics that are not read
	said   map[string]statement // by paragraphs
}

// tooMany says that a file holds more than can be a report.
func tooMany() error {
	return &limit.Error{
		What: fmt.Sprintf("it holds more than %d values to check, or %d others", limit.Reported, 16*limit.Reported),
		Mend: "check a file of results alone, or several",
	}
}

// full reports whether the rest of the file is read no further.
func (c *claims) full() bool { return len(c.found)+len(c.missed) > limit.Reported }

// bounded reports as an error that JSON has more values, or more of them within each
// other, than is read. A value stands first, or behind a comma or a bracket.
func bounded(text []byte) error {
	values, depth := 1, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			values++
			if depth++; depth > limit.Depth {
				return &limit.Error{What: fmt.Sprintf("more than %d JSON values stand within each other", limit.Depth), Mend: "check a file of results"}
			}
		case ']', '}':
			depth--
		case ',', '\n':
			values++
		}
	}
	if values > 16*limit.Reported {
		return tooMany()
	}
	return nil
}

func (c *claims) json(text []byte) error {
	if err := bounded(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if c.full() {
			return tooMany()
		}
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
		c.value("", v, statement{}, nil)
	}
}

// value reads a value with what is stated around it, and the metric that it is of, if
// one is.
func (c *claims) value(path string, v any, around statement, of *Metric) {
	if c.full() {
		return
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			c.value(fmt.Sprintf("%s[%d]", path, i), e, around, of)
		}
	case map[string]any:
		c.object(path, v, around, of)
	}
}

func (c *claims) object(path string, o map[string]any, around statement, of *Metric) {
	stated := maps.Clone(around)
	if settings, ok := o["settings"].(map[string]any); ok {
		stated.take(settings)
	}
	stated.take(o)
	word, named := o["metric"].(string)
	odd := named && resembles(word)
	at := func(name string) string { return lastOf(strings.TrimPrefix(path+"."+printable(name), ".")) }
	for _, name := range slices.Sorted(maps.Keys(o)) {
		inner, metric, said := stated, of, name == "value" || name == "mean"
		switch own := metricCalled(name); {
		case said && odd:
			c.unreadMember(at(name)+" of "+printable(word), o[name], notNamed)
			continue
		case said && named:
			metric = metricCalled(word)
		case own != nil:
			metric, said = own, true
		case c.isTarget(name):
			inner, said = stated.with("target", name), true
		case c.audit.r.system(name) != nil:
			inner, said = stated.with("system", name), true
		case resembles(name):
			c.unreadMember(at(name), o[name], notNamed)
			continue
		}
		before := len(c.found) + len(c.missed)
		if printed := printedIn(o[name]); printed == "" {
			c.value(at(name), o[name], inner, metric)
		} else if said && metric != nil {
			c.found = append(c.found, claim{c.line + at(name), *metric, printed, inner})
		}
		if said && metric != nil && len(c.found)+len(c.missed) == before {
			c.unreadMember(at(name), o[name], whyUnread(o[name]))
		}
	}
}

// metricCalled is the metric of a name, or nil.
func metricCalled(name string) *Metric {
	m, err := ParseMetric(name)
	if err != nil {
		return nil
	}
	return &m
}

// lastOf is the end of a path that is long.
func lastOf(path string) string {
	const most = 200 // bytes
	if len(path) <= most {
		return path
	}
	return "..." + strings.ToValidUTF8(path[len(path)-most:], "")
}

// printedIn is the number between 0 and 100 that a member holds, as it stands in
// the file.
func printedIn(member any) string {
	printed := ""
	switch m := member.(type) {
	case json.Number:
		printed = m.String()
	case string:
		printed = withPoint(strings.TrimSpace(m))
	}
	if isNaN(printed) {
		return printed
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

func (c *claims) markdown(text string) error {
	if strings.Count(text, "|")+strings.Count(text, "\n")+strings.Count(text, "\r") > 16*limit.Reported {
		return tooMany()
	}
	for _, t := range markdown.Tables(text) {
		around := c.prose(slices.Concat(nearest(t.Before), nearest(t.Heading), nearest(t.After)))
		metrics := make([]*Metric, len(t.Header))
		columns := make([]statement, len(t.Header))
		keys := make([]string, len(t.Header)) // what the columns state
		odd := make([]bool, len(t.Header))    // whether what the heads name is no metric and looks like one
		metric := false
		for i, head := range t.Header {
			if metrics[i], columns[i] = c.head(head); metrics[i] == nil {
				keys[i] = statementNames[strings.ToLower(plainCell(head))]
				odd[i] = slices.ContainsFunc(headWords(head), resembles)
			}
			metric = metric || metrics[i] != nil || odd[i]
		}
		for n, row := range t.Rows {
			stated := maps.Clone(around)
			for i, cell := range row {
				if keys[i] == "" {
					continue
				}
				stated[keys[i]] = plainCell(cell)
				if keys[i] == "system" && c.audit.r.system(cell) != nil {
					stated["system"] = cell
				}
			}
			line := t.Line + 2 + n
			if !metric {
				c.unreadRow(line, t.Header, row)
			}
			for i, cell := range row {
				if metrics[i] == nil && !odd[i] {
					continue
				}
				where := fmt.Sprintf("line %d, %s", line, printable(plainCell(t.Header[i])))
				value := numberIn(cell)
				if odd[i] {
					if value != "" {
						c.unread(where, value, notNamed)
					}
					continue
				}
				c.unreadCell(where, cell)
				if value == "" {
					continue
				}
				if strings.Contains(t.Header[i], "%") && !strings.HasSuffix(value, "%") {
					value += "%"
				}
				own := stated
				if len(columns[i]) > 0 {
					own = maps.Clone(stated)
					maps.Copy(own, columns[i])
				}
				c.found = append(c.found, claim{where, *metrics[i], value, own})
			}
			if c.full() {
				return tooMany()
			}
		}
	}
	return nil
}

// nearest are the last paragraphs of a text, the last one first: as many as are read for
// one table.
func nearest(text string) []string {
	const paragraphs, bytes = 100, 64 << 10
	text, whole := text[max(0, len(text)-bytes):], len(text) <= bytes
	var out []string
	for len(out) < paragraphs {
		i := strings.LastIndex(text, "\n\n")
		if i < 0 {
			if whole {
				out = append(out, text)
			}
			break
		}
		out = append(out, text[i+2:])
		text = text[:i]
	}
	return out
}

// head reads the head of a column: a metric, perhaps with a target.
func (c *claims) head(text string) (*Metric, statement) {
	var metric *Metric
	stated := statement{}
	for _, word := range headWords(text) {
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

// headWords are the words in the head of a column.
func headWords(text string) []string {
	words := strings.FieldsFunc(plainCell(text), func(r rune) bool { return strings.ContainsRune(" ,;:/[]↑↓", r) })
	for i, word := range words {
		words[i] = strings.Trim(word, "()")
	}
	return words
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
	for i := 0; i < len(texts) && len(s) < len(prosePatterns); i++ {
		for key, value := range c.saidBy(texts[i]) {
			if s[key] == "" {
				s[key] = value
			}
		}
	}
	return s
}

// saidBy is what a text states.
func (c *claims) saidBy(text string) statement {
	if s, ok := c.said[text]; ok {
		return s
	}
	s := statement{}
	for key, pattern := range prosePatterns {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			value := strings.ToLower(strings.Join(found[1:], ""))
			if s[key] == "" && (key != "target" || c.isTarget(value)) {
				s[key] = value
			}
		}
	}
	c.said[text] = s
	return s
}

// plainCell is a cell without links, tags and the marks of emphasis and code.
func plainCell(s string) string {
	return strings.TrimSpace(cellMarks.ReplaceAllString(s, "$1$2"))
}

var cellMarks = regexp.MustCompile("\\[([^]]*)\\]\\([^)]*\\)|\\\\([[:punct:]])|<su[bp]>[^<]*</su[bp]>|</?[[:alpha:]][^>]*>|[*`$]|\\b_+|_+\\b")

var printedNumber = regexp.MustCompile(`^(?i:nan)\b|^(?:\d+(?:\.\d*|,\d+)?|\.\d+)(?:[eE][-+]?\d+)?%?`)

// honours are marks in front of a number that say nothing about it: the best score, or a
// footnote.
var honours = regexp.MustCompile("^[🏆🏅🥇🥈🥉👑⭐🌟✨★☆✅✔✓†‡§¶#\ufe0f\u200d\\s]+")

// numberIn is the number that a cell starts with, a decimal comma as a point; a
// sign makes it a difference and no score.
func numberIn(cell string) string {
	number, _ := leadingNumber(plainCell(cell))
	return withPoint(number)
}

// leadingNumber cuts a cell behind the number that it starts with.
func leadingNumber(plain string) (number, behind string) {
	plain = honours.ReplaceAllString(plain, "")
	number = printedNumber.FindString(plain)
	return number, plain[len(number):]
}

// isNaN reports whether a value is printed as undefined.
func isNaN(printed string) bool { return strings.EqualFold(strings.TrimSuffix(printed, "%"), "nan") }

func withPoint(number string) string { return strings.Replace(number, ",", ".", 1) }

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
func (a *Audit) scoresOf(cs []claim) (scoreBook, error) {
	b := scoreBook{a.r, make(map[scoreKey]*scoreRow)}
	seen := make(map[Metric]bool)
	var metrics []Metric
	for _, c := range cs {
		if !seen[c.metric] {
			seen[c.metric] = true
			metrics = append(metrics, c.metric)
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
func (b scoreBook) key(c claim) scoreKey {
	return scoreKey{
		c.stated["system"], b.r.targets[b.r.targetCalled(c.stated["target"])].name,
		cmp.Or(strings.ToLower(c.stated["population"]), b.r.population), c.metric,
	}
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
	key := b.key(c)
	of := fmt.Sprintf("%s of %s under %s", c.metric, key.system, key.target)
	for _, s := range []struct{ key, name, own string }{{"credit", "credit", string(b.r.credit)}, {"uncovered", "uncovered units", b.r.uncovered}} {
		if said := c.stated[s.key]; said != "" && strings.TrimPrefix(strings.ToLower(said), "by ") != s.own {
			return fmt.Sprintf("%s stands under %s %s, the audit under %s", of, s.name, printable(said), s.own)
		}
	}
	if depth := c.depth(); c.within(depth) != c.within(b.r.depth) {
		said := cmp.Or(c.stated["depth"], strconv.Itoa(depth))
		return fmt.Sprintf("%s stands at depth %s, the audit at %d", of, printable(said), b.r.depth)
	}
	row := b.rows[key]
	if row == nil {
		return fmt.Sprintf("%s: the audit has no population %s", of, printable(key.population))
	}
	if row.Value == nil && isNaN(c.value) {
		return ""
	}
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
