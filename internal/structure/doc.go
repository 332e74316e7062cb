// Package structure has no code. Its tests hold the whole module to its
// structure: which package may import which, what reaches the network or starts
// processes, what exists before main begins, what is mutable between calls, and
// how many names a package exports.
package structure
