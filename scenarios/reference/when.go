package reference

import (
	"strconv"
	"strings"
	"time"
)

// day reads the day of a time as turns have it: what stands before its clock.
func day(s string) (time.Time, bool) {
	const layout = time.DateOnly
	if len(s) < len(layout) {
		return time.Time{}, false
	}
	t, err := time.Parse(layout, s[:len(layout)])
	return t, err == nil
}

const onDay = "2 January 2006"

// dates puts dates in the place of what is said relative to a day, such as
// "yesterday", "last Friday", "two weeks ago" and "next month".
func dates(text string, ws []word, said time.Time) []edit {
	var edits []edit
	for i := 0; i < len(ws); i++ {
		if date, n := relative(ws[i:], said); n > 0 && adjacent(text, ws[i:i+n]) {
			start := ws[i].start
			if i > 0 && (ws[i-1].lower == "on" || ws[i-1].lower == "in") && adjacent(text, ws[i-1:i+1]) {
				start = ws[i-1].start // "on last Friday"
			}
			edits = append(edits, edit{start, ws[i+n-1].end, date})
			i += n - 1
		}
	}
	return edits
}

// adjacent says whether nothing but blanks stands between words.
func adjacent(text string, ws []word) bool {
	for i := 1; i < len(ws); i++ {
		if strings.TrimSpace(text[ws[i-1].end:ws[i].start]) != "" {
			return false
		}
	}
	return true
}

// relative reads the relative date that words begin with, and says of how many
// words it is; 0 if it is none.
func relative(ws []word, said time.Time) (date string, n int) {
	at := func(i int) string {
		if i < len(ws) {
			return ws[i].lower
		}
		return ""
	}
	on := func(days int) string { return "on " + said.AddDate(0, 0, days).Format(onDay) }
	switch at(0) {
	case "today", "tonight":
		return on(0), 1
	case "yesterday", "tomorrow":
		days := 1
		if at(0) == "yesterday" {
			days = -1
		}
		if hours[at(1)] {
			return on(days), 2
		}
		return on(days), 1
	case "the":
		switch {
		case at(1) == "day" && at(2) == "before" && at(3) == "yesterday":
			return on(-2), 4
		case at(1) == "day" && at(2) == "after" && at(3) == "tomorrow":
			return on(2), 4
		case at(1) == "other": // "the other day", and never "other day"
			return "", 0
		}
	case "this":
		switch {
		case hours[at(1)] && at(1) != "night":
			return on(0), 2
		case at(1) == "past":
			if date, ok := period(-1, at(2), said); ok && at(3) != "of" {
				return date, 3
			}
		}
		if date, ok := period(0, at(1), said); ok && at(2) != "of" {
			return date, 2
		}
	case "last":
		if at(1) == "night" {
			return on(-1), 2
		}
		if date, ok := period(-1, at(1), said); ok && at(2) != "of" {
			return date, 2
		}
	case "next":
		if date, ok := period(1, at(1), said); ok && at(2) != "of" {
			return date, 2
		}
	}
	count, used := amount(at(0), at(1), at(2))
	if used > 0 && at(used+1) == "ago" {
		if date, ok := ago(count, at(used), said); ok {
			return date, used + 2
		}
	}
	return "", 0
}

var hours = set("morning afternoon evening night")

var amounts = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
	"seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}

// amount reads a number in words or digits and says of how many words it is.
// "a few" is none.
func amount(a, b, c string) (n, used int) {
	if a == "a" && b == "couple" {
		if c == "of" {
			return 2, 3
		}
		return 2, 2
	}
	if n, ok := amounts[a]; ok {
		return n, 1
	}
	if n, err := strconv.Atoi(a); err == nil && 0 < n && n < 1000 {
		return n, 1
	}
	return 0, 0
}

func ago(n int, unit string, said time.Time) (string, bool) {
	switch strings.TrimSuffix(unit, "s") {
	case "day":
		return "on " + said.AddDate(0, 0, -n).Format(onDay), true
	case "week":
		return week(said.AddDate(0, 0, -7*n)), true
	case "month":
		return month(said, -n), true
	case "year":
		return year(said, -n), true
	}
	return "", false
}

