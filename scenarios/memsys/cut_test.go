package memsys_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

// Each sample file, cut off at every 97th byte, stands for each kind of file of its
// format: that is an error, or a system that is sound.
func TestSamplesCut(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, format string, f memsys.Files) {
		in, err := memsys.Read(format, conv90(), f)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		if len(in.System.Ingests[0].Memories) > 0 && in.System.Ingests[0].Run.Len() > 0 {
			b := &tiaptest.Bundle{Scenario: *conv90(), Systems: []*tiaptest.System{in.System}}
			_, err = tiaptest.Rescore(b, tiaptest.Resamples(100))
			if err != nil { // rankings of other ids than the store has
				require.ErrorContains(t, err, "the two use different id spaces")
			}
		}
	}
	files := 0
	for _, format := range memsys.Formats() {
		dir := filepath.Join("testdata", strings.ReplaceAll(format, "mtel-mem", "mtelmem"))
		err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(file, ".db") { // as long as all others, and cut by a test of its own
				return err
			}
			files++
			whole, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			t.Run(filepath.ToSlash(file), func(t *testing.T) {
				t.Parallel()
				cut := filepath.Join(t.TempDir(), filepath.Base(file))
				for n := 0; n <= len(whole); n += 97 {
					require.NoError(t, os.WriteFile(cut, whole[:n], 0o666))
					read(t, format, memsys.Files{Store: []string{cut}})
					read(t, format, memsys.Files{Search: []string{cut}})
					read(t, format, memsys.Files{Store: []string{cut}, Search: []string{cut}})
					read(t, format, memsys.Files{Store: []string{file}, Search: []string{cut}})
					read(t, format, memsys.Files{Store: []string{file}, Log: cut})
					read(t, format, memsys.Files{Store: []string{file}, History: cut})
				}
			})
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, files, 30)
}
