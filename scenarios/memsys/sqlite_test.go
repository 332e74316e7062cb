package memsys_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/tiaptest/tiap/scenarios/memsys"
	"github.com/tiaptest/tiap/tiaptest"
)

const mem0Table = `CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
	created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);`

// database returns the bytes of an SQLite database that the statements make.
func database(tb testing.TB, statements string) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "history.db")
	db, err := sql.Open("sqlite", file)
	require.NoError(tb, err)
	_, err = db.Exec(statements)
	require.NoError(tb, err)
	require.NoError(tb, db.Close())
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	return string(text)
}

// mem0Database is an export with one stored memory, a database as its history and an
// answer without hits.
func mem0Database(db string) export {
	return export{
		content: map[string]string{"store.json": `[{"id":"kept","memory":"K"}]`, "history.db": db, "search.jsonl": `{"query":"conv-90/qa0","result":[]}`},
		store:   []string{"store.json"}, history: "history.db", search: []string{"search.jsonl"},
	}
}

func TestMem0SQLite(t *testing.T) {
	t.Parallel()
	const deleted = `INSERT INTO history (id, memory_id, old_memory, new_memory, event) VALUES ('2', 'a', 'x', NULL, 'DELETE');`
	gone := []tiaptest.Memory{{ID: "a", Form: "fact", Status: "deleted", Text: "x"}}
	for name, c := range map[string]struct {
		statements string
		want       []tiaptest.Memory
	}{
		"as Mem0 makes it": {mem0Table + `INSERT INTO history VALUES
			('9', 'a', NULL, 'first', 'ADD', '2031-03-12 09:05:00', NULL, 0, NULL, NULL), ('1', 'a', 'first', 'x', 'UPDATE', '2031-03-12 09:05:00', '2031-03-12T10:05:00.25-07:00', 0, NULL, NULL),
			('5', 'a', 'x', NULL, 'DELETE', NULL, '2031-03-13T10:05:00Z', 1, NULL, NULL);`,
			[]tiaptest.Memory{{ID: "a", Form: "fact", Status: "deleted", ValidFrom: "2031-03-12T10:05:00.25-07:00", ValidTo: "2031-03-13T10:05:00Z", Text: "x"}}},
		"without the later columns":  {`CREATE TABLE history (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT);` + deleted, gone},
		"with columns of its own":    {`CREATE TABLE history (extra BLOB DEFAULT x'00', id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT);` + deleted, gone},
		"in the order of insertion":  {`CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT); INSERT INTO history VALUES ('2', 'a', NULL, 'y', 'ADD'), ('1', 'a', 'y', 'x', 'UPDATE'), ('0', 'a', NULL, NULL, 'DELETE');`, gone},
		"with a write-ahead log":     {"PRAGMA journal_mode = WAL;" + mem0Table + deleted, gone},
		"in UTF-16":                  {"PRAGMA encoding = 'UTF-16le';" + mem0Table + deleted, gone},
		"with large pages and holes": {"PRAGMA page_size = 65536;" + mem0Table + `CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(300000)); DELETE FROM t;` + deleted, gone},
		"with a row of many pages":   {mem0Table + `INSERT INTO history (id, memory_id, old_memory, event) VALUES ('1', 'a', replace(hex(zeroblob(20000)), '0', 'x'), 'DELETE');`, []tiaptest.Memory{{ID: "a", Form: "fact", Status: "deleted", Text: strings.Repeat("x", 40000)}}},
		"without rows":               {mem0Table, []tiaptest.Memory{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := memsys.Mem0(conv90(), mem0Database(database(t, c.statements)).files(t))
			require.NoError(t, err)
			same(t, c.want, in.System.Ingests[0].Memories[1:])
		})
	}
}

