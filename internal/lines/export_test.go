package lines

import "io"

// ParseSized is Parse with the size of blocks, the limit of a line and the
// number of workers given.
func ParseSized[T any](r io.Reader, size, maxLine, workers int, parse func(Block) T, merge func(T) error) error {
	return run(&splitter{r: r, size: max(size, 4), maxLine: maxLine}, workers, parse, merge)
}
