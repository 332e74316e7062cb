package cli_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/tiaptest"
)

// explained is a bundle in a folder of which every option that has a flag changes the
// report or what is explained.
func explained(t *testing.T, dir string) *tiaptest.Bundle {
	t.Helper()
	b := &tiaptest.Bundle{Scenario: tiaptest.Scenario{Name: "garden", Headline: "canonical"}}
	b.AddTurn("t1", "I planted the pear tree on Sunday.").AddTurn("t2", "Now there are four hives.")
	b.AddQuery("it's q1", "When was the pear tree planted?", "on Sunday").AddQuery("q2", "How many hives are there?", "four hives")
	for i, category := range []string{"when", "how many, exactly"} {
		b.Scenario.Queries[i].Category, b.Scenario.Queries[i].Scope = category, "talk"
	}
	for i, name := range []string{"A", "B", "-k"} {
		s := b.AddSystem(name, "").AddMemory("r1", "raw", "t1").AddMemory("f1", "fact", "t1").AddMemory("r2", "raw", "t2").AddMemory("f2", "fact", "t2")
		order := []string{"r1", "f1", "r2", "f2"}
		lists := []tiaptest.List{{Name: "edges", IDs: order[i:]}, {Name: "nodes", IDs: []string{"f2", "f1"}}}
		for _, q := range b.Scenario.Queries {
			require.NoError(t, s.Ingests[0].Run.Add(tiaptest.Ranking{Query: q.ID, Lists: lists}))
		}
	}
	require.NoError(t, b.WriteDir(dir))
	read, err := tiaptest.Open(dir)
	require.NoError(t, err)
	return read
}

// shellWords are the words that a shell makes of a command.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	out, err := exec.CommandContext(t.Context(), sh, "-c", `printf '%s\0' `+command).Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestExplainCommand goes through every option: the command that explains a query, read
// by the flags, makes the same audit, or there is none and the setting is named.
func TestExplainCommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b")
	b := explained(t, dir)
	const query = "it's q1"
	own := func(name string) tiaptest.Target {
		return tiaptest.NewTarget(name, func(tiaptest.Memory, []tiaptest.Link, tiaptest.Unit) bool { return true })
	}
	passing := tiaptest.Passing("kept", tiaptest.Raw, func(string, tiaptest.Query, tiaptest.Memory) bool { return true })
	labelled := tiaptest.Labelled("supported", tiaptest.Raw, 0, func(string, tiaptest.Query, tiaptest.Memory) tiaptest.Labelling {
		return tiaptest.Labelling{Earns: true}
	})
	finding := tiaptest.Finding{A: "A", B: "B", Metric: tiaptest.Top1(), Targets: [2]tiaptest.Target{tiaptest.Raw, tiaptest.Source}, Reason: "of old"}
	type c struct {
		option tiaptest.Option
		flags  string // as a shell reads them
		unsaid string
	}
	cases := map[string][]c{
		"": {{option: nil}},
		"Depth": {
			{option: tiaptest.Depth(60)},
			{option: tiaptest.Depth(3), flags: "-k 3"},
		},
		"Targets": {
			{option: tiaptest.Targets(tiaptest.Canonical, tiaptest.Exact(tiaptest.Current(tiaptest.Raw))), flags: "-targets 'canonical,exact(current(raw))'"},
			{option: tiaptest.Targets(tiaptest.Canonical, own("own")), unsaid: "target own"},
			{option: tiaptest.Targets(tiaptest.Canonical, own("raw")), unsaid: "target raw"},
			{option: tiaptest.Targets(tiaptest.Canonical, tiaptest.Current(own("raw"))), unsaid: "target current(raw)"},
			{option: tiaptest.Targets(tiaptest.Canonical, passing), unsaid: "target kept(raw)"},
			{option: tiaptest.Targets(tiaptest.Canonical, labelled), unsaid: "target supported(raw)"},
		},
		"Beside": {
			{option: tiaptest.Beside(tiaptest.ValidAt(tiaptest.Source), tiaptest.Inferred(tiaptest.Source)), flags: "-beside 'validat(source),inferred(source)'"},
			{option: tiaptest.Beside(tiaptest.Current(tiaptest.Raw), own("a, b")), unsaid: "target a, b"},
		},
		"Headline": {{option: tiaptest.Headline(tiaptest.Raw), flags: "-headline raw"}},
		"Credit": {
			{option: tiaptest.Credit(tiaptest.ByEvidence)},
			{option: tiaptest.Credit(tiaptest.ByMemory), flags: "-credit memory"},
		},
		"Metrics": {
			{option: tiaptest.Metrics(tiaptest.NDCG(60), tiaptest.Recall(60), tiaptest.MRR(60), tiaptest.Hit(60), tiaptest.MicroRecall(60), tiaptest.Top1())},
			{option: tiaptest.Metrics(tiaptest.RPrec(), tiaptest.AP(2), tiaptest.MicroRecall(3)), flags: "-metrics rprec,ap@2,micro_recall@3"},
		},
		"Uncovered":  {{option: tiaptest.Uncovered("counted"), flags: "-uncovered counted"}},
		"Population": {{option: tiaptest.Population("all"), flags: "-population all"}},
		"Where": {
			{option: tiaptest.Where("when"), flags: "-where when"},
			{option: tiaptest.Where("when", "how many, exactly"), unsaid: "category how many, exactly"},
		},
		"Cluster":   {{option: tiaptest.Cluster(), flags: "-cluster"}},
		"Merge":     {{option: tiaptest.Merge("interleave"), flags: "-merge interleave"}},
		"MinEffect": {{option: tiaptest.MinEffect(0.30000000000000004), flags: "-min-effect 0.30000000000000004"}},
		"Alpha":     {{option: tiaptest.Alpha(1e-7), flags: "-alpha 1e-07"}},
		"Seed":      {{option: tiaptest.Seed(1<<64 - 1), flags: "-seed 18446744073709551615"}},
		"Resamples": {{option: tiaptest.Resamples(100), flags: "-resamples 100"}},
		"Systems": {
			{option: tiaptest.Systems("A", "B"), flags: "-systems A,B"},
			{option: tiaptest.Systems("-k", "B"), flags: "-systems=-k,B"},
		},
		"Known": {{option: tiaptest.Known(finding)}}, // which explains nothing
	}
	for name := range optionsOf(t) {
		assert.NotEmpty(t, cases[name], "option %s", name)
	}
	all := c{option: tiaptest.Options{tiaptest.Resamples(100), tiaptest.Depth(3), tiaptest.Headline(tiaptest.Raw), tiaptest.Where("when")}, flags: "-k 3 -headline raw -where when -resamples 100"}
	cases["Options"] = []c{all}
	for name, of := range cases {
		for _, tt := range of {
			a, err := tiaptest.Rescore(b, tt.option)
			require.NoError(t, err, name)
			command := a.ExplainCommand(query)
			if tt.unsaid != "" {
				assert.Equal(t, "# no flag of tiaptest explain says the "+tt.unsaid+"; call Explain of the audit", command)
				assert.Equal(t, []string{""}, shellWords(t, command))
				continue
			}
			begin := "go tool tiaptest explain '" + dir + `' -query 'it'\''s q1'`
			assert.Equal(t, strings.TrimSpace(begin+" "+tt.flags), command)
			words := shellWords(t, command)
			in := cli.NewInput("tiaptest explain")
			asked := in.Set.String("query", "", "")
			dirs, err := cli.Parse(in.Set, words[4:], io.Discard)
			require.NoError(t, err, command)
			got, err := in.Rescore(dirs)
			require.NoError(t, err, command)
			assert.Equal(t, query, *asked)
			assert.Equal(t, said(t, a, query), said(t, got, query), command)
			if tt.flags != "" { // and they do something
				plain, err := tiaptest.Rescore(b)
				require.NoError(t, err)
				assert.NotEqual(t, said(t, plain, query), said(t, got, query), command)
			}
		}
	}
}

