package reference

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// MaxFacts is a parser that makes at most n memories of a turn by rules, the
// fullest first, so that those of a smaller n are among those of a larger one, and
// a summary of a session. The package documentation has the rules. Ids are those
// of turns with a form and a number, as in conv-26/D1:3/fact/1. Parse fails when n
// is not positive.
func MaxFacts(n int) record.Parser { return parser{n} }

type parser struct{ maxFacts int }

// The forms of memory that a parser makes.
const (
	fact        = "fact"
	event       = "event"
	observation = "observation"
	summary     = "summary"
)

// Forms says what each form of memory is, for system.json.
func (p parser) Forms() map[string]string {
	return map[string]string{
		fact:        "a statement of a turn, with the speaker named and relative dates resolved",
		event:       "a statement of a turn about what happened or has a date",
		observation: "an attitude, a question, an image, a name, the topic or a reaction noticed in a turn",
		summary:     "the fullest statements of a session",
	}
}

func (p parser) Parse(ctx context.Context, turns []tiaptest.Turn) ([]tiaptest.Memory, error) {
	if p.maxFacts < 1 {
		return nil, fmt.Errorf("at most %d memories of a turn; use a number from 1 on", p.maxFacts)
	}
	var out []tiaptest.Memory
	people := speakers(turns)
	s := digest{people: people}
	for _, t := range turns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.TrimSpace(t.Text) == "" {
			continue
		}
		found := notice(t, listener(people, t.Speaker))
		s.add(t, found)
		for i, n := range found[:min(len(found), p.maxFacts)] {
			out = append(out, tiaptest.Memory{
				ID:      t.ID + "/" + n.form + "/" + strconv.Itoa(i+1),
				Form:    n.form,
				Sources: []tiaptest.Link{{Turn: t.ID}},
				Text:    n.text,
			})
		}
	}
	if m, ok := s.memory(); ok {
		out = append(out, m)
	}
	return out, nil
}

