package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// Levels of gold.
const (
	goldTurn     = "turn"
	goldUserTurn = "user-turn"
	goldSession  = "session"
	goldGroup    = "group"
	goldMessage  = "message"
)

// goldLevels are the levels of a benchmark, the default first, as the summary
// states them.
var goldLevels = map[string][]struct{ level, rule string }{
	longMemEvalName: {
		{goldTurn, "each turn with has_answer is an evidence unit"},
		{goldUserTurn, "each user turn with has_answer is an evidence unit"},
		{goldSession, "each answer session is an evidence unit, any of its turns counts"},
	},
	beamName: {
		{goldGroup, "each named group or event is an evidence unit, any of its messages counts; a listed message is a unit of its own"},
		{goldMessage, "each message is an evidence unit, whatever group names it"},
	},
}

// Gold chooses the evidence of LongMemEval:
//
//	turn       each turn with has_answer is a unit (the default)
//	user-turn  each user turn with has_answer, as upstream scores turns
//	session    each answer session is a unit of which any turn counts
//
// They disagree: 51 questions that are not about abstention have evidence only in
// turns of the assistant, or in none. And that of BEAM:
//
//	group    each named group or event is a unit of which any message counts (the default)
//	message  each message is a unit, as MTEL-Mem counts
func Gold(level string) Option {
	return func(s *settings) error {
		var levels []string
		for _, l := range goldLevels[s.format] {
			levels = append(levels, l.level)
		}
		switch {
		case levels == nil:
			return fmt.Errorf("gold: an option of longmemeval and beam, not of %s; leave it out", s.format)
		case !slices.Contains(levels, level):
			return fmt.Errorf("gold: unknown level %q of %s; use %s", level, s.format, strings.Join(levels, ", "))
		}
		s.gold = level
		return nil
	}
}

// defaultGold is the level of a benchmark unless another one is chosen.
func defaultGold(format string) string {
	if levels := goldLevels[format]; levels != nil {
		return levels[0].level
	}
	return ""
}

// goldRule states the level.
func (s *settings) goldRule() string {
	for _, l := range goldLevels[s.format] {
		if l.level == s.gold {
			return "gold " + l.level + ": " + l.rule
		}
	}
	return ""
}