// said is all that an audit reports, and how it explains a query.
func said(t *testing.T, a *tiaptest.Audit, query string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, a.WriteJSON(&b))
	text, err := a.Explain(query)
	require.NoError(t, err)
	return b.String() + text
}

// optionsOf are the functions of package tiaptest that make an Option.
func optionsOf(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../tiaptest/*.go")
	require.NoError(t, err)
	found := make(map[string]bool)
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && result.Name == "Option" {
				found[f.Name.Name] = true
			}
		}
	}
	require.Greater(t, len(found), 10)
	return found
}

// TestExplainCommandInOneLine: what would break the line of a command, or be altered in
// the log of a CI runner, is named in place of the command.
func TestExplainCommandInOneLine(t *testing.T) {
	t.Parallel()
	b := explained(t, filepath.Join(t.TempDir(), "bundle"))
	a, err := tiaptest.Rescore(b)
	require.NoError(t, err)
	assert.Equal(t, `# no flag of tiaptest explain says the query "q\n1"; call Explain of the audit`, a.ExplainCommand("q\n1"))
	assert.True(t, strings.HasPrefix(a.ExplainCommand("##[error]q"), "# no flag"))
	assert.NotContains(t, a.ExplainCommand("q 1"), "# no flag")
	a, err = tiaptest.Rescore(explained(t, filepath.Join(t.TempDir(), "a\u200bb")))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(a.ExplainCommand("q2"), `# no flag of tiaptest explain says the folder "`), a.ExplainCommand("q2"))
}

// TestExplainCommandDash: a folder and a query that a shell would hand over as flags are
// none.
func TestExplainCommandDash(t *testing.T) {
	t.Chdir(t.TempDir())
	b := &tiaptest.Bundle{}
	b.AddTurn("t1", "I planted the pear tree.").AddQuery("-k", "What?", "pear tree")
	b.AddSystem("A", "").AddMemory("r1", "raw", "t1").AddRanking("-k", "r1")
	require.NoError(t, b.WriteDir("-o"))
	read, err := tiaptest.Open("-o")
	require.NoError(t, err)
	a, err := tiaptest.Rescore(read)
	require.NoError(t, err)
	command := a.ExplainCommand("-k")
	assert.Equal(t, "go tool tiaptest explain ./-o -query=-k", command)
	in := cli.NewInput("tiaptest explain")
	asked := in.Set.String("query", "", "")
	dirs, err := cli.Parse(in.Set, strings.Fields(command)[4:], io.Discard)
	require.NoError(t, err)
	got, err := in.Rescore(dirs)
	require.NoError(t, err)
	assert.Equal(t, said(t, a, "-k"), said(t, got, *asked))
}
