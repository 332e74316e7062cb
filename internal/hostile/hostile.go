// Package hostile holds texts that mean something to some reader: a browser, a
// Markdown renderer, a terminal, a spreadsheet, LaTeX, the log of a CI runner. Ids,
// names and texts of a bundle may be any of them, and tests ask that each comes
// out as nothing but text.
package hostile

import "strings"

// Text is a hostile text with a name for messages.
type Text struct{ Name, Text string }

// Texts returns the texts, some of which are not UTF-8 or hold control
// characters: not every input takes those.
func Texts() []Text {
	return []Text{
		// For a browser.
		{"script", `<script>alert(1)</script>`},
		{"closing elements", `</td></table></style></title></svg></textarea><img src=x onerror=alert(1)>`},
		{"svg", `<svg onload=alert(1)><a href="javascript:alert(1)">x</a></svg>`},
		{"attribute", `" onmouseover="alert(1)" x='`},
		{"comment", `--><!-- ]]> <![CDATA[`},
		{"reference", `&lt;b&gt; &#60;b&#62; &nosuch; &amp`},
		{"details", `</summary></details><details open>`},
		// For Markdown.
		{"pipes", `a|b||c`},
		{"backticks", "`` ` ``` x ````"},
		{"fence", "```\n# head\n~~~\n````"},
		{"backslash pipe", `\| \\| \`},
		{"emphasis", `**bold** _x_ ~~gone~~ # head`},
		{"link", `[click](https://example.invalid/?a=b) ![p](x) [a][b] https://example.invalid www.example.invalid`},
		{"autolink", `<https://example.invalid> <a@example.invalid> a@example.invalid`},
		{"mention", `@everyone #1 GH-1 org/repo#7 @org/team`},
		{"commit", `0123456789abcdef0123456789abcd`},
		{"maths", "$x$ $$y$$ $`z`$ :tada:"},
		{"alert", `> [!CAUTION] x`},
		{"list", `- [x] a`},
		{"rule", `---`},
		// For a terminal.
		{"ansi", "\x1b[31mred\x1b[0m \x1b]8;;https://example.invalid\x07link\x1b]8;;\x07 \u009b31m"},
		{"clear", "\x1b[2J\x1b[1;1H\x1bc"},
		{"carriage return", "hidden\rshown"},
		{"controls", "a\x00b\x07c\x08d\x7fe"},
		{"line breaks", "first\nsecond\r\nthird\u2028fourth\u2029fifth\vsixth\fseventh\u0085eighth"},
		{"right to left", "abc\u202etxt.exe \u2066x\u2069 \u200f שלום عربى"},
		{"isolates", "a\u2067b\u2068c\u202ad\u202be"},
		{"zero width", "a\u200bb\u2060c\ufeffd\u00ade"},
		{"tags", "a\U000e0041\U000e007fb"},
		{"not UTF-8", "a\xff\xfeb\xc3("},
		{"not characters", "a\ufffe\uffff\ue000"},
		{"wide", "表格 한국어 👩‍👩‍👧 e\u0301"},
		{"marks", "z" + strings.Repeat("\u0323", 30)},
		{"blank", "   "},
		// For the log of a runner.
		{"command", "::error file=a.go,line=1::broken"},
		{"old command", "##[error]broken"},
		{"command on a line", "x\n::error::broken\n::stop-commands::x"},
		{"percent", "%0A::error::broken%0D%25"},
		{"test protocol", "x\n--- PASS: TestX (0.00s)\nPASS\nok  \tpkg\t0.01s"},
		{"format", "%s %d %!x(MISSING) %%"},
		// For a spreadsheet.
		{"formula", `=cmd|' /C calc'!A0`},
		{"plus", "+1"},
		{"minus", "-1"},
		{"at", "@SUM(A1:A9)"},
		{"comma", `a,"b";` + "\tc"},
		// For LaTeX.
		{"latex", `\input{/etc/passwd} $x^2_1$ & % # { } ~ \end{document} ^^5c`},
		{"latex open", `{{{ \begin{x} \verb| $`},
		{"latex comment", "100% \\\\ [2ex] ?` !` -- ``q''"},
		// For a page.
		{"long", strings.Repeat("0123456789", 1000)},
		{"long words", strings.Repeat("wort ", 2000)},
	}
}
