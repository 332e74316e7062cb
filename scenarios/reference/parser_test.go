package reference_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tiaptest/tiap/scenarios/reference"
	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// dialogue is a session of Ann and Ben on Monday, 8 May 2023, in which they take
// turns.
func dialogue(texts ...string) []tiaptest.Turn {
	turns := make([]tiaptest.Turn, len(texts))
	for i, text := range texts {
		turns[i] = tiaptest.Turn{
			ID: fmt.Sprintf("c/D1:%d", i+1), Session: "c/s1", Time: "2023-05-08T13:56:00",
			Speaker: []string{"Ann", "Ben"}[i%2], Text: text,
		}
	}
	return turns
}

// made lists what is made of a text of Ann's, who talks to Ben, as "form: text".
func made(t *testing.T, text string) []string {
	t.Helper()
	return madeOf(t, dialogue(text, "Ok."))
}

func madeOf(t *testing.T, turns []tiaptest.Turn) []string {
	t.Helper()
	memories, err := reference.MaxFacts(100).Parse(t.Context(), turns)
	require.NoError(t, err)
	var out []string
	for _, m := range memories {
		if m.Form != "summary" && m.Sources[0].Turn == turns[0].ID {
			out = append(out, m.Form+": "+m.Text)
		}
	}
	return out
}

