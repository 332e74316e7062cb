package record

import "github.com/tiaptest/tiap/tiaptest"

// Queries reads the queries of a bundle whose systems are still to be recorded,
// as [tiaptest.OpenScenario] does. The systems that the bundle has are left alone,
// sound or not.
func Queries(dir string) ([]tiaptest.Query, error) {
	s, err := tiaptest.OpenScenario(dir)
	if err != nil {
		return nil, err
	}
	return s.Queries, nil
}
