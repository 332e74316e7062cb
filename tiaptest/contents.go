package tiaptest

import "slices"

// Scenario returns the name of the audited scenario.
func (a *Audit) Scenario() string { return a.r.bundle.Scenario.Name }

// Systems returns the names of the audited systems, ascending.
func (a *Audit) Systems() []string { return a.systemNames() }

// Targets returns the main targets of the audit, then those beside, in the order
// in which they were given.
func (a *Audit) Targets() []Target { return slices.Clone(a.r.targets) }

// Bundle returns the audited bundle, with the systems that the audit leaves out. It
// must not be changed.
func (a *Audit) Bundle() *Bundle { return a.r.bundle }