// Each rule has cases where it holds and where it must not.
func TestParserRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text string
		want       []string // in this order, among others
		not        []string // parts of what must not be made
	}{
		{"simple past", "I bought a red bicycle.", []string{"event: Ann bought a red bicycle."}, nil},
		{"simple past, regular", "I painted the kitchen wall.", []string{"event: Ann painted the kitchen wall."}, nil},
		{"no past: present", "I own a red bicycle.", []string{"fact: Ann owns a red bicycle."}, []string{"event"}},
		{"no past: perfect", "I have painted the kitchen wall.", []string{"fact: Ann has painted the kitchen wall."}, []string{"event"}},
		{"no past: participle", "The wall is painted green.", []string{"fact: Ann: The wall is painted green."}, []string{"event"}},
		{"no past: adjective", "My painted wall has cracks.", []string{"fact: Ann's painted wall has cracks."}, []string{"event"}},
		{"no past: denied", "I never bought that bicycle.", []string{"fact: Ann never bought that bicycle."}, []string{"event"}},
		{"no past: supposed", "If I bought that bicycle, dad could ride.", nil, []string{"event"}},
		{"no past: need", "Those plants need water.", []string{"fact: Ann: Those plants need water."}, []string{"event"}},
		{"date", "The market opens tomorrow morning.", []string{"event: Ann: The market opens on 9 May 2023."}, nil},
		{"date, absolute", "The market opens in June.", []string{"event: Ann: The market opens in June."}, nil},
		{"no date: may", "Grandma may visit the market.", []string{"fact: Ann: Grandma may visit the market."}, []string{"event"}},
		{"attitude", "I love fresh figs.", []string{"observation: Ann loves fresh figs."}, nil},
		{"attitude in the past with a date", "I enjoyed the fresh figs yesterday.", []string{"event: Ann enjoyed the fresh figs on 7 May 2023."}, nil},
		{"no attitude", "I sell fresh figs.", []string{"fact: Ann sells fresh figs."}, []string{"observation: Ann sells"}},

		{"first person", "I'm sure I've seen my sister.", []string{"fact: Ann is sure Ann has seen Ann's sister."}, nil},
		{"first person, future", "I'll plant beans.", []string{"fact: Ann will plant beans."}, nil},
		{"typographic apostrophe", "I’m planting beans.", []string{"fact: Ann is planting beans."}, nil},
		{"agreement behind adverbs", "I really still carry water.", []string{"fact: Ann really still carries water."}, nil},
		{"no agreement: auxiliary", "I can carry water.", []string{"fact: Ann can carry water."}, []string{"carries"}},
		{"agreement, other endings", "I go and I watch the sea. I miss rain. I play chess.", []string{"fact: Ann goes and Ann watches the sea.", "fact: Ann plays chess.", "observation: Ann misses rain."}, nil},
		{"agreement, irregular", "I don't carry water. I am busy carrying water.", []string{"fact: Ann is busy carrying water.", "fact: Ann doesn't carry water."}, nil},
		{"no agreement: nothing follows", "Old bees sting more than I", []string{"fact: Old bees sting more than Ann"}, nil},
		{"second person, object before a verb", "That makes you love honey.", []string{"observation: Ann: That makes Ben love honey."}, nil},
		{"second person, contracted", "You've got time and you're ready.", []string{"fact: Ann: Ben has got time and Ben is ready."}, nil},
		{"possessive pronouns", "That shed is mine, the barn is yours.", []string{"fact: That shed is Ann's, the barn is Ben's."}, nil},
		{"quotation in other marks", "Dad said “I own that bicycle” to my sister.", []string{"event: Dad said “I own that bicycle” to Ann's sister."}, nil},
		{"second person", "You own a red bicycle.", []string{"fact: Ann: Ben owns a red bicycle."}, nil},
		{"second person, object", "That gives you time enough.", []string{"fact: Ann: That gives Ben time enough."}, nil},
		{"second person, several", "You guys own bicycles.", []string{"fact: Ann: You guys own bicycles."}, []string{"Ben guys"}},
		{"quotation", `Dad said "I own that bicycle" and left.`, []string{`event: Ann: Dad said "I own that bicycle" and left.`}, nil},
		{"quotation is over", `Dad said "no bicycles" to my sister.`, []string{`event: Dad said "no bicycles" to Ann's sister.`}, nil},
		{"named already", "Annual rings tell my age.", []string{"fact: Annual rings tell Ann's age."}, []string{"Ann: Annual"}},
		{"a name inside a word is no name", "Annual rings tell ages.", []string{"fact: Ann: Annual rings tell ages."}, nil},

		{"sentences", "Plants need water. Bees need flowers!", []string{"fact: Ann: Plants need water.", "fact: Ann: Bees need flowers!"}, nil},
		{"no end: abbreviation", "Dr. Miller sells bees.", []string{"fact: Ann: Dr. Miller sells bees."}, nil},
		{"no end: number", "The jar holds 2.5 litres.", []string{"fact: Ann: The jar holds 2.5 litres."}, nil},
		{"no end: initial", "Old B. Miller sells bees.", []string{"fact: Ann: Old B. Miller sells bees."}, nil},
		{"clauses", "I sell honey and my sister bakes bread.", []string{
			"fact: Ann sells honey and Ann's sister bakes bread.", "fact: Ann's sister bakes bread.", "fact: Ann sells honey",
		}, nil},
		{"no clause without a subject", "I sell honey and fresh bread.", []string{"fact: Ann sells honey and fresh bread."}, []string{"fact: Ann sells honey\n", "fact: Ann: fresh"}},
		{"no clause of two words", "Bees buzz and I sell fresh honey.", []string{"fact: Bees buzz and Ann sells fresh honey."}, []string{"fact: Ann sells fresh"}},
		{"clauses at a dash", "Honey sells well - bread sells slowly.", []string{"fact: Ann: bread sells slowly.", "fact: Ann: Honey sells well"}, nil},
		{"clauses at a semicolon", "Honey sells well; but bread sells slowly.", []string{"fact: Ann: bread sells slowly.", "fact: Ann: Honey sells well"}, nil},
		{"no clause at a hyphen", "Home-made honey sells well-nigh anywhere.", []string{"fact: Ann: Home-made honey sells well-nigh anywhere."}, nil},
		{"opening", "Yeah, oh, and I sell honey.", []string{"fact: Ann sells honey."}, []string{"Yeah"}},
		{"no opening", "Good honey sells anywhere.", []string{"fact: Ann: Good honey sells anywhere."}, nil},

		{"question", "Where does your sister sell honey?", []string{"observation: Ann asks Ben: Where does your sister sell honey?", "observation: Ann mentions Ben's sister sell honey"}, []string{"fact"}},
		{"no question", "Where she sells honey matters.", []string{"fact: Ann: Where she sells honey matters."}, []string{"asks"}},
		{"question without content", "What did you do?", nil, []string{"asks"}},
		{"image", "Look! (image description: a dog (brown) on a beach)", []string{"observation: Ann shares an image: a dog (brown) on a beach"}, []string{"fact"}},
		{"image alone", "[image: a dog on a beach]", []string{"observation: Ann shares an image: a dog on a beach"}, nil},
		{"no image", "The image description was long.", nil, []string{"shares"}},
		{"names", "We met Olga Petrova's aunt in Lisbon.", []string{"observation: Ann mentions Olga Petrova", "observation: Ann mentions Lisbon"}, nil},
		{"no name: opening, month, day, speaker", "Honey for Ben and Ann sells on Monday in June.", nil, []string{"mentions"}},
		{"possession", "My old red bicycle squeaks.", []string{"observation: Ann mentions Ann's old red bicycle"}, nil},
		{"possession, without a date", "I sold my bicycle last Friday in May.", []string{"observation: Ann mentions Ann's bicycle"}, []string{"mentions May", "last"}},
		{"no possession", "The old red bicycle squeaks.", nil, []string{"mentions"}},
		{"topic", "Honey, bread and cheese sell in Lisbon.", []string{"observation: Ann talks about honey, bread, cheese, sell"}, nil},
		{"topic of three words", "Honey, bread, cheese!", []string{"observation: Ann talks about honey, bread, cheese"}, nil},
		{"no topic of two words", "Honey sells.", nil, []string{"talks about"}},
		{"reaction", "How lovely!", []string{"observation: Ann: How lovely!"}, nil},
		{"no reaction: greeting and thanks", "Hey Ben! Thanks! Wow, great!", nil, []string{":"}},
		{"suggestion", "Let's sell honey.", []string{"observation: Ann: Let's sell honey."}, nil},
		{"twice the same", "Bees buzz loudly. Bees buzz loudly.", []string{"fact: Ann: Bees buzz loudly."}, []string{"\nfact: Ann: Bees buzz loudly.\nfact: Ann: Bees"}},

		{"order: fullest first", "Honey sells well. Fresh bread with sesame sells even better in winter.", []string{
			"fact: Ann: Fresh bread with sesame sells even better in winter.", "fact: Ann: Honey sells well.",
		}, nil},
		{"order: a date weighs as three words", "Fresh golden bread with sesame crust sells fast. Honey sold yesterday.", []string{
			"event: Ann: Honey sold on 7 May 2023.", "fact: Ann: Fresh golden bread with sesame crust sells fast.",
		}, nil},
		{"names at the end of a word", "The plAnn shows honey.", []string{"fact: Ann: The plAnn shows honey."}, nil},
		{"order: statements before observations", "Who wants fresh golden sesame bread? Bees buzz.", []string{"fact: Ann: Bees buzz.", "observation: Ann asks Ben: Who wants fresh golden sesame bread?"}, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got := made(t, c.text)
			rest := got
			for _, want := range c.want {
				i := slices.Index(rest, want)
				if !assert.GreaterOrEqual(t, i, 0, "%q is not made, or too early: %q", want, got) {
					break
				}
				rest = rest[i+1:]
			}
			for _, not := range c.not {
				assert.NotContains(t, "\n"+strings.Join(got, "\n")+"\n", not)
			}
		})
	}
}

