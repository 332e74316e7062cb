package lines_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/internal/limit"
	"github.com/tiaptest/tiap/internal/lines"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const again = "if the file is truncated or corrupt, copy or export it again"
	over := &limit.Error{What: "it is long", Mend: "cut it"}
	for _, tt := range []struct {
		err        error
		line       int
		what, mend string
	}{
		{io.ErrUnexpectedEOF, 0, "unexpected EOF", again},
		{over, 0, "it is long", "cut it"},
		{&lines.ReadError{Line: 4, Err: over}, 5, "reading stops here: it is long", "cut it"},
		{&lines.ReadError{Err: errors.New("x")}, 1, "reading stops here: x", again},
		{&lines.ReadError{Line: 1, Err: &fs.PathError{Op: "read", Path: "a", Err: fs.ErrPermission}}, 2, "reading stops here: permission denied", again},
	} {
		line, what, mend := lines.Explain(tt.err)
		assert.Equal(t, tt.line, line, "%v", tt.err)
		assert.Equal(t, tt.what, what)
		assert.Equal(t, tt.mend, mend)
	}
}
