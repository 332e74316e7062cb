package lines

import (
	"path/filepath"
	"strings"
)

// Stem is the name of a file without its folder, the ending of a compression
// that Decompress knows, and one more ending: run for dir/run.txt.gz.
func Stem(file string) string {
	name := filepath.Base(file)
	switch ext := filepath.Ext(name); strings.ToLower(ext) {
	case ".gz", ".zst":
		name = strings.TrimSuffix(name, ext)
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}
