package reference

import "strings"

// persons puts the names of the speaker and the listener in the place of "I",
// "my", "you", "your" and the like, with the verb that follows. An empty name
// leaves its words as they are, and so do quotation marks: somebody else may be
// speaking.
func persons(text string, ws []word, speaker, listener string) []edit {
	var edits []edit
	quoted, read := false, 0 // up to where
	for i, w := range ws {
		if strings.Count(text[read:w.start], `"`)%2 == 1 || strings.ContainsAny(text[read:w.start], "“”") {
			quoted = !quoted
		}
		read = w.start
		if quoted {
			continue
		}
		stem, ending, _ := strings.Cut(w.lower, "'")
		name := speaker
		switch stem {
		case "i", "me", "my", "mine", "myself":
		case "you", "your", "yours", "yourself":
			name = listener
		default:
			continue
		}
		if name == "" || stem == "you" && i+1 < len(ws) && several[ws[i+1].lower] {
			continue
		}
		third := name
		switch stem {
		case "my", "your", "mine", "yours":
			third += "'s"
		}
		if long, ok := contracted[ending]; ok {
			third += " " + long
		} else if ending != "" {
			continue
		}
		edits = append(edits, edit{w.start, w.end, third})
		if (stem == "i" || stem == "you" && (i == 0 || !governs[ws[i-1].lower])) && ending == "" {
			if e, ok := agree(ws, i+1); ok {
				edits = append(edits, e)
			}
		}
	}
	return edits
}

var contracted = map[string]string{"m": "is", "re": "is", "ve": "has", "ll": "will", "d": "would"}

// several lists words behind which "you" is not the listener alone.
var several = set("all both guys two three")

// governs lists words behind which "you" is no subject.
var governs = set("to for with of about at by from on in help helps let makes make made thank see tell give gave show do did does can could will would")

var adverbs = set("also always already just really never often still even usually sometimes only truly totally definitely actually currently finally recently almost too")

// agree is the third person of the verb at a word, behind adverbs.
func agree(ws []word, i int) (edit, bool) {
	for i < len(ws) && adverbs[ws[i].lower] {
		i++
	}
	if i == len(ws) {
		return edit{}, false
	}
	w := ws[i]
	switch {
	case irregular[w.lower] != "":
		return edit{w.start, w.end, irregular[w.lower]}, true
	case present[w.lower]:
		return edit{w.start, w.end, thirdPerson(w.lower)}, true
	}
	return edit{}, false
}

var irregular = map[string]string{
	"am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "don't": "doesn't",
	"haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't",
}

// present lists verbs that are common behind "I" in the present tense. Others
// keep their form, since a past tense may look the same.
var present = set(`
	admire adore agree appreciate ask bake believe bring build call camp care carry chat check clean climb collect
	compete cook create dance design draw dream drink drive eat enjoy exercise feel find fish garden get give go
	grow guess hate hear help hike hope imagine keep knit know learn like listen live look love make mean meet
	mentor miss need own paint perform plan play practice practise prefer prepare produce promise raise recommend
	relax remember repair report rescue respect rest return ride row run sail save say see sell send serve sew share
	shop sign sing sit skate ski sleep smile speak spend stand start stay stop struggle study suggest support swim
	take talk teach tell think train travel treasure trust try understand use value visit volunteer vote wait walk
	want watch welcome win wish wonder work worry write`)

func thirdPerson(verb string) string {
	n := len(verb)
	switch {
	case verb[n-1] == 'y' && strings.IndexByte("aeiou", verb[n-2]) < 0:
		return verb[:n-1] + "ies"
	case strings.IndexByte("sxzo", verb[n-1]) >= 0, strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "sh"):
		return verb + "es"
	}
	return verb + "s"
}
