package stat

var (
	StudentP        = studentP
	StudentQuantile = studentQuantile
)