// speakers lists who speaks, in the order of their first turns.
func speakers(turns []tiaptest.Turn) []string {
	var out []string
	for i := range turns {
		if s := turns[i].Speaker; s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// listener is who "you" is: the other one of two. It is empty when that is not
// known.
func listener(people []string, speaker string) string {
	if len(people) == 2 && speaker == people[0] {
		return people[1]
	}
	if len(people) == 2 && speaker == people[1] {
		return people[0]
	}
	return ""
}

// note is what is noticed in a turn.
type note struct {
	form, text string
	weight     int
}

// Weights of notes that are no statements: below every statement, in this order.
const (
	weighImage = -iota - 1
	weighQuestion
	weighName
	weighTopic
	weighReaction
)

// notice lists what a turn says, the fullest statements first. No two notes have
// the same text.
func notice(t tiaptest.Turn, listener string) []note {
	r := reader{speaker: t.Speaker, listener: listener, seen: make(map[string]bool), known: make(map[string]bool), people: make(map[string]bool)}
	for _, w := range words(t.Speaker + " " + listener) {
		r.people[w.lower] = true
	}
	r.said, r.hasDay = day(t.Time)
	text, image := cutImage(strings.ToValidUTF8(t.Text, "\uFFFD"))
	for _, s := range sentences(text) {
		r.sentence(s)
	}
	if image != "" {
		r.note(observation, r.by("shares an image:")+" "+image, weighImage)
	}
	for _, name := range r.names {
		r.note(observation, r.by("mentions")+" "+name, weighName)
	}
	if len(r.topic) >= 3 {
		r.note(observation, r.by("talks about")+" "+enumerate(r.topic[:min(len(r.topic), 8)]), weighTopic)
	}
	slices.SortStableFunc(r.notes, func(a, b note) int { return b.weight - a.weight })
	return r.notes
}

// cutImage separates the description of an image from a text, as in "Look!
// (image description: a dog)" or "[image: a dog]".
func cutImage(text string) (rest, image string) {
	for _, form := range []struct{ open, close string }{{"(image description: ", ")"}, {"[image: ", "]"}} {
		before, after, found := strings.Cut(text, form.open)
		if i := strings.LastIndex(after, form.close); found && i >= 0 {
			return before + after[i+1:], strings.TrimSpace(after[:i])
		}
	}
	return text, ""
}

// reader collects the notes of a turn.
type reader struct {
	speaker, listener string
	said              time.Time
	hasDay            bool

	notes  []note
	seen   map[string]bool // texts of notes
	names  []string
	topic  []string
	known  map[string]bool // names and words of the topic
	people map[string]bool // words of the names of speaker and listener
}

func (r *reader) note(form, text string, weight int) {
	if !r.seen[text] {
		r.seen[text] = true
		r.notes = append(r.notes, note{form, text, weight})
	}
}

// by puts the speaker before a verb; without a name it is the verb.
func (r *reader) by(verb string) string {
	if r.speaker == "" {
		return verb
	}
	return r.speaker + " " + verb
}

func (r *reader) sentence(s sentence) {
	text := trimOpening(s.text)
	ws := words(text)
	r.collect(text, ws)
	switch n := r.content(ws); {
	case n == 0 || len(ws) < 2:
	case s.question:
		if n >= 2 {
			asks := "asks:"
			if r.listener != "" {
				asks = "asks " + r.listener + ":"
			}
			r.note(observation, r.by(asks)+" "+r.resolve(text), weighQuestion)
		}
	case n == 1:
		r.note(observation, r.tell(text), weighReaction)
	default:
		parts := clauses(text)
		if len(parts) > 1 {
			r.statement(text)
		}
		for _, part := range parts {
			if r.content(words(part)) >= 2 {
				r.statement(part)
			}
		}
	}
}

// statement notes a sentence or a clause of two or more words of content.
func (r *reader) statement(text string) {
	ws := words(text)
	happened := past(ws)
	text = r.tell(text)
	ws = words(text)
	weight := min(r.content(ws), 12)
	form := fact
	switch withDate := dated(ws); {
	case withDate:
		form, weight = event, weight+3
	case happened:
		form, weight = event, weight+1
	case feeling(ws):
		form, weight = observation, weight-1
	}
	r.note(form, text, max(weight, 0))
}

// resolve puts dates in the place of relative ones.
func (r *reader) resolve(text string) string {
	if !r.hasDay {
		return text
	}
	return rewrite(text, dates(text, words(text), r.said))
}

// tell writes what is said as a third person would, and so that the speaker is
// named.
func (r *reader) tell(text string) string {
	ws := words(text)
	edits := persons(text, ws, r.speaker, r.listener)
	if r.hasDay {
		edits = append(edits, dates(text, ws, r.said)...)
	}
	text = rewrite(text, edits)
	if r.speaker != "" && !names(text, r.speaker) {
		text = r.speaker + ": " + text
	}
	return text
}

// names says whether a text has a name as whole words.
func names(text, name string) bool {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
	}
}

// collect keeps the names and the words of content of a sentence. A name is a
// run of words with capitals that does not open the sentence, or what somebody
// calls "my".
func (r *reader) collect(text string, ws []word) {
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		if owner := r.owner(w.lower); owner != "" {
			end := i + 1
			for end < len(ws) && end < i+4 && !stops[ws[end].lower] && !feelings[ws[end].lower] && !ofTime(ws[end].lower) && adjacent(text, ws[end-1:end+1]) {
				end++
			}
			if end > i+1 {
				r.mention(owner + "'s " + text[ws[i+1].start:ws[end-1].end])
			}
		}
		if i > 0 && r.name(text, w) {
			end := i + 1
			for end < len(ws) && r.name(text, ws[end]) && text[ws[end-1].end:ws[end].start] == " " {
				end++
			}
			r.mention(strings.TrimSuffix(text[w.start:ws[end-1].end], "'s"))
			i = end - 1
			continue
		}
		if 3 < len(w.lower) && len(w.lower) < 40 && !strings.Contains(w.lower, "'") && !r.people[w.lower] &&
			!stops[w.lower] && !chatter[w.lower] && !feelings[w.lower] && !ofTime(w.lower) && !r.known[w.lower] {
			r.known[w.lower] = true
			r.topic = append(r.topic, w.lower)
		}
	}
}

func (r *reader) mention(name string) {
	if !r.known[name] {
		r.known[name] = true
		r.names = append(r.names, name)
	}
}

// owner is whose "my" or "your" is; empty for other words or when not known.
func (r *reader) owner(word string) string {
	switch word {
	case "my":
		return r.speaker
	case "your":
		return r.listener
	}
	return ""
}

// name says whether a word may be one of a name: it has a capital, and is none of
// the words that have one for another reason.
func (r *reader) name(text string, w word) bool {
	c := text[w.start]
	return 'A' <= c && c <= 'Z' && 1 < len(w.lower) && len(w.lower) < 40 && !ofTime(w.lower) &&
		!r.people[strings.TrimSuffix(w.lower, "'s")] && !stops[w.lower] && !chatter[w.lower]
}

