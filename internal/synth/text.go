package synth

import (
	"math/rand/v2"
	"strconv"
)

// Plain words, so that texts look like texts and mean nothing.
var (
	adjectives = []string{"blue", "broad", "calm", "dry", "early", "flat", "green", "heavy", "late", "light", "long", "narrow", "new", "old", "plain", "round", "short", "small", "warm", "wide"}
	nouns      = []string{"basket", "bench", "boat", "bridge", "candle", "chair", "clock", "door", "field", "fence", "garden", "hill", "jacket", "kettle", "lamp", "letter", "market", "meadow", "orchard", "path", "pear tree", "pond", "road", "shed", "shelf", "stone", "table", "train", "window", "workshop"}
	verbs      = []string{"arrived", "came back", "fell", "leaned", "rested", "rolled", "stayed", "stood", "stopped", "turned", "waited", "was left"}
	places     = []string{"above", "behind", "below", "beside", "near", "under"}
)

func pick(rng *rand.Rand, words []string) string { return words[rng.IntN(len(words))] }

// appendThing appends a noun phrase such as "the blue lamp".
func appendThing(dst []byte, rng *rand.Rand) []byte {
	dst = append(dst, "the "...)
	dst = append(dst, pick(rng, adjectives)...)
	dst = append(dst, ' ')
	return append(dst, pick(rng, nouns)...)
}

// appendSentences appends n sentences, encoded for a JSON string. Now and then
// one holds a quotation mark or a letter beyond ASCII.
func appendSentences(dst []byte, rng *rand.Rand, n int) []byte {
	for i := range n {
		if i > 0 {
			dst = append(dst, ' ')
		}
		start := len(dst)
		dst = appendThing(dst, rng)
		dst[start] -= 'a' - 'A'
		dst = append(dst, ' ')
		dst = append(dst, pick(rng, verbs)...)
		dst = append(dst, ' ')
		dst = append(dst, pick(rng, places)...)
		dst = append(dst, ' ')
		dst = appendThing(dst, rng)
		switch rng.IntN(32) {
		case 0:
			dst = append(dst, `, marked \"`...)
			dst = strconv.AppendInt(dst, int64(rng.IntN(1000)), 10)
			dst = append(dst, `\"`...)
		case 1:
			dst = append(dst, " of the café"...)
		}
		dst = append(dst, '.')
	}
	return dst
}

// appendQuestion appends a question.
func appendQuestion(dst []byte, rng *rand.Rand) []byte {
	dst = append(dst, "What "...)
	dst = append(dst, pick(rng, verbs)...)
	dst = append(dst, ' ')
	dst = append(dst, pick(rng, places)...)
	dst = append(dst, ' ')
	dst = appendThing(dst, rng)
	return append(dst, '?')
}
