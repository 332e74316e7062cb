package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"
)

// Options say how a system is asked. The zero value works.
type Options struct {
	// Dir is the folder of the system in a bundle, systems/<name>. It receives
	// run.jsonl and, with an [IngestLog], store.jsonl; further repeats go to
	// repeats/002 and so on. A recording that was interrupted goes on from
	// run.jsonl.part beside them. Empty: nothing is written.
	Dir string

	K       int // memories asked for by each query; 60 if 0
	Repeats int // ingests, each built anew; 1 if 0

	Concurrency int           // queries asked at a time; 4 if 0
	Timeout     time.Duration // of one attempt; a minute if 0
	Attempts    int           // at each query; 3 if 0
	Backoff     time.Duration // before the second attempt, doubled before each further one up to 30 s; 500 ms if 0

	// RetryAll repeats attempts after every error but an unusable answer, and
	// not just after those that may pass: time ran out, the connection failed or
	// ended early, or a Timeout or Temporary method of the error returns true.
	RetryAll bool

	// StopAfter ends the recording after so many queries in a row that failed
	// although it was worth trying again: a service that is down would fail all
	// the rest. 20 if 0, never if negative.
	StopAfter int

	// Scores declares the direction of scores. Scores that are all 0 are then
	// kept too, and rankings that run the other way are counted.
	Scores Order

	// Twice is how many queries, spread evenly, are asked first and once more:
	// 5 if 0, none if negative. When their answers differ, the memories or their
	// order, the recording ends before it asks the rest, unless the system is
	// declared Unstable.
	Twice    int
	Unstable bool

	// Fresh begins anew where an interrupted recording could go on.
	Fresh bool

	// Cacheable says that the answers depend on nothing that go test does not
	// see, as those of a system inside the test binary, so that they may come
	// from its cache. Without it recording fails in a go test run that may be
	// cached: run go test with -count=1.
	Cacheable bool

	// Progress receives a line now and then. Nil: standard error, if that is a
	// terminal.
	Progress io.Writer
}

// orDefaults fills in the defaults and reports what is wrong.
func (o Options) orDefaults() (*Options, error) {
	var errs []error
	for _, n := range []struct {
		name  string
		value *int
		def   int
	}{{"K", &o.K, 60}, {"Repeats", &o.Repeats, 1}, {"Concurrency", &o.Concurrency, 4}, {"Attempts", &o.Attempts, 3}} {
		if *n.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %d; it must be at least 1", n.name, *n.value))
		}
		*n.value = cmp.Or(*n.value, n.def)
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		def   time.Duration
	}{{"Timeout", &o.Timeout, time.Minute}, {"Backoff", &o.Backoff, 500 * time.Millisecond}} {
		if *d.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %v; it must be above 0", d.name, *d.value))
		}
		*d.value = cmp.Or(*d.value, d.def)
	}
	o.Twice = cmp.Or(o.Twice, 5)
	o.StopAfter = cmp.Or(o.StopAfter, 20)
	errs = append(errs, o.Scores.check())
	return &o, errors.Join(errs...)
}
