// Package memsys reads what memory systems leave on disk, their stores and their
// search results, as [tiaptest.System] values that can be audited.
//
// Each format has a function of its own, such as [Mem0] or [Graphiti]. It takes
// the scenario that the system was asked about and the [Files] of the export, and
// gives the system with what was noted on the way: what was repaired, dropped or
// could not be linked, each with a count. An export that cannot be audited, such
// as search results that are text without ids, is an error that names the field
// that an exporter must add.
//
// # Turn ids
//
// A memory descends from turns only where the export says so. Names of turns in an
// export must be those of the scenario, as conv-26/D1:3; the name of the scenario
// may stand before them, as in locomo/conv-26/D1:3. Names of no turn are counted
// and give no link. What an export leaves open can be inferred, by a call of its
// own: see [InferLineage].
//
// # Search logs
//
// Few systems save what they answered. Where a format needs it, a search log is a
// file of JSON lines, one for each query, with the answer as the system gave it:
//
//	{"query":"conv-26/qa0","result":{"results":[...]},"k":20}
//	{"query":"conv-26/qa1","error":"timeout"}
//
// or a folder of answers in files named by their query, percent-encoded as in
// conv-26%2Fqa0.json.
//
// # Lineage logs and lists of names
//
// Where a system keeps no lineage, it can be kept beside it, at the moment when a
// memory is written: a lineage log is a file of JSON lines, each with the id of a
// memory, as the import gives it, and the turns that it was made of. Lines of one
// memory add up, and several turns in a line are a batch.
//
//	{"id":"memories/conv-26/6f1c...","sources":["conv-26/D1:3"]}
//
// Where an export names turns or sessions in its own way, a list of names says what
// they stand for, in one conversation or, without scope, in all:
//
//	{"scope":"a1b2c3d4","name":"answer_280352e9_1","turns":["a1b2c3d4/s0/t0","a1b2c3d4/s0/t1"]}
package memsys
