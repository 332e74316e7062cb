// Package reference is a small memory system to try the rest of this module with:
// a parser of rules, a store with its lineage, lexical and dense retrieval. It
// needs no model and no network, and the same turns always give the same store and
// the same rankings.
//
//	b, err := scenarios.Density(ctx, scenario, reference.MaxFacts, []int{1, 5, 8}, reference.Lexical, record.Options{Cacheable: true})
//
// The parser sees the turns of a session, the searchers see memories and the text
// and scope of a query. Answers, evidence and categories are out of reach.
//
// # What the parser makes
//
// A turn is split into sentences, a sentence of several clauses also into these.
// Each becomes a memory:
//
//	event        it is in the simple past, or names a day, a month or a year
//	observation  it has a word of attitude, such as love, hope, proud or "let's"
//	fact         any other
//
// Less than statements, and so made last, are further observations, in this order:
// what an image shows, what is asked, each name and each "my ..." that is
// mentioned, the topic (three to eight words of content), and exclamations with a
// single word of content. Greetings and thanks make nothing. Among statements the
// ones with more words of content come first, and those with a date before others.
// Of these memories a turn has at most as many as [MaxFacts] says.
//
// A session has one summary: the fullest statements, each of another turn, at most
// six. It descends from all turns of the session, with the precision container.
// Every other memory descends from its turn, exactly.
//
// "I" and "my" become the name of the speaker, and "you" and "your", if two people
// talk, that of the other one; not so in quotation marks. A statement that names
// the speaker nowhere begins with the name. Relative dates become absolute by the
// time of the turn: today, yesterday, tomorrow, tonight and last night; last, this
// and next week, weekend, month, year, season, day of the week and month of the
// year; "two weeks ago" and "a couple of days ago".
//
// # What it can't do
//
// The rules are lists of English words. Text in other languages makes few memories,
// with the words as they are. "Last Friday" and "next Friday" are always the nearest
// ones. "A few days ago", "on Friday", "last winter" and holidays stay as they
// are. Pronouns of third persons, and "we", are not resolved; verbs that the lists
// lack do not agree ("Ann refuse"); "I'd" is always "would". A past tense is
// recognised among the first eight words. The truth of a statement is not judged:
// irony and jokes become facts. Memories are never merged, updated or deleted, so
// that what is superseded stays.
package reference
