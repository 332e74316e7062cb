package reference

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
)

// Hashing is an [Embedder] that needs no model: it counts the words of a text, the
// stop words left out, and their parts of four letters into so many numbers, told
// apart by a hash, and takes square roots of the counts. Texts with words in
// common are similar; nothing is known about meaning. 0 is 512 numbers, and 65,536
// are the most.
type Hashing int

const longestHashing = 1 << 16

// Embed returns the vectors of texts. It fails when ctx is done, or h is negative
// or too large.
func (h Hashing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	n := int(h)
	if n == 0 {
		n = 512
	}
	if n < 0 || n > longestHashing {
		return nil, fmt.Errorf("Hashing(%d): vectors have from 1 to %d numbers; use a positive number up to that, or 0 for 512", n, longestHashing)
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = hashed(text, n)
	}
	return out, nil
}

// Weights of words and of their parts.
const (
	wholeWord = 1
	wordPart  = 0.25
)

func hashed(text string, n int) []float32 {
	v := make([]float32, n)
	add := func(s string, weight float32) {
		hash := fnv.New64a()
		hash.Write([]byte(s))
		sum := hash.Sum64()
		if sum>>63 == 1 {
			weight = -weight // so that words that collide do not add up
		}
		v[sum%uint64(n)] += weight
	}
	for _, w := range words(text) {
		if stops[w.lower] {
			continue
		}
		add(w.lower, wholeWord)
		for letters := []rune("<" + w.lower + ">"); len(letters) >= 4; letters = letters[1:] {
			add(string(letters[:4]), wordPart)
		}
	}
	for i, x := range v {
		if x < 0 {
			v[i] = -float32(math.Sqrt(float64(-x)))
		} else {
			v[i] = float32(math.Sqrt(float64(x)))
		}
	}
	return v
}
