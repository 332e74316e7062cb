// Package quickstart is a first test suite with package tiaptest, over a small
// bundle in testdata/garden: one conversation, twenty questions, and a memory
// system whose parser makes at most one (D1) or five (D5) memories of a turn.
//
// On the same rankings D1 leads when only the original turns earn credit, and D5
// leads when what was made of them earns it too: the winner depends on the
// target. Run it and read what it prints:
//
//	go test -v ./scenarios/quickstart
//
// The examples are recipes: checks of target sensitivity in a suite that is there
// already, a gate for pull requests, a regression test of a parser.
//
// TestLive goes the whole way with another conversation, in testdata/boat: the
// memory system of package reference parses it, at most one, five or eight memories
// of a turn (D1, D5, D8), and is asked; its rankings are audited, and it says where
// the report lies. The same goes for the benchmark LoCoMo, from a file of one's own,
// named from the root or from the folder of this package; -artifacts keeps its report:
//
//	go test -v -artifacts ./scenarios/quickstart -run TestLiveLoCoMo -tiap.locomo $PWD/locomo10.json
package quickstart
