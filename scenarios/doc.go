// Package scenarios reads public benchmarks of conversational memory from disk:
// LoCoMo, LongMemEval and BEAM. Each becomes a [tiaptest.Scenario] with turns,
// queries and evidence units, together with a count of what had to be repaired or
// left out. No benchmark is part of this module; users name their own copy, which
// is told apart by the SHA-256 of its bytes.
//
// [LoCoMo], [LongMemEval] and [BEAM] hold a benchmark in memory. [Import] writes
// one as the folder of a bundle, conversation by conversation, so that its size
// does not matter. [RetrievalLog] reads rankings over LongMemEval.
//
// # Ids
//
// Turns and queries are scoped by their conversation, as in conv-26/D1:3 and
// conv-26/qa0. Times have no zone, since the benchmarks give none, and are written
// as 2023-05-08T13:56:00, or 2023-05-08 where no hour is given.
package scenarios
