package summary

import (
	"bufio"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Places finds the files that the output of tests and builds names. The zero value
// finds none.
type Places struct {
	dir     string            // where go test was run, absolute
	root    string            // of the repository
	module  string            // path of the module that dir is in; "" without one
	home    string            // its folder
	modules map[string]string // folders of it and of those that go.work uses, by path
}

// FindPlaces looks around from a folder. The modules are that of the nearest go.mod
// above and those that the nearest go.work above uses. The repository is the workspace
// of the runner, when that is not empty, or else begins at the nearest folder above
// that holds .git; without one it is the folder of go.work, or else of go.mod.
func FindPlaces(dir, workspace string) Places {
	p := Places{dir: dir, root: workspace, modules: make(map[string]string)}
	work := "" // folder of go.work
	for d := dir; ; d = filepath.Dir(d) {
		if work == "" {
			if text, err := os.ReadFile(filepath.Join(d, "go.work")); err == nil {
				work = d
				p.use(d, string(text))
			}
		}
		if p.home == "" {
			if module := modulePath(filepath.Join(d, "go.mod")); module != "" {
				p.module, p.home = module, d
			}
		}
		if p.root == "" {
			if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
				p.root = d
			}
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	if p.module != "" {
		p.modules[p.module] = p.home
	}
	p.root = cmp.Or(p.root, work, p.home)
	return p
}

// use takes in the modules that the text of a go.work in a folder uses.
func (p Places) use(dir, text string) {
	for _, home := range usedFolders(text) {
		if !filepath.IsAbs(home) {
			home = filepath.Join(dir, filepath.FromSlash(home))
		}
		if module := modulePath(filepath.Join(home, "go.mod")); module != "" {
			p.modules[module] = home
		}
	}
}

// usedFolders reads the use directives of a go.work (go.dev/ref/mod#workspaces).
func usedFolders(text string) []string {
	var out []string
	inBlock := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		folder := strings.TrimSpace(line)
		if !inBlock {
			rest, ok := strings.CutPrefix(folder, "use")
			folder = strings.TrimSpace(rest)
			if folder == "(" {
				inBlock = ok
				continue
			}
			if !ok || folder == rest { // another directive
				continue
			}
		} else if folder == ")" {
			inBlock = false
			continue
		}
		if name, err := strconv.Unquote(folder); err == nil {
			folder = name
		}
		if folder != "" {
			out = append(out, folder)
		}
	}
	return out
}

// modulePath reads the module line of a go.mod; "" when there is none.
func modulePath(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) >= 2 && fields[0] == "module" {
			if name, err := strconv.Unquote(fields[1]); err == nil {
				return name
			}
			return fields[1]
		}
	}
	return ""
}

// short is the path of a package within its module.
func (p Places) short(pkg string) string {
	if p.module == "" {
		return pkg
	}
	if pkg == p.module {
		return path.Base(pkg)
	}
	return strings.TrimPrefix(pkg, p.module+"/")
}

// deepest is the number of parts that the path of a package may have.
const deepest = 100

// folder is the folder of a package; "" for one of a foreign module. Of modules within
// each other it is the innermost that a package belongs to.
func (p Places) folder(pkg string) string {
	if strings.Count(pkg, "/") > deepest {
		return ""
	}
	for module := pkg; module != ""; module = module[:max(strings.LastIndexByte(module, '/'), 0)] {
		if home := p.modules[module]; home != "" {
			return filepath.Join(home, filepath.FromSlash(pkg[len(module):]))
		}
	}
	return ""
}

// file names a file relative to the repository, if it is one of its files. A name
// that is not absolute is relative to the folder.
func (p Places) file(folder, name string) (string, bool) {
	if !filepath.IsAbs(name) {
		if folder == "" {
			return "", false
		}
		name = filepath.Join(folder, name)
	}
	rel, err := filepath.Rel(p.root, name)
	if p.root == "" || err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

var (
	// logged is the beginning of what a test logs: the name of a file without its
	// folder, or with it under -fullpath.
	logged = regexp.MustCompile(`^ {4}(\S[^:]*\.go):(\d+): `)
	// built is the beginning of what the compiler or vet says.
	built = regexp.MustCompile(`^([^\s:][^:]*\.go):(\d+):(?:\d+:)? `)
	// framed is a frame of a stack.
	framed = regexp.MustCompile(`^\t(/[^:]*\.go):(\d+)(?: \+0x[0-9a-f]+.*)?$`)
)

// place is where something was said, and what.
type place struct {
	file    string // relative to the repository; "" when not known
	line    int
	message string
}

// test finds the first line of a test's output that a file of the package logged, or
// a frame of a stack that is one of the repository's. A known finding, which fails
// nothing, is taken when nothing else was logged.
func (p Places) test(pkg, output string) place {
	folder := p.folder(pkg)
	lines := strings.Split(strings.ReplaceAll(output, "\r\n", "\n"), "\n")
	var known *place
	for i, line := range lines {
		m := logged.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		file, ok := p.file(folder, m[1])
		if !ok {
			continue
		}
		message := []string{line[len(m[0]):]}
		for _, next := range lines[i+1:] {
			rest, indented := strings.CutPrefix(next, "        ")
			if !indented && strings.TrimSpace(next) != "" {
				break
			}
			message = append(message, rest)
		}
		n, _ := strconv.Atoi(m[2])
		found := place{file, n, strings.TrimSpace(strings.Join(message, "\n"))}
		if !strings.HasPrefix(found.message, "known: ") {
			return found
		}
		if known == nil {
			known = &found
		}
	}
	if known != nil {
		return *known
	}
	found := place{message: strings.TrimSpace(output)}
	for _, line := range lines {
		if m := framed.FindStringSubmatch(line); m != nil {
			if file, ok := p.file("", m[1]); ok {
				found.file = file
				found.line, _ = strconv.Atoi(m[2])
				break
			}
		}
	}
	return found
}

// build finds the first line of a build's output that is about one of the
// repository's files.
func (p Places) build(output string) place {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := built.FindStringSubmatch(line); m != nil {
			if file, ok := p.file(p.dir, strings.TrimPrefix(m[1], "vet: ")); ok {
				n, _ := strconv.Atoi(m[2])
				return place{file, n, line[len(m[0]):]}
			}
		}
	}
	return place{message: strings.TrimSpace(output)}
}
