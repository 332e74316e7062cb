// Package tiaptest rescores saved rankings of memory systems under several
// scoring targets and fails a test when a result depends on the target.
//
// See the README of the module for a first example.
package tiaptest