// enumerate joins words by commas.
func enumerate(list []string) string { return strings.Join(list, ", ") }

// trimOpening leaves out what a sentence opens with before it says anything:
// "Yeah, ...", "Oh, and ...", "So we ...".
func trimOpening(text string) string {
	for {
		ws := words(text)
		if len(ws) < 3 {
			return text
		}
		apart := strings.HasPrefix(text[ws[0].end:ws[1].start], ",")
		switch first, second := ws[0].lower, ws[1].lower; {
		case first == "and" || first == "but" || first == "so" && opens[second]:
		case chatter[first] && (apart || joins[second] || chatter[second]):
		default:
			return text
		}
		text = text[ws[1].start:]
	}
}

// content counts the words that say something. The names of those who talk say
// nothing.
func (r *reader) content(ws []word) int {
	n := 0
	for _, w := range ws {
		if !stops[w.lower] && !chatter[w.lower] && !r.people[strings.TrimSuffix(w.lower, "'s")] {
			n++
		}
	}
	return n
}

// past says whether words tell what happened: a verb in the simple past near the
// beginning. What makes it a participle or an adjective, denies it or supposes it
// must not come before.
func past(ws []word) bool {
	for i, w := range ws[:min(len(ws), 8)] {
		if supposes[w.lower] {
			return false
		}
		if !pasts[w.lower] && (len(w.lower) < 5 || !strings.HasSuffix(w.lower, "ed") || feelings[w.lower] || notPast[w.lower]) {
			continue
		}
		j := i - 1
		for j >= 0 && adverbs[ws[j].lower] && ws[j].lower != "never" {
			j--
		}
		if j < 0 || !participle(ws[j].lower) {
			return true
		}
	}
	return false
}

// participle says whether a verb behind a word is likely no simple past.
func participle(before string) bool {
	_, ending, found := strings.Cut(before, "'")
	return aux[before] || found && ending != ""
}

// feeling says whether words tell an attitude.
func feeling(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool { return feelings[w.lower] })
}

var (
	stops = set(`
		a about after again all am an and any are aren't as at be because been before being both but by can can't could
		did didn't do does doesn't doing don't down each else even ever every few for from get gets getting go going gonna got had has have
		having he her here hers him his how i i'd i'll i'm i've if in into is isn't it it's its just let let's like lot lots made make makes
		many me more most much my myself no nor not now of off on one only or other our out over own really same she so some something
		such than that that's the their them then there there's these they they're thing things this those through to too up us very wanna was
		wasn't way we we'd we'll we're we've were weren't what what's when where which while who why will with won't would
		yet you you'd you'll you're you've your yours also already always still though kinda gotta 'cause cause stuff`)

	chatter = set(`
		absolutely anyway aw aww awesome btw bye cheers congrats congratulations cool definitely exactly glad good great haha hello hey hi hmm
		lol nice no nope oh ok okay omg please right sorry sounds sure thank thanks totally true ugh well whoa woah wow yay yea yeah yep
		yes yup amazing wonderful`)

	feelings = set(`
		let's adore afraid agree amazed amazing angry anxious appreciate awesome beautiful believe best calm confident cool cute dislike
		dream dreams enjoy enjoys enjoyed excited exciting excitement fan fantastic fav fave favorite favourite feel feeling feels felt fun glad grateful great
		happy hate hates hope hopes hoping important impressed incredible inspired inspiring interested interesting joy love loves loved lovely lucky
		miss misses nervous passion passionate peaceful perfect prefer prefers proud relaxing sad scared special stressed stressful surprised
		thankful think thinks thrilled tired tough want wants wish wishes wonderful worried`)

	pasts = set(`
		ate became began bought broke brought built came caught chose did drew drove fell felt forgot fought found gave got grew had heard
		held hurt kept knew learnt led left lent lost made met ran rode said sang sat saw sent shook slept sold spent spoke stood swam
		taught told took thought understood went woke won wore wrote`)

	notPast = set("need indeed speed breed exceed succeed hundred naked sacred wicked proceed")

	supposes = set("if unless wish wished imagine suppose")

	aux = set("never not am is are was were be been being has have had having get getting feel feels feeling felt so very really to can could will would should might may must not a an the my your his her our their of for with by")
)
