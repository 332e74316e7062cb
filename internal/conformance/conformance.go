// Package conformance finds the conformance data for tests. They lie outside the
// checkout and are never copied into it.
package conformance

import (
	"os"
	"path/filepath"
	"testing"
)

// Data returns the path of a file or folder of the data, with slashes in its name.
// The data lie in $TIAP_CONFORMANCE or, when that is not set, in shared/data beside
// the checkout. Without them the test is skipped; data that lack the name fail it.
func Data(tb testing.TB, name string) string {
	tb.Helper()
	data := os.Getenv("TIAP_CONFORMANCE")
	if data == "" {
		data = filepath.Join("..", "shared", "data")
	}
	if !filepath.IsAbs(data) {
		data = filepath.Join(Checkout(tb), data)
	}
	if info, err := os.Stat(data); err != nil || !info.IsDir() {
		tb.Skip("conformance data absent: no folder " + data + "; TIAP_CONFORMANCE names another place")
	}
	path := filepath.Join(data, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("the conformance data lack %s: %v", name, err)
	}
	return path
}

// Checkout returns the root of the module that is tested.
func Checkout(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			tb.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