// week names a week by its Monday.
func week(t time.Time) string {
	return "in the week of " + t.AddDate(0, 0, -(int(t.Weekday())+6)%7).Format(onDay)
}

// month counts from the first of the month: a day that the other month lacks
// would spill over into the next one.
func month(t time.Time, add int) string {
	return "in " + time.Date(t.Year(), t.Month()+time.Month(add), 1, 0, 0, 0, 0, time.UTC).Format("January 2006")
}

func year(t time.Time, add int) string { return "in " + strconv.Itoa(t.Year()+add) }

// period is the last (-1), this (0) or next (1) week, weekend, month, year,
// season, day of the week or month of the year. The last and the next Friday are
// those nearest to the day of the session, and so is this Friday, ahead or on it.
func period(step int, unit string, said time.Time) (string, bool) {
	switch unit {
	case "week":
		return week(said.AddDate(0, 0, 7*step)), true
	case "weekend":
		saturday := said.AddDate(0, 0, -(int(said.Weekday())+6)%7+5)
		return "on the weekend of " + saturday.AddDate(0, 0, 7*step).Format(onDay), true
	case "month":
		return month(said, step), true
	case "year":
		return year(said, step), true
	case "spring", "summer", "autumn", "fall":
		return season(step, unit, said)
	}
	if d, ok := weekdays[unit]; ok {
		ahead := (int(d) - int(said.Weekday()) + 7) % 7
		switch {
		case step < 0:
			ahead -= 7
		case step > 0 && ahead == 0:
			ahead = 7
		}
		return "on " + said.AddDate(0, 0, ahead).Format(onDay), true
	}
	if m, ok := months[unit]; ok {
		y := said.Year()
		switch {
		case step < 0 && m >= said.Month():
			y--
		case step > 0 && m <= said.Month():
			y++
		}
		return "in " + m.String() + " " + strconv.Itoa(y), true
	}
	return "", false
}

// season is the nearest one that is over, for the last, or that has not begun,
// for the next. Winters, of two years each, are left as they are.
func season(step int, name string, said time.Time) (string, bool) {
	first := map[string]time.Month{"spring": time.March, "summer": time.June, "autumn": time.September, "fall": time.September}[name]
	y := said.Year()
	switch {
	case step < 0 && said.Month() < first+3:
		y--
	case step > 0 && said.Month() >= first:
		y++
	}
	return "in the " + name + " of " + strconv.Itoa(y), true
}

var weekdays, months = calendar()

func calendar() (map[string]time.Weekday, map[string]time.Month) {
	days, months := make(map[string]time.Weekday), make(map[string]time.Month)
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		days[name] = d
		days[name[:3]] = d
	}
	days["tues"], days["thurs"] = time.Tuesday, time.Thursday
	delete(days, "sun") // shines
	for m := time.January; m <= time.December; m++ {
		months[strings.ToLower(m.String())] = m
	}
	return days, months
}

// ofTime says whether a word is likely part of a date.
func ofTime(word string) bool {
	_, isDay := weekdays[word]
	_, isMonth := months[word]
	return isDay || isMonth || hours[word] || times[word]
}

var times = set("last next ago today tonight yesterday tomorrow day days week weeks weekend month months year years")

// dated says whether a text with its dates in place names a day, a month or a
// year.
func dated(ws []word) bool {
	for i, w := range ws {
		if n, err := strconv.Atoi(w.lower); err == nil && len(w.lower) == 4 && 1900 <= n && n < 2100 {
			return true
		}
		if _, ok := months[w.lower]; ok && w.lower != "may" && w.lower != "march" {
			return true
		}
		if (w.lower == "may" || w.lower == "march") && i > 0 && (ws[i-1].lower == "in" || startsWithDigit(ws[i-1].lower)) {
			return true
		}
	}
	return false
}

func startsWithDigit(s string) bool { return s[0] >= '0' && s[0] <= '9' }
