// Package cli reads the flags of audits, of the command tiaptest and of scenario
// scripts alike. It stands between these two and package tiaptest, whose types it
// speaks.
package cli
