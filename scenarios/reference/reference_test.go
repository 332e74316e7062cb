package reference_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tiaptest/tiap/tiaptest"
)

// conversation is random talk of Ann and Ben with many statements a turn.
func conversation(sessions, turns int) []tiaptest.Turn {
	r := rand.New(rand.NewPCG(7, 11))
	things := strings.Fields("bicycle garden kitchen piano violin orchard market kettle lantern ladder blanket camera harbour library carpet engine")
	verbs := strings.Fields("painted sold repaired borrowed carried found love hate need own carry sell want clean")
	ends := []string{"", "", " yesterday", " last week", " in Lisbon", " with my sister", " two years ago", " because it is old", " and my brother keeps the rest"}
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	var out []tiaptest.Turn
	for s := range sessions {
		for i := range turns {
			var text strings.Builder
			for range 1 + r.IntN(4) {
				fmt.Fprintf(&text, "I %s the %s %s%s. ", pick(verbs), pick(things), pick(things), pick(ends))
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&text, "Where is your %s?", pick(things))
			}
			out = append(out, tiaptest.Turn{
				ID: fmt.Sprintf("c/D%d:%d", s+1, i+1), Session: fmt.Sprintf("c/s%d", s+1), Speaker: []string{"Ann", "Ben"}[i%2],
				Time: fmt.Sprintf("2023-05-%02dT10:00:00", s+1), Text: strings.TrimSpace(text.String()),
			})
		}
	}
	return out
}
