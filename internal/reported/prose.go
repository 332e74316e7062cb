package reported

import (
	"regexp"
	"strings"
)

// Prose that states something about a table.
var prosePatterns = map[string]*regexp.Regexp{
	"target": regexp.MustCompile(`(?i)\btargets?:? +([a-z]+(?:\([a-z]+\))*)|\b(?:under )?(raw|source|canonical) target\b|\bunder (raw|source|canonical)\b`),
	"credit": regexp.MustCompile(`(?i)\b(?:credit(?:ed|ing)?:?|scored) +(?:by )?(evidence|memory)\b|\bby (evidence|memory)\b`),
	"depth":  regexp.MustCompile(`(?i)\b(?:depth|top)[ :=-]*(\d+)\b`),
	"n":      regexp.MustCompile(`(?i)\bn *= *([\d,]*\d)|\b([\d,]*\d)(?: of [\d,]*\d)? (?:shared |scored |covered )?queries\b`),
}

// prose reads what texts state. The first text that states something counts.
func (r *reader) prose(texts []string) Statement {
	s := Statement{}
	for i := 0; i < len(texts) && len(s) < len(prosePatterns); i++ {
		for key, value := range r.saidBy(texts[i]) {
			if s[key] == "" {
				s[key] = value
			}
		}
	}
	return s
}

// saidBy is what a text states.
func (r *reader) saidBy(text string) Statement {
	if s, ok := r.said[text]; ok {
		return s
	}
	s := Statement{}
	for key, pattern := range prosePatterns {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			value := strings.ToLower(strings.Join(found[1:], ""))
			if s[key] == "" && (key != "target" || r.words.Target(value)) {
				s[key] = value
			}
		}
	}
	r.said[text] = s
	return s
}
