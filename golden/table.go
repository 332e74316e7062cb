package golden

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lock"
	"github.com/tiaptest/tiap/internal/replace"
	"github.com/tiaptest/tiap/tiaptest"
)

// Table keeps a published table true: it fails unless the Markdown file, named from
// the folder of the package, holds the table of the audits between the lines
//
//	<!-- tiap:KEY -->
//	<!-- /tiap:KEY -->
//
// The table has a row for each system and target with the metrics and the number
// of queries, and says crediting, conventions, depth and headline below. With
// TIAP_UPDATE=1 what stands between the two lines is replaced, and nothing else. Lines of
// another table must not stand there.
func Table(tb testing.TB, file, key string, audits ...*tiaptest.Audit) bool {
	tb.Helper()
	failure, log, err := publish(file, key, testCommand(tb), audits)
	switch {
	case err != nil:
		tb.Error(harmless.Lines(fmt.Sprintf("table %s: %v", key, err)))
	case failure != "":
		tb.Error(harmless.Lines(failure))
	}
	if log != "" {
		tb.Log(harmless.Lines(log))
	}
	return err == nil && failure == ""
}

func publish(name, key, command string, audits []*tiaptest.Audit) (failure, log string, err error) {
	update, err := updating()
	if err != nil {
		return "", "", err
	}
	want, err := markdownTable(audits)
	if err != nil {
		return "", "", err
	}
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(home, filepath.FromSlash(name))
	}
	if update {
		// Tables of one file may be written by parallel tests, and by those of several
		// packages.
		writing.Lock()
		defer writing.Unlock()
		release, err := lock.Wait(filepath.Dir(file))
		if err != nil {
			return "", "", unwritten(file, err)
		}
		defer release()
	}
	data, err := limit.ReadFile(file, limit.File)
	if err != nil {
		return "", "", err
	}
	lines := strings.Split(string(data), "\n")
	open, end, err := markers(lines, key)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", name, err)
	}
	have := strings.Trim(strings.ReplaceAll(strings.Join(lines[open+1:end], "\n"), "\r\n", "\n"), "\r\n")
	if have == want {
		return "", "", nil
	}
	if !update {
		return fmt.Sprintf("table %s in %s:%d is not what the audit gives:\n\n%s\n    to accept: %s", key, name, open+1, tableDiff(have, want), command), "", nil
	}
	written := strings.Split("\n"+want+"\n", "\n")
	if strings.HasSuffix(lines[open], "\r") {
		for i := range written {
			written[i] += "\r"
		}
	}
	lines = slices.Replace(lines, open+1, end, written...)
	if err := refuse(file); err != nil {
		return "", "", err
	}
	if err := replace.File(file, []byte(strings.Join(lines, "\n")), nil); err != nil {
		return "", "", unwritten(file, err)
	}
	return "", "table updated: " + name, nil
}

// markers returns the lines of the two markers.
func markers(lines []string, key string) (open, end int, err error) {
	open, end = -1, -1
	first, last := fmt.Sprintf("<!-- tiap:%s -->", key), fmt.Sprintf("<!-- /tiap:%s -->", key)
	for i, line := range lines {
		switch line = strings.TrimSpace(line); {
		case line == first && open >= 0, line == last && end >= 0:
			return 0, 0, fmt.Errorf("line %d: the marker %s stands there a second time; keep one", i+1, line)
		case line == first:
			open = i
		case line == last:
			end = i
		}
	}
	if open < 0 || end < open {
		return 0, 0, fmt.Errorf("it needs the line %s and below it the line %s, where the table is to stand", first, last)
	}
	for i, line := range lines[open+1 : end] {
		if line = strings.TrimSpace(line); marker.MatchString(line) {
			return 0, 0, fmt.Errorf("line %d: the marker %s stands between those of table %s, where an update would remove it; move it above line %d or below line %d", open+i+2, line, key, open+1, end+1)
		}
	}
	return open, end, nil
}

// marker is the line of a marker of any table.
var marker = regexp.MustCompile(`^<!-- */?tiap:.*-->$`)

// tableDiff shows the lines that differ.
func tableDiff(have, want string) string {
	old, now := strings.Split(have, "\n"), strings.Split(want, "\n")
	var b strings.Builder
	for _, l := range old {
		if !slices.Contains(now, l) {
			fmt.Fprintf(&b, "    - %s\n", l)
		}
	}
	for _, l := range now {
		if !slices.Contains(old, l) {
			fmt.Fprintf(&b, "    + %s\n", l)
		}
	}
	if b.Len() == 0 {
		b.WriteString("    the same lines in another order\n")
	}
	return b.String()
}

// markdownTable renders audits as one table.
func markdownTable(audits []*tiaptest.Audit) (string, error) {
	if len(audits) == 0 {
		return "", errors.New("no audit to make a table of")
	}
	var p published
	for _, a := range audits {
		r, err := readReport(a)
		if err != nil {
			return "", err
		}
		p.add(r)
	}
	var b strings.Builder
	writeLine(&b, p.cells("scenario", "system", "target", p.metrics, "n", "conventions"))
	right := slices.Repeat([]string{"---:"}, len(p.metrics))
	writeLine(&b, p.cells("---", "---", "---", right, "---:", "---"))
	for _, r := range p.reports {
		p.rows(&b, r)
	}
	b.WriteString("\nEach score is over n queries")
	if len(p.conventions) == 1 {
		b.WriteString("; " + p.conventions[0])
	}
	b.WriteByte('.')
	return b.String(), nil
}

// published is what a table shows.
type published struct {
	reports              []*report
	metrics, conventions []string // of all, each once
}

func (p *published) add(r *report) {
	p.reports = append(p.reports, r)
	for _, m := range r.Settings.Metrics {
		if !slices.Contains(p.metrics, m) {
			p.metrics = append(p.metrics, m)
		}
	}
	if c := r.conventions(); !slices.Contains(p.conventions, c) {
		p.conventions = append(p.conventions, c)
	}
}

// cells are those of a line. The scenario stands there if there are several audits, and
// so do the conventions, if these have others.
func (p *published) cells(scenario, system, target string, metrics []string, n, conventions string) []string {
	var out []string
	if len(p.reports) > 1 {
		out = append(out, scenario)
	}
	out = append(out, system, target)
	out = append(append(out, metrics...), n)
	if len(p.conventions) > 1 {
		out = append(out, conventions)
	}
	return out
}

// rows writes a line for each system and target of an audit.
func (p *published) rows(b *strings.Builder, r *report) {
	for i := 0; i < len(r.Scores); {
		first := r.Scores[i]
		values := make(map[string]string)
		for ; i < len(r.Scores) && r.Scores[i].System == first.System && r.Scores[i].Target == first.Target && r.Scores[i].Subset == first.Subset; i++ {
			if v := r.Scores[i].Value; v != nil {
				values[r.Scores[i].Metric] = fmt.Sprintf("%.4f", *v)
			}
		}
		if first.Subset != r.Settings.Population {
			continue
		}
		var scores []string
		for _, m := range p.metrics {
			scores = append(scores, cmp.Or(values[m], "-"))
		}
		writeLine(b, p.cells(r.Scenario.Name, first.System, first.Target, scores, fmt.Sprint(first.N), r.conventions()))
	}
}

// inCell keeps a text within its cell.
var inCell = strings.NewReplacer("|", `\|`, "\n", " ")

func writeLine(b *strings.Builder, cells []string) {
	for i, cell := range cells {
		cells[i] = inCell.Replace(cell)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func (r *report) conventions() string {
	id := r.identity()
	return id.conventions()
}
