// Package limit says how large input may be, so that hostile or damaged files end
// in an error and not in the end of memory. No limit is one that sound files meet.
package limit

import "fmt"

const (
	// Line is the length in bytes of a line. A ranking of a million ids has some
	// 20 MiB.
	Line = 32 << 20

	// Unpacked is the number of bytes beyond which compressed input must not unpack
	// to more than Ratio times its size.
	Unpacked = 32 << 20

	// Ratio is the number of bytes that one byte of compressed input may stand for.
	// Runs, stores and labels have ratios of 5 to 50, and with gzip 150 where all
	// rankings are the same; what is made to fill memory has 1,000 with gzip, and
	// any ratio with zstd.
	Ratio = 256

	// Window is the zstd window, the memory that a frame can ask for: what zstd -d
	// takes too.
	Window = 128 << 20

	// Settings is the size in bytes of scenario.json, system.json and accepted.json.
	// Settings of a system may hold prompts.
	Settings = 16 << 20

	// File is the size in bytes of a file of golden values or corrections, which is
	// read whole.
	File = 64 << 20

	// Document is the size in bytes of an export that is one JSON value or a
	// database, and is read whole. Exports may hold embeddings.
	Document = 512 << 20

	// Values is the number of JSON values within a sample of a benchmark. A
	// conversation of 20,000 turns with eight members each has some 200,000.
	Values = 1 << 19

	// Systems is the number of systems of a bundle, and of repeats of a system.
	// They are compared in pairs.
	Systems = 4096

	// Links is the number of turns, and of parents, that one memory names. A summary
	// of a conversation of 20,000 turns has as many.
	Links = 100_000

	// Inherited is the number of links to turns of evidence that the memories of a
	// store inherit from their parents: 20,000 rolling summaries, each with the one
	// before as a parent, have as many with 400 such turns.
	Inherited = 4 << 20

	// Counted is about the number of steps for counting the links of a store.
	Counted = 64 << 20

	// Labels is the number of support labels, or of answers, of a file. A study of
	// 20,000 queries, with five memories each and three judges, has 300,000.
	Labels = 1 << 19

	// Reported is the number of values of a results file that are checked. A table of
	// 4,096 systems with three targets and ten metrics has 122,880.
	Reported = 1 << 17

	// Metrics is the number of metrics of a results file: ten of them at depths 1 to
	// 100 are as many.
	Metrics = 1000

	// Depth is the number of JSON values that stand within each other in a results file.
	Depth = 100

	// Events is the size in bytes of what is kept of the events of go test: tests that
	// have not ended, that failed and that said something, and packages. Of 100,000
	// failed tests it is some 30 MiB.
	Events = 64 << 20

	// Problems is the number of problems after which a file is read no further.
	Problems = 1000
)

// Error says which limit input exceeds, and how to mend it.
type Error struct{ What, Mend string }

func (e *Error) Error() string { return e.What + "; " + e.Mend }

// Bytes writes a limit as messages do.
func Bytes(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
