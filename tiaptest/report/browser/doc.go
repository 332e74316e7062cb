// Package browser has no code, only tests: they open the HTML reports of package
// report in Chromium and look at what a reader gets. It is a module of its own, so
// that no user of this project downloads a driver of browsers.
//
//	npm pack axe-core && tar -xzf axe-core-*.tgz
//	TIAP_AXE=$PWD/package/axe.min.js go test -artifacts -outputdir DIR .
//
// The tests need Chromium, as chromium or google-chrome in PATH, and the file
// axe.min.js of the npm package axe-core, which TIAP_AXE names; they are skipped
// without. With -artifacts they keep the reports, pictures of them and the PDF.
package browser
