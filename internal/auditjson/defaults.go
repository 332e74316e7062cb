package auditjson

// Defaults are the settings of an audit of a bundle for which nothing else is asked,
// as far as they depend on nothing that is audited.
func Defaults() Settings {
	return Settings{
		Depth:      60,
		Uncovered:  "dropped",
		Population: "shared",
		Merge:      "order",
		MinEffect:  1e-9, // above rounding and below any difference that counts
		Alpha:      0.05,
		Seed:       1337,
		Resamples:  1000,
	}
}
