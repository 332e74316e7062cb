package structure_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const dependencies = root + "/docs/dependencies.md"

// dependency is a module that is compiled: into tiaptest, into the packages and
// the command, or into tests alone.
type dependency struct {
	path, version, dir, into string
}

// compiled are the modules of the packages that are compiled, which are fewer
// than those that go.mod has to know.
func compiled(t *testing.T) []dependency {
	t.Helper()
	found := map[string]dependency{}
	for _, of := range []struct {
		into string
		args []string
	}{
		{"tests", []string{"-deps", "-test", "./..."}},
		{"other packages", []string{"-deps", "./..."}},
		{"tiaptest", []string{"-deps", "./tiaptest"}},
	} {
		args := append([]string{"-f", "{{with .Module}}{{if not .Main}}{{.Path}},{{.Version}},{{.Dir}}{{end}}{{end}}"}, of.args...)
		for _, line := range goList(t, []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}, args...) {
			parts := strings.SplitN(line, ",", 3)
			require.Len(t, parts, 3, line)
			found[parts[0]] = dependency{parts[0], parts[1], parts[2], of.into}
		}
	}
	var out []dependency
	for _, at := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[at])
	}
	return out
}

// licences are recognised by what only they say. SPDX names them.
var licences = []struct {
	name  string
	marks []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license", "version 2.0"}},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "endorse or promote products"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
}

// licenceOf reads the licence of a module from its root; of several texts it
// names each.
func licenceOf(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var names []string
	for _, e := range entries {
		base := strings.ToUpper(strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())))
		if e.IsDir() || !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "LICENSE-APACHE", "LICENSE-MIT"}, base) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		if name := licenceIn(string(text)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%s has no file LICENSE", filepath.Base(dir))
	}
	return strings.Join(names, " and "), nil
}

func licenceIn(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	var found []string
	for _, l := range licences {
		missing := slices.ContainsFunc(l.marks, func(mark string) bool { return !strings.Contains(text, mark) })
		if missing || l.name == "BSD-2-Clause" && slices.Contains(found, "BSD-3-Clause") {
			continue
		}
		found = append(found, l.name)
	}
	if len(found) == 0 {
		return "unknown"
	}
	return strings.Join(found, " and ")
}

// TestDependencies keeps the list of docs/dependencies.md true: the modules that
// are compiled, with their versions and licences. TIAP_UPDATE=1 writes it. All of
// it comes from the module cache.
func TestDependencies(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`# Dependencies

The modules of others that are compiled, by the files LICENSE in their roots: into package tiaptest, and so
into the tests of whoever imports it; into other packages and the command; or into the tests of this module
alone. A test keeps the list; after a change of go.mod write it anew:

    TIAP_UPDATE=1 go test ./internal/structure -run TestDependencies

| module | version | licence | compiled into |
| --- | --- | --- | --- |
`)
	for _, d := range compiled(t) {
		licence, err := licenceOf(d.dir)
		require.NoError(t, err)
		assert.NotContains(t, licence, "unknown", d.path)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", d.path, d.version, licence, d.into)
	}
	if os.Getenv("TIAP_UPDATE") == "1" && os.Getenv("CI") == "" {
		require.NoError(t, os.WriteFile(dependencies, []byte(b.String()), 0o644))
	}
	text, err := os.ReadFile(dependencies)
	require.NoError(t, err)
	assert.Equal(t, b.String(), strings.ReplaceAll(string(text), "\r\n", "\n"))
}

func TestLicenceIn(t *testing.T) {
	t.Parallel()
	const redistribution = "Redistribution and use in source and binary\nforms, with or without modification, are permitted."
	for want, text := range map[string]string{
		"Apache-2.0":   "Apache License\n   Version 2.0, January 2004",
		"MPL-2.0":      "Mozilla Public License Version 2.0",
		"MIT":          "Permission is hereby granted, free of charge, to any person obtaining\na copy",
		"BSD-3-Clause": redistribution + " Neither the name of X may be used to endorse or promote products",
		"BSD-2-Clause": redistribution,
		"unknown":      "GNU GENERAL PUBLIC LICENSE Version 3",
	} {
		assert.Equal(t, want, licenceIn(text))
	}
}
