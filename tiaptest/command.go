package tiaptest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tiaptest/tiap/internal/auditjson"
	"github.com/tiaptest/tiap/internal/harmless"
	"github.com/tiaptest/tiap/internal/shell"
)

// ExplainCommand returns the shell command that explains a query by the settings of this
// audit, or "" when the bundle was not read from a folder. Where no flag says a setting,
// such as a target that a function decides, or a name would not stand in the command as
// it is, the result is a comment for the shell that says so: [Audit.Explain] has to be
// called then. Known findings, which change nothing that it says, are not among the flags.
func (a *Audit) ExplainCommand(query string) string {
	dir := a.r.bundle.dir
	if dir == "" {
		return ""
	}
	words, unsaid := a.asked.flags()
	switch {
	case !inOneLine(dir):
		unsaid = "folder " + printable(dir)
	case !inOneLine(query):
		unsaid = "query " + printable(query)
	}
	if unsaid != "" {
		return "# no flag of tiaptest explain says the " + unsaid + "; call Explain of the audit"
	}
	if strings.HasPrefix(dir, "-") { // which would be read as a flag
		dir = "./" + dir
	}
	words = slices.Concat([]string{"go", "tool", "tiaptest", "explain", dir}, flagWords("query", query), words)
	for i, word := range words {
		words[i] = shell.Quote(word)
	}
	return strings.Join(words, " ")
}

// flags are the flags of the command that give these settings for the bundle of a folder,
// as words that are not quoted yet, in the order in which package internal/cli defines
// them. What is as the defaults is left out. unsaid names a setting that no flag says, ""
// if there is none.
func (s *settings) flags() (words []string, unsaid string) {
	d := auditjson.Defaults()
	add := func(name, value string) { words = append(words, flagWords(name, value)...) }
	// list adds names, which the command separates by commas and frees of spaces.
	list := func(name, of string, values []string) {
		for _, v := range values {
			if v == "" || v != strings.TrimSpace(v) || strings.Contains(v, ",") || !inOneLine(v) {
				unsaid = cmp.Or(unsaid, of+" "+printable(v))
			}
		}
		add(name, strings.Join(values, ","))
	}
	targets := func(name string, ts []Target) {
		for _, t := range ts {
			if u, err := parseTarget(t.name); err != nil || t.rule() != u.rule() {
				unsaid = cmp.Or(unsaid, "target "+printable(t.name))
			}
		}
		list(name, "target", texts(ts))
	}
	if s.depth != d.Depth {
		add("k", strconv.Itoa(s.depth))
	}
	if s.targets != nil {
		targets("targets", s.targets)
	}
	if len(s.beside) > 0 {
		targets("beside", s.beside)
	}
	if s.headline != "" {
		list("headline", "target", []string{s.headline})
	}
	if s.metrics != nil && !slices.Equal(s.metrics, usualMetrics(s.depth)) {
		list("metrics", "metric", texts(s.metrics))
	}
	if s.credit != "" && s.credit != ByEvidence { // that of a folder
		add("credit", string(s.credit))
	}
	if s.uncovered != d.Uncovered {
		add("uncovered", s.uncovered)
	}
	if s.population != d.Population {
		add("population", s.population)
	}
	if s.merge != d.Merge {
		add("merge", s.merge)
	}
	if s.categories != nil {
		list("where", "category", s.categories)
	}
	if s.systems != nil {
		list("systems", "system", s.systems)
	}
	if s.cluster {
		words = append(words, "-cluster")
	}
	if s.minEffect != d.MinEffect {
		add("min-effect", decimal(s.minEffect))
	}
	if s.alpha != d.Alpha {
		add("alpha", decimal(s.alpha))
	}
	if s.seed != d.Seed {
		add("seed", strconv.FormatUint(s.seed, 10))
	}
	if s.resamples != d.Resamples {
		add("resamples", strconv.Itoa(s.resamples))
	}
	return words, unsaid
}

// inOneLine reports whether a word can be told in a message as it is.
func inOneLine(word string) bool {
	return !strings.ContainsFunc(word, harmless.Hidden) && harmless.Guard(word) == word
}

// flagWords are a flag with its value, in one word where the value could be read as a
// flag.
func flagWords(name, value string) []string {
	if strings.HasPrefix(value, "-") {
		return []string{"-" + name + "=" + value}
	}
	return []string{"-" + name, value}
}
