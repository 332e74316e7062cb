package script

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/tiaptest"
)

// command is one of the commands. Each has the flags of an audit and its own,
// unless it is plain.
type command struct {
	name, usage string
	negatable   bool
	states      bool // a finding, negated or not
	plain       bool // has no flags
	least, most int  // arguments; most < 0 is any number
	own         func(l *line)
	run         func(l *line)
}

var commands = []command{
	{name: "audit", usage: "[flags] [DIR]", negatable: true, run: audit},
	{name: "coverage", usage: "[flags] SYSTEM TARGET [SHARE]", negatable: true, states: true, least: 2, most: 3, run: coverage},
	{name: "explain", usage: "[flags] QUERY", least: 1, most: 1, run: explain},
	{name: "findings", usage: "N", plain: true, least: 1, most: 1, run: findings},
	{name: "flip", usage: "[flags] SYSTEM SYSTEM TARGET TARGET METRIC", negatable: true, states: true, least: 5, most: 5, own: flipFlags, run: flip},
	{name: "gate", usage: "[flags] DIR [VERDICT]", negatable: true, states: true, least: 1, most: 2, own: comparisonFlags, run: gate},
	{name: "golden", usage: "[flags] FILE [VERDICT]", negatable: true, states: true, least: 1, most: 2, own: comparisonFlags, run: goldenFile},
	{name: "prints", usage: "REGEXP", negatable: true, states: true, plain: true, least: 1, most: 1, run: prints},
	{name: "recommend", usage: "[flags] FAMILY TARGET METRIC [SYSTEM]", negatable: true, states: true, least: 3, most: 4, run: recommend},
	{name: "score", usage: "[flags] SYSTEM TARGET METRIC [VALUE]", negatable: true, states: true, least: 3, most: 4, run: score},
	{name: "subset", usage: "[flags] [N [SYSTEM...]]", negatable: true, states: true, most: -1, run: subset},
	{name: "winner", usage: "[flags] SYSTEM [SYSTEM] TARGET METRIC", negatable: true, states: true, least: 3, most: 4, run: winner},
}

// line is a line of a script while it runs.
type line struct {
	*command
	ts     *testscript.TestScript
	neg    bool
	in     *cli.Input
	labels *cli.Support
	dirs   []string // of the bundle: one, or none where the flags name files
	args   []string
	state  *state
	again  string // runs the script again

	comparison *cli.Comparison // of golden and gate
	from       string          // of flip
}

// commands makes the commands ones of testscript.
func (s *scripts) commands() map[string]func(*testscript.TestScript, bool, []string) {
	cmds := make(map[string]func(*testscript.TestScript, bool, []string))
	for _, c := range commands {
		cmds[c.name] = func(ts *testscript.TestScript, neg bool, args []string) {
			l := &line{command: &c, ts: ts, neg: neg, state: s.state(ts), again: s.again(ts.Name())}
			isAudit := c.name == "audit"
			if isAudit {
				l.read(args, nil)
			} else {
				l.read(l.state.audit, args)
			}
			l.run(l)
			if isAudit && !neg { // negated, there is no such audit
				l.state.audit, l.state.dirs = args, nil
				for _, dir := range l.dirs {
					l.state.dirs = append(l.state.dirs, ts.MkAbs(dir))
				}
			}
			if c.states || neg {
				s.held(ts)
			}
		}
	}
	return cmds
}

