package record

import (
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// Sessions splits turns into the sessions that a [Parser] is given one at a time,
// in the order of their first turns. Sessions of the same name in two
// conversations, which the ids of turns begin with as in conv-26/D1:3, are two.
func Sessions(turns []tiaptest.Turn) [][]tiaptest.Turn {
	var out [][]tiaptest.Turn
	type key struct{ conversation, session string }
	at := make(map[key]int)
	for _, t := range turns {
		k := key{session: t.Session}
		if conversation, _, ok := strings.Cut(t.ID, "/"); ok {
			k.conversation = conversation
		}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], t)
	}
	return out
}
