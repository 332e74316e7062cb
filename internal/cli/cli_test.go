package cli_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/internal/cli"
	"github.com/tiaptest/tiap/tiaptest"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args  string
		rest  string
		k     int
		fault string
	}{
		{args: "", k: 60},
		{args: "a b", rest: "a b", k: 60},
		{args: "-k 5 a b", rest: "a b", k: 5},
		{args: "a -k 5 b", rest: "a b", k: 5},
		{args: "a b --k=5", rest: "a b", k: 5},
		{args: "-k 5 a -k 6", rest: "a", k: 6},
		{args: "a -- -k 5 --", rest: "a -k 5 --", k: 60},
		{args: "- a -k 5", rest: "- a", k: 5},
		{args: "a -x b", fault: "tool do: flag provided but not defined: -x; see tool do -h"},
		{args: "-name x -name=-k a -on -k 5 -name -", rest: "a", k: 5},
		{args: "a -- -name -k --name=", rest: "a -name -k --name=", k: 60},
		{args: "-name -k 5 a", fault: "tool do: -name has no value: the flag -k stands in its place; write -name=-k if that is meant; see tool do -h"},
		{args: "a --name --name=x", fault: "tool do: -name has no value: the flag -name stands in its place; write -name=--name=x if that is meant; see tool do -h"},
		{args: "-name -h", fault: "tool do: -name has no value: the flag -h stands in its place; write -name=-h if that is meant; see tool do -h"},
		{args: "-name= a -k=", fault: "tool do: the value of -name is empty; give one, or leave the flag out; see tool do -h\ntool do: the value of -k is empty; give one, or leave the flag out; see tool do -h"},
		{args: "a -name", fault: "tool do: flag needs an argument: -name; see tool do -h"},
		{args: "a -k b", fault: `tool do: invalid value "b" for flag -k: parse error; see tool do -h`},
	} {
		set := flag.NewFlagSet("tool do", flag.ContinueOnError)
		k := set.Int("k", 60, "")
		set.Bool("on", false, "")
		set.String("name", "", "")
		var out bytes.Buffer
		rest, err := cli.Parse(set, strings.Fields(tt.args), &out)
		assert.Empty(t, out.String(), tt.args)
		if tt.fault != "" {
			assert.EqualError(t, err, tt.fault)
			continue
		}
		require.NoError(t, err, tt.args)
		assert.Equal(t, tt.rest, strings.Join(rest, " "), tt.args)
		assert.Equal(t, tt.k, *k, tt.args)
	}
	set := flag.NewFlagSet("tool do", flag.ContinueOnError)
	set.String("name", "", "")
	_, err := cli.Parse(set, []string{"-name", "", "a"}, nil)
	require.EqualError(t, err, "tool do: the value of -name is empty; give one, or leave the flag out; see tool do -h")
}

func TestParseHelp(t *testing.T) {
	t.Parallel()
	in := cli.NewInput("tool do")
	var out bytes.Buffer
	_, err := cli.Parse(in.Set, []string{"-h"}, &out)
	require.ErrorIs(t, err, flag.ErrHelp)
	assert.True(t, strings.HasPrefix(out.String(), "usage: tool do [flags] DIR\n       tool do [flags] -records FILE -trace FILE\n"), out.String())

	in.Describe(" -query ID", "Does it.\n")
	out.Reset()
	_, err = cli.Parse(in.Set, []string{"-help"}, &out)
	require.ErrorIs(t, err, flag.ErrHelp)
	assert.True(t, strings.HasPrefix(out.String(), "usage: tool do [flags] DIR -query ID\n       tool do [flags] -records FILE -trace FILE -query ID\n"+
		"       tool do [flags] -qrels TARGET=FILE -run FILE -query ID\nDoes it.\n  -alpha level\n"), out.String())

	// What help says of metrics is what there is, and what is done without them.
	_, metrics, _ := strings.Cut(out.String(), "    \tcompute these metrics, as ndcg@10,recall@10: ")
	metrics, defaults, _ := strings.Cut(metrics, "; default ")
	cuts, whole, ok := strings.Cut(metrics, ", with @depth or without, ")
	require.True(t, ok, metrics)
	parses := func(name string) bool {
		_, err := tiaptest.ParseMetric(name)
		return err == nil
	}
	list := regexp.MustCompile(`, | and `)
	for _, name := range list.Split(cuts, -1) {
		assert.True(t, parses(name) && parses(name+"@5"), name)
	}
	for _, name := range list.Split(whole, -1) {
		assert.True(t, parses(name) && !parses(name+"@5"), name)
	}
	assert.True(t, strings.HasPrefix(defaults, "ndcg, recall, mrr, hit and micro_recall at -k, and top1\n"), defaults)
}

