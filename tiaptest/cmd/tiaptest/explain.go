package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

func explain(args []string, stdout, _ io.Writer) error {
	f := newInputFlags("explain")
	query := f.set.String("query", "", "`ID` of the query to explain")
	base := f.set.String("base", "", "earlier bundle `DIR`, explained after the first one")
	dirs, err := parse(f.set, args, stdout)
	if err != nil {
		return err
	}
	if *query == "" {
		return errors.New("tiaptest explain: no query; name one with -query ID")
	}
	head, err := f.rescore(dirs)
	audits, titles := []*tiaptest.Audit{head}, []string{""}
	if *base != "" && err == nil {
		var before *tiaptest.Audit
		before, err = f.rescoreDir(*base)
		audits, titles = append(audits, before), []string{"now", "\nbefore"}
	}
	if err != nil {
		return err
	}
	var text strings.Builder
	for i, a := range audits {
		explained, err := a.Explain(*query)
		if err != nil {
			return err
		}
		if titles[i] != "" {
			fmt.Fprintf(&text, "%s: ", titles[i])
		}
		text.WriteString(explained)
	}
	return write(f.output, stdout, func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}

// rescoreDir audits another bundle by the same flags.
func (f *inputFlags) rescoreDir(dir string) (*tiaptest.Audit, error) {
	b, openErr := tiaptest.Open(dir)
	opts, err := f.options(b)
	if err := errors.Join(openErr, err); err != nil {
		return nil, err
	}
	return tiaptest.Rescore(b, opts...)
}
