// Package scenarios has scenarios to test memory systems with: public benchmarks, a
// catalogue of small ones that show one trap each, and one system at several
// densities of its parser.
//
// # Benchmarks
//
// LoCoMo, LongMemEval and BEAM are read from disk. Each becomes a [tiaptest.Scenario] with turns,
// queries and evidence units, together with a count of what had to be repaired or
// left out. No benchmark is part of this module; users name their own copy, which
// is told apart by the SHA-256 of its bytes.
//
// [LoCoMo], [LongMemEval] and [BEAM] hold a benchmark in memory. [Import] writes
// one as the folder of a bundle, conversation by conversation, so that its size
// does not matter. [Rank] ranks the memories that a benchmark itself carries, and
// [RetrievalLog] reads rankings over LongMemEval.
//
// # Ids
//
// Turns and queries are scoped by their conversation, as in conv-26/D1:3 and
// conv-26/qa0. Times have no zone, since the benchmarks give none, and are written
// as 2023-05-08T13:56:00, or 2023-05-08 where no hour is given.
//
// # Others
//
// [Catalogue] lists the scenario scripts of this module; package
// scenarios/script runs them and those of users. [Density] records a memory system,
// such as that of scenarios/reference, at several densities.
package scenarios