// Relative dates are resolved by the day of the session, Monday, 8 May 2023.
func TestDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, want string }{
		{"today", "on 8 May 2023"},
		{"tonight", "on 8 May 2023"},
		{"this morning", "on 8 May 2023"},
		{"yesterday", "on 7 May 2023"},
		{"the day before yesterday", "on 6 May 2023"},
		{"last night", "on 7 May 2023"},
		{"yesterday evening", "on 7 May 2023"},
		{"tomorrow", "on 9 May 2023"},
		{"the day after tomorrow", "on 10 May 2023"},
		{"last week", "in the week of 1 May 2023"},
		{"this week", "in the week of 8 May 2023"},
		{"next week", "in the week of 15 May 2023"},
		{"last weekend", "on the weekend of 6 May 2023"},
		{"this past weekend", "on the weekend of 6 May 2023"},
		{"this weekend", "on the weekend of 13 May 2023"},
		{"last month", "in April 2023"},
		{"next month", "in June 2023"},
		{"last year", "in 2022"},
		{"next year", "in 2024"},
		{"last Friday", "on 5 May 2023"},
		{"on last Friday", "on 5 May 2023"},
		{"last Monday", "on 1 May 2023"},
		{"this Friday", "on 12 May 2023"},
		{"next Fri", "on 12 May 2023"},
		{"next Monday", "on 15 May 2023"},
		{"last June", "in June 2022"},
		{"last May", "in May 2022"},
		{"last April", "in April 2023"},
		{"next March", "in March 2024"},
		{"next June", "in June 2023"},
		{"last summer", "in the summer of 2022"},
		{"next summer", "in the summer of 2023"},
		{"this spring", "in the spring of 2023"},
		{"next spring", "in the spring of 2024"},
		{"this past month", "in April 2023"},
		{"a couple months ago", "in March 2023"},
		{"last spring", "in the spring of 2022"}, // this one is not over
		{"two days ago", "on 6 May 2023"},
		{"10 days ago", "on 28 April 2023"},
		{"a couple of days ago", "on 6 May 2023"},
		{"a week ago", "in the week of 1 May 2023"},
		{"three months ago", "in February 2023"},
		{"two years ago", "in 2021"},

		// None of these is one day, week, month or year.
		{"a few days ago", ""},
		{"the other day", ""},
		{"on Friday", ""},
		{"last winter", ""},
		{"the last week of school", ""},
		{"this past week of school", ""},
		{"ages ago", ""},
		{"two jars ago", ""},
		{"1000 days ago", ""},
		{"this past market", ""},
		{"next door", ""},
		{"on yesterday's market", ""},
		{"at last, Friday", ""},
		{"in this sun", ""},
		{"0 days ago", ""},
	} {
		t.Run(c.said, func(t *testing.T) {
			t.Parallel()
			want := c.want
			if want == "" {
				want = c.said
			}
			assert.Contains(t, made(t, "Uncle sold honey "+c.said+" somewhere.")[0], "Ann: Uncle sold honey "+want+" somewhere.")
		})
	}
}

