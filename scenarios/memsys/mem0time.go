package memsys

import (
	"cmp"
	"strings"
	"time"
)

// noZone is RFC 3339 for times that have no zone.
const noZone = "2006-01-02T15:04:05.999999999"

// parseTime reads a time of Mem0: ISO 8601, with T or a space, and with or
// without a zone.
func parseTime(text string) (t time.Time, zone, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true, true
		}
	}
	t, err := time.Parse(noZone, text)
	return t, false, err == nil
}

// time writes a time of Mem0 in RFC 3339, in its own zone if it has one.
func (m *mem0) time(text, at string) string {
	if text == "" {
		return ""
	}
	t, zone, ok := parseTime(text)
	switch {
	case !ok:
		m.tally.Add(noteMem0Time, at+": "+text)
		return ""
	case !zone:
		return t.Format(noZone)
	}
	return t.Format(time.RFC3339Nano)
}

// expires returns the end of an expiration date, which is in UTC, or of a time.
func (m *mem0) expires(text, at string) string {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1).Format(time.RFC3339)
	}
	return m.time(text, at)
}

// earlierTime returns the earlier of two times in RFC 3339, either of which may be
// missing.
func earlierTime(a, b string) string {
	if a == "" || b == "" {
		return cmp.Or(a, b)
	}
	s, _, _ := parseTime(a)
	t, _, _ := parseTime(b)
	if t.Before(s) {
		return b
	}
	return a
}
