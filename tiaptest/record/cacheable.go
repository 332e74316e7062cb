package record

import (
	"errors"
	"flag"
)

// cacheable reports whether go test may store the result of this run in its
// cache. The go command passes -test.testlogfile to a test binary in exactly
// these runs: with package arguments and without a flag such as -count that
// rules the cache out.
func cacheable() bool {
	f := flag.Lookup("test.testlogfile")
	return f != nil && f.Value.String() != ""
}

var errCacheable = errors.New("go test may cache the result of this run, and a broken service would then pass from the cache; " +
	"run go test with -count=1, or set Options.Cacheable if the system is part of the test binary")