func TestMem0SQLiteRefuses(t *testing.T) {
	t.Parallel()
	const columns = "memory_id, old_memory, new_memory, event"
	for name, c := range map[string]struct{ statements, want string }{
		"no table":        {"CREATE TABLE messages (id TEXT);", "history.db: the database has no table history; copy history.db again"},
		"a view":          {"CREATE VIEW history AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS memory_id, 'x' AS old_memory, 'x' AS new_memory, 'ADD' AS event FROM n;", "the database has no table history"},
		"a virtual table": {"CREATE VIRTUAL TABLE history USING fts5(" + columns + ");", "the database has no table history"},
		"no column":       {"CREATE TABLE history (memory_id TEXT, event TEXT, new_memory TEXT);", "the table history has no column old_memory"},
		"no row ids":      {"CREATE TABLE history (memory_id TEXT PRIMARY KEY, old_memory TEXT, new_memory TEXT, event TEXT) WITHOUT ROWID;", "no such column: rowid"},
		"a blob":          {mem0Table + "INSERT INTO history (memory_id, event, new_memory) VALUES ('a', 'ADD', 'x'), (x'61', 'ADD', 'x');", "history.db: history row 2.memory_id: this is no text in UTF-8"},
		"a number":        {"CREATE TABLE history (memory_id, old_memory, new_memory, event); INSERT INTO history VALUES ('a', NULL, 7, 'ADD');", "history row 1.new_memory: this is no text"},
		"not UTF-8":       {mem0Table + "INSERT INTO history (memory_id, event, new_memory) VALUES ('a', 'ADD', CAST(x'ff41' AS TEXT));", "history row 1.new_memory: this is no text in UTF-8"},
		"no memory":       {mem0Table + "INSERT INTO history (event, new_memory) VALUES ('ADD', 'x');", `history row 1: the row has no "memory_id"`},
		"no event":        {mem0Table + "INSERT INTO history (memory_id, new_memory) VALUES ('a', 'x');", `history row 1: unknown event "" of memory "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses(t, memsys.Mem0, mem0Database(database(t, c.statements)), c.want)
		})
	}
}

// TestMem0SQLiteLoops: a tree whose page leads to itself is damage, not an endless
// table.
func TestMem0SQLiteLoops(t *testing.T) {
	t.Parallel()
	db := []byte(database(t, "PRAGMA page_size = 512;"+mem0Table+
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO history (id, memory_id, new_memory, event) SELECT i, i, hex(zeroblob(50)), 'ADD' FROM n;"))
	_, err := memsys.Mem0(conv90(), mem0Database(string(db)).files(t))
	require.NoError(t, err)
	const interior = 5
	loops := 0
	for page := 2; page*512 < len(db); page++ {
		at := (page - 1) * 512
		if db[at] != interior {
			continue
		}
		loop := bytes.Clone(db)
		loop[at+8], loop[at+9], loop[at+10], loop[at+11] = 0, 0, byte(page>>8), byte(page) // the rightmost child
		refuses(t, memsys.Mem0, mem0Database(string(loop)), "history.db: ", "; copy history.db again while nothing writes it")
		loops++
	}
	require.NotZero(t, loops)
}

// TestMem0SQLiteDamage: whatever byte is wrong, there is an error or a history.
func TestMem0SQLiteDamage(t *testing.T) {
	t.Parallel()
	whole := testdata(t, "mem0/history.db")["mem0/history.db"]
	for at := 16; at < len(whole); at += 97 {
		for _, bits := range []byte{0x01, 0xff} {
			db := []byte(whole)
			db[at] ^= bits
			in, err := memsys.Mem0(conv90(), mem0Database(string(db)).files(t))
			sound(t, in, err)
		}
	}
	for n := len(sqliteBegin); n < len(whole); n += 97 {
		refuses(t, memsys.Mem0, mem0Database(whole[:n]), "history.db: ")
	}
}

const sqliteBegin = "SQLite format 3\x00"

// TestMem0SQLiteBeside: changes that are not in the file yet are not passed over.
func TestMem0SQLiteBeside(t *testing.T) {
	t.Parallel()
	db := testdata(t, "mem0/history.db")["mem0/history.db"]
	for _, ext := range []string{"-wal", "-journal"} {
		e := mem0Database(db)
		e.content["history.db"+ext] = "x"
		refuses(t, memsys.Mem0, e, "history.db: the database has changes that stand in ", "history.db"+ext+"; end the program that writes it")
		e.content["history.db"+ext] = ""
		_, err := memsys.Mem0(conv90(), e.files(t))
		require.NoError(t, err)
	}
}

// TestMem0SQLiteAlone: the folder is left as it was, and may be compressed.
func TestMem0SQLiteAlone(t *testing.T) {
	t.Parallel()
	e := mem0Export(t)
	files := e.files(t)
	dir := filepath.Dir(files.History)
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(files.History, 0o444))
	_, err = memsys.Mem0(conv90(), files)
	require.NoError(t, err)
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, after, len(before))
	text, err := os.ReadFile(files.History)
	require.NoError(t, err)
	require.True(t, string(text) == e.content["mem0/history.db"], "the database is unchanged")

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	e.content["history.db.gz"], e.history = packed.String(), "history.db.gz"
	in, err := memsys.Mem0(conv90(), e.files(t))
	require.NoError(t, err)
	same(t, mem0Memories(), in.System.Ingests[0].Memories)
}

func FuzzMem0SQLite(f *testing.F) {
	f.Add([]byte(testdata(f, "mem0/history.db")["mem0/history.db"]))
	f.Add([]byte(database(f, mem0Table+"INSERT INTO history (id, memory_id, old_memory, event) VALUES ('1', 'a', 'x', 'DELETE');")))
	f.Add([]byte(database(f, "PRAGMA page_size = 512;"+mem0Table+"CREATE INDEX i ON history (lower(memory_id)) WHERE event > ''; CREATE VIEW v AS SELECT 1;"+
		"INSERT INTO history (id, memory_id, old_memory, event) VALUES ('1', 'a', hex(zeroblob(600)), 'DELETE');")))
	f.Fuzz(func(t *testing.T, db []byte) {
		if !bytes.HasPrefix(db, []byte(sqliteBegin)) {
			db = append([]byte(sqliteBegin), db...)
		}
		in, err := memsys.Mem0(conv90(), mem0Database(string(db)).files(t))
		sound(t, in, err)
	})
}
