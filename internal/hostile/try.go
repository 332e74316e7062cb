package hostile

import "testing"

// At says what stands at a place of an input: the hostile text at one of them, and
// what is plain at all others.
type At func(place, plain string) string

// Try runs a subtest for each text, which puts it at each of the places in turn.
// outputs makes an input and returns what people read of it, by name, or the error
// with which it is refused: none of these may have a [Fault], and no text may be
// refused everywhere.
func Try(t *testing.T, places []string, outputs func(t *testing.T, at At) (map[string]string, error)) {
	t.Helper()
	for _, h := range Texts() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			taken := 0
			for _, where := range places {
				used := false
				out, err := outputs(t, func(place, plain string) string {
					if place != where {
						return plain
					}
					used = true
					return h.Text
				})
				if !used {
					t.Errorf("the input has no place %s", where)
				}
				if err != nil {
					if fault := Fault(err.Error()); fault != "" {
						t.Errorf("%s is refused with an error that %s: %q", where, fault, err)
					}
					continue
				}
				taken++
				if len(out) == 0 {
					t.Errorf("%s: nothing comes out", where)
				}
				for name, text := range out {
					if fault := Fault(text); fault != "" {
						t.Errorf("%s: %s %s:\n%q", where, name, fault, text)
					}
				}
			}
			if taken == 0 {
				t.Error("it is refused everywhere")
			}
		})
	}
}