// TestPath checks that every name of a file or folder is resolved.
func TestPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"queries.jsonl": `{"id": "q1", "evidence": ["t1"]}`,
		"store.jsonl":   `{"id": "m1", "form": "raw", "sources": ["t1"]}`,
		"run.jsonl":     `{"query": "q1", "ranking": ["m1"]}`,
		"qrels":         "q1 0 m1 1",
		"run":           "q1 Q0 m1 1 1 a",
		"records.jsonl": `{"query_id": "q1", "raw_ids": ["m1"], "source_ids": ["m1"], "canonical_ids": []}`,
		"trace.jsonl":   `{"system": "a", "query_id": "q1", "retrieved_id": "m1", "rank": 1}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o666))
	}
	for args, files := range map[string]bool{
		".":                         false,
		"-qrels raw=qrels -run run": true,
		"-records records.jsonl -trace trace.jsonl": true,
	} {
		in := cli.NewInput("tool do")
		in.Path = func(name string) string { return filepath.Join(dir, name) }
		dirs, err := cli.Parse(in.Set, strings.Fields(args), nil)
		require.NoError(t, err, args)
		assert.Equal(t, files, in.NamesFiles(), args)
		a, err := in.Rescore(dirs)
		require.NoError(t, err, args)
		assert.Equal(t, 1, a.Shared().N, args)
	}
}

// TestTarget checks that every name of a target is read by the given function.
func TestTarget(t *testing.T) {
	t.Parallel()
	in := cli.NewInput("tool do")
	var names []string
	in.Target = func(b *tiaptest.Bundle, name string) (tiaptest.Target, error) {
		assert.NotNil(t, b)
		names = append(names, name)
		return tiaptest.Target{}, errors.New(name + " is refused")
	}
	_, err := cli.Parse(in.Set, strings.Fields("-targets a,b -beside c -headline d"), nil)
	require.NoError(t, err)
	_, err = in.Options(nil)
	require.EqualError(t, err, "a is refused\nb is refused\nc is refused\nd is refused")
	assert.Equal(t, []string{"a", "b", "c", "d"}, names)
}

func TestComparison(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":            "tolerance 0.01; min effect 0.001",
		"-fixed-runs": "tolerance 0.01; min effect 0.001; fixed runs",
		"-fail-on improved -report-only winner-flip,tie -tolerance 1 -effect 0": "fail on improved; report only winner-flip,tie; tolerance 1; min effect 0",
		"-tolerance -0.1 -effect 1": "",
		"-tolerance nan":            "",
	} {
		set := flag.NewFlagSet("tool do", flag.ContinueOnError)
		c := cli.NewComparison(set)
		_, err := cli.Parse(set, strings.Fields(args), nil)
		require.NoError(t, err, args)
		opts, err := c.Options()
		if want == "" {
			assert.ErrorContains(t, err, "tool do: -tolerance ", args)
			continue
		}
		require.NoError(t, err, args)
		var texts []string
		for _, o := range opts {
			texts = append(texts, o.String())
		}
		assert.Equal(t, want, strings.Join(texts, "; "), args)
	}
}

// TestSupport reads the labels of a bundle, counts them by the rules, and names
// targets after these.
func TestSupport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	read := func(args string) (*cli.Support, error) {
		in := cli.NewInput("tool do")
		in.Path = func(name string) string { return filepath.Join(dir, name) }
		s := cli.NewSupport(in)
		dirs, err := cli.Parse(in.Set, strings.Fields(args), nil)
		require.NoError(t, err)
		s.Undecided = strings.Contains(args, "undecided")
		err = s.Read(dirs[:1])
		if err == nil {
			_, err = in.Options(nil)
		}
		return s, err
	}
	_, err := read(". -beside supported(source)")
	require.ErrorContains(t, err, "target supported(source) needs support labels")
	write("labels.jsonl", `{"query":"q","system":"a","memory":"m","judge":"ann","kind":"human","label":"supports"}`+"\n"+`{"query":"q","system":"a","memory":"m","judge":"x","kind":"model","model":"x-1","label":"partial"}`+"\n")
	for args, want := range map[string]int{". ": 0, ". -beside supported(source)": 2, ". -headline supported+partial(source) -label-rule kind=human": 2} {
		s, err := read(args)
		require.NoError(t, err, args)
		if want == 0 {
			assert.Nil(t, s.Labels, args)
			continue
		}
		assert.Equal(t, want, s.Labels.Len(), args)
	}
	_, err = read(". -beside supported(source) -label-rule adjudicator=eve")
	require.EqualError(t, err, "tool do: -label-rule: no label is of adjudicator eve; there are labels of ann, x")
	s, err := read(". undecided -beside supported(source) -label-rule adjudicator=eve")
	require.NoError(t, err)
	assert.Equal(t, "eve", s.Rules.Adjudicator)
	write("labels.jsonl.gz", "")
	_, err = read(". -beside supported(source)")
	require.EqualError(t, err, filepath.Join(dir, "labels.jsonl")+": the file exists as labels.jsonl and labels.jsonl.gz; keep one of them")
}

// TestTargetsWithRules reads lists of names that hold commas.
func TestTargetsWithRules(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		"a,b":                    {"a", "b"},
		"a, b[x,y](c),d":         {"a", "b[x,y](c)", "d"},
		`s[j="a,]\"[",k=x](c),d`: {`s[j="a,]\"[",k=x](c)`, "d"},
		`s[j="a]",k=x](c),d`:     {`s[j="a]",k=x](c)`, "d"},
		"a],b":                   {"a]", "b"},
		"a,":                     {"a", ""},
	} {
		in := cli.NewInput("tool do")
		var names []string
		in.Target = func(_ *tiaptest.Bundle, name string) (tiaptest.Target, error) {
			names = append(names, name)
			return tiaptest.Raw, nil
		}
		_, err := cli.Parse(in.Set, []string{"-targets", list}, nil)
		require.NoError(t, err)
		_, err = in.Options(nil)
		require.NoError(t, err)
		assert.Equal(t, want, names, list)
	}
}
