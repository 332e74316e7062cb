package sensitivity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tiaptest/tiap/internal/phrase"
	"github.com/tiaptest/tiap/tiaptest"
)

// Proposal proposes the headline target of a benchmark.
type Proposal struct {
	Target *string `json:"target"` // raw, source or canonical; nil when it is not known what is served
	Why    string  `json:"why"`
}

// ProposeHeadline proposes the target that matches what the systems of a bundle
// serve, as their stores say it:
//
//   - raw turns alone: raw;
//   - derived memories, alone or beside raw turns: canonical, which credits what
//     was made of the turns. Where only the turns behind them are used, or where
//     provenance must be exact, raw fits;
//   - not known, as of TREC qrels and where a store is empty: none.
//
// Source, which credits both, asks nothing of provenance: it is a stress test and
// no headline. The author must declare the headline all the same, since a store
// does not say what its reader makes of it. The advice is that of table 8 of
// arXiv 2605.24060.
func ProposeHeadline(b *tiaptest.Bundle) Proposal {
	if b == nil {
		return propose(nil)
	}
	return propose(b.Systems)
}

func propose(systems []*tiaptest.System) Proposal {
	var derived, unknown []string
	raw := false
	for _, s := range systems {
		if s == nil {
			continue
		}
		serves := false
		for _, in := range s.Ingests {
			if in == nil {
				continue
			}
			for i := range in.Memories {
				m := &in.Memories[i]
				switch {
				case m.NotServing:
					continue
				case m.Form == "raw":
					raw = true
				case !slices.Contains(derived, m.Form):
					derived = append(derived, m.Form)
				}
				serves = true
			}
		}
		if !serves {
			unknown = append(unknown, phrase.Name(s.Name))
		}
	}
	slices.Sort(derived)
	for i := range derived {
		derived[i] = phrase.Name(derived[i])
	}
	forms := strings.Join(derived, ", ")
	as := func(target tiaptest.Target, why string) Proposal {
		name := target.String()
		return Proposal{Target: &name, Why: why}
	}
	switch {
	case len(unknown) > 0:
		return Proposal{Why: fmt.Sprintf("no store says what is served by %s", strings.Join(unknown, ", "))}
	case raw && len(derived) > 0:
		return as(tiaptest.Canonical, fmt.Sprintf("derived memories (%s) are served beside raw turns; raw fits if only the turns behind them are used, and source is a stress test", forms))
	case raw:
		return as(tiaptest.Raw, "raw turns alone are served")
	case len(derived) > 0:
		return as(tiaptest.Canonical, fmt.Sprintf("derived memories alone (%s) are served", forms))
	}
	return Proposal{Why: "there is no system"}
}