// Days of the month that the other month lacks, and the turn of the year.
func TestDatesAcrossMonths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ day, said, want string }{
		{"2023-03-31", "last month", "in February 2023"},
		{"2023-01-31", "next month", "in February 2023"},
		{"2024-01-01", "yesterday", "on 31 December 2023"},
		{"2024-01-01", "last month", "in December 2023"},
		{"2024-01-01", "last week", "in the week of 25 December 2023"},
		{"2023-05-07", "this weekend", "on the weekend of 6 May 2023"}, // a Sunday
		{"2023-05-07", "this week", "in the week of 1 May 2023"},
		{"2024-02-29", "two years ago", "in 2022"},
		{"8 May 2023", "yesterday", "yesterday"}, // no time as turns have it
		{"", "yesterday", "yesterday"},
	} {
		turns := dialogue("Uncle sold honey "+c.said+".", "Ok.")
		turns[0].Time = c.day
		assert.Contains(t, madeOf(t, turns)[0], "Uncle sold honey "+c.want+".", "%s on %s", c.said, c.day)
	}
}

// The last and the next such day are at most a week away, and never today.
func TestWeekdaysAreNear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		said := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 4000).Draw(r, "day"))
		weekday := time.Weekday(rapid.IntRange(0, 6).Draw(r, "weekday"))
		for word, sign := range map[string]int{"last": -1, "next": 1} {
			turns := dialogue("Uncle sold honey "+word+" "+weekday.String()+".", "Ok.")
			turns[0].Time = said.Format(time.DateOnly)
			memories, err := reference.MaxFacts(1).Parse(context.Background(), turns)
			require.NoError(r, err)
			_, date, found := strings.Cut(memories[0].Text, " on ")
			require.True(r, found, memories[0].Text)
			got, err := time.Parse("2 January 2006.", date)
			require.NoError(r, err)
			days := int(got.Sub(said).Hours()) / 24 * sign
			if got.Weekday() != weekday || days < 1 || days > 7 {
				r.Fatalf("%s %v on %v is %v", word, weekday, said, got)
			}
		}
	})
}

// Who "you" is can be known only if two people talk, and nobody is named without a
// name.
func TestSpeakers(t *testing.T) {
	t.Parallel()
	const text = "I think you own bees."
	two := dialogue(text, "Ok.")
	three := append(dialogue(text, "Ok."), tiaptest.Turn{ID: "c/D1:3", Session: "c/s1", Speaker: "Cleo", Text: "Hm."})
	one := dialogue(text)
	nobody := dialogue(text)
	nobody[0].Speaker = ""
	assert.Contains(t, madeOf(t, two), "observation: Ann thinks Ben owns bees.")
	assert.Contains(t, madeOf(t, three), "observation: Ann thinks you own bees.")
	assert.Contains(t, madeOf(t, one), "observation: Ann thinks you own bees.")
	assert.Contains(t, madeOf(t, nobody), "observation: I think you own bees.")
	nobody[0].Text, nobody[0].Time = "Who sold my honey yesterday?", ""
	assert.Contains(t, madeOf(t, nobody), "observation: asks: Who sold my honey yesterday?")
}