// read parses the arguments of an audit and those of the line.
func (l *line) read(audit, args []string) {
	if l.neg && !l.negatable {
		l.ts.Fatalf("%s cannot be negated", l.name)
	}
	if l.plain {
		l.args = args
		if len(args) < l.least || len(args) > l.most {
			l.wrongUsage()
		}
		return
	}
	l.in = cli.NewInput(l.name)
	l.in.Path = l.ts.MkAbs
	l.labels = cli.NewSupport(l.in)
	if l.own != nil {
		l.own(l)
	}
	l.in.Set.Usage = func() {
		fmt.Fprintln(l.in.Set.Output(), l.usageLine())
		l.in.Set.PrintDefaults()
	}
	l.dirs = l.parse(audit)
	l.args = joinBounds(l.parse(args))
	if l.name != "audit" && len(l.state.dirs) > 0 && !l.in.NamesFiles() {
		l.dirs = l.state.dirs // wherever cd has led since
	}
	if len(l.dirs) > 1 || len(l.args) < l.least || l.most >= 0 && len(l.args) > l.most {
		l.wrongUsage()
	}
	if len(l.dirs) == 0 && !l.in.NamesFiles() {
		l.dirs = []string{"."}
	}
}

func (l *line) parse(args []string) []string {
	rest, err := cli.Parse(l.in.Set, args, l.ts.Stdout())
	switch {
	case errors.Is(err, flag.ErrHelp):
		l.ts.Fatalf("%s: help was asked for", l.name)
	case err != nil:
		l.ts.Fatalf("%v\n%s", err, l.usageLine())
	}
	return rest
}

func (l *line) usageLine() string {
	bang := ""
	if l.negatable {
		bang = "[!] "
	}
	return "usage: " + bang + l.name + " " + l.usage
}

func (l *line) wrongUsage() { l.ts.Fatalf("%s", l.usageLine()) }

// rescore audits the bundle with the flags of the line, and metric alone if that
// is one. An audit that is not possible ends the script.
func (l *line) rescore(metric string, more ...tiaptest.Option) *audited {
	a, err := l.tryRescore(metric, more...)
	if err != nil {
		l.ts.Fatalf("%s", l.clean(err.Error()))
	}
	return a
}

func (l *line) tryRescore(metric string, more ...tiaptest.Option) (*audited, error) {
	b, openErr := l.in.Open(l.dirs)
	labelErr := l.labels.Read(l.dirs)
	opts, err := l.in.Options(b)
	if metric != "" {
		m, metricErr := tiaptest.ParseMetric(metric)
		opts, err = append(opts, tiaptest.Metrics(m)), errors.Join(err, metricErr)
	}
	if err := errors.Join(openErr, labelErr, err); err != nil {
		return nil, err
	}
	l.rename(b)
	a, err := tiaptest.Rescore(b, append(opts, more...)...)
	if err != nil {
		return nil, err
	}
	return newAudited(a, b)
}

// rename calls what has the name of the script's temporary folder bundle, as
// tiaptest.OpenFS does.
func (l *line) rename(b *tiaptest.Bundle) {
	work := l.ts.Getenv("WORK")
	if len(l.dirs) == 0 || l.ts.MkAbs(l.dirs[0]) != filepath.Clean(work) {
		return
	}
	if b.Scenario.Name == filepath.Base(work) {
		b.Scenario.Name = "bundle"
	}
	if len(b.Systems) == 1 && b.Systems[0].Name == filepath.Base(work) {
		b.Systems[0].Name = "bundle"
	}
}

// clean writes names of files as the script does.
func (l *line) clean(text string) string {
	here := l.ts.MkAbs(".")
	if filepath.Dir(here) == here {
		return text // the root is no part of a name to leave out
	}
	text = strings.ReplaceAll(text, here+string(filepath.Separator), "")
	alone := regexp.MustCompile(regexp.QuoteMeta(here) + `([^\w-]|$)`)
	return alone.ReplaceAllString(text, ".$1")
}

func (l *line) printf(format string, args ...any) {
	fmt.Fprint(l.ts.Stdout(), l.clean(fmt.Sprintf(format, args...)))
}

// judge prints what was found, or ends the script when the line says otherwise.
func (l *line) judge(holds bool, found, expected string) {
	if holds == l.neg {
		if l.neg {
			expected = "otherwise"
		}
		l.ts.Fatalf("%s; expected %s", found, expected)
	}
	l.printf("%s\n", found)
}
