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
package memsys