func TestSummary(t *testing.T) {
	t.Parallel()
	turns := dialogue(
		"Honey sells in small jars.", "Where?", "Fresh bread sells in huge baskets. Bees buzz.", "",
		"Cheese sells in thin slices.", "Milk sells in tall bottles.", "Figs sell in paper bags.", "Nuts sell in metal tins.",
		"Eggs hide in straw.", "Salt sells.",
	)
	memories, err := reference.MaxFacts(1).Parse(t.Context(), turns)
	require.NoError(t, err)
	last := memories[len(memories)-1]
	assert.Equal(t, "c/D1:1/summary", last.ID)
	assert.Equal(t, "Session on 8 May 2023 with Ann and Ben: Ann: Honey sells in small jars. Ann: Fresh bread sells in huge baskets."+
		" Ann: Cheese sells in thin slices. Ben: Milk sells in tall bottles. Ann: Figs sell in paper bags. Ben: Nuts sell in metal tins.", last.Text,
		"six statements, the fullest, each of another turn, in their order")
	var sources []string
	for _, l := range last.Sources {
		assert.Equal(t, "container", l.Precision)
		sources = append(sources, l.Turn)
	}
	assert.Len(t, sources, 9)
	assert.NotContains(t, sources, "c/D1:4", "a turn without text")

	memories, err = reference.MaxFacts(1).Parse(t.Context(), dialogue("Hey Ben!", "Where have you been?"))
	require.NoError(t, err)
	assert.Empty(t, memories, "nobody states anything")
}

// The parser passes the tests of a parser at each density, and what a smaller
// density makes is what a larger one makes first.
func TestParserConforms(t *testing.T) {
	t.Parallel()
	turns := conversation(3, 12)
	var before map[string]string
	for _, n := range []int{1, 5, 8} {
		require.NoError(t, record.TestParser(reference.MaxFacts(n), turns, record.Claims{PerTurn: n}), "density %d", n)
		now := make(map[string]string)
		for _, session := range [][]tiaptest.Turn{turns[:12], turns[12:24], turns[24:]} {
			memories, err := reference.MaxFacts(n).Parse(t.Context(), session)
			require.NoError(t, err)
			for _, m := range memories {
				now[m.ID] = m.Text
			}
		}
		for id, text := range before {
			require.Equal(t, text, now[id])
		}
		require.Greater(t, len(now), len(before), "density %d adds nothing", n)
		before = now
	}
	require.Error(t, record.TestParser(reference.MaxFacts(5), turns, record.Claims{PerTurn: 4}), "the test can fail")
}

func TestParserWithoutFacts(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, -1} {
		_, err := reference.MaxFacts(n).Parse(t.Context(), dialogue("Bees buzz."))
		assert.ErrorContains(t, err, "use a number from 1 on")
	}
}

func FuzzParser(f *testing.F) {
	f.Add("I bought a red bicycle last Friday, and my sister's dog - yeah - loves it! (image description: a dog)", "Ann", "2023-05-08")
	f.Add("“I” you'd' 'tis [image: ]]( two weeks ago the day before", "I", "9999-12-31")
	f.Add("\xff I\u2028you ’ve. ...?!\" e.g. x.", "\xff", "0000-01-01")
	f.Fuzz(func(t *testing.T, text, speaker, day string) {
		turns := dialogue(text, "Ok, you said it.")
		turns[0].Speaker, turns[0].Time = strings.ToValidUTF8(speaker, "?"), day
		memories, err := reference.MaxFacts(3).Parse(t.Context(), turns)
		require.NoError(t, err)
		again, err := reference.MaxFacts(3).Parse(t.Context(), turns)
		require.NoError(t, err)
		require.Equal(t, memories, again)
		made := make(map[string]int)
		for _, m := range memories {
			require.True(t, utf8.ValidString(m.Text), "%q", m.Text)
			require.NotEmpty(t, m.Sources)
			for _, l := range m.Sources {
				require.False(t, l.Turn == turns[0].ID && strings.TrimSpace(text) == "", "made of nothing: %q", m.Text)
			}
			if m.Form != "summary" {
				made[m.Sources[0].Turn]++
			}
		}
		for turn, n := range made {
			require.LessOrEqual(t, n, 3, turn)
		}
	})
}
