package memsys

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"
)

// sqliteMagic is what an SQLite database begins with.
var sqliteMagic = []byte("SQLite format 3\x00")

// unmerged names a file beside a database that holds changes which are not in it
// yet, or returns "".
func unmerged(file string) string {
	for _, ext := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(file + ext); err == nil && info.Size() > 0 {
			return file + ext
		}
	}
	return ""
}

// sqliteTable calls each with the rows of a table in the order in which they were
// inserted. Columns that the table lacks are nil, but those of need must exist.
//
// The database is a copy in memory, so that nothing is written, waited for or
// created beside the file. Whoever made it is not trusted: it is checked whole
// before it is read, and only a plain table is read, never a view.
func sqliteTable(text []byte, table string, need, columns []string, each func(row []any)) (err error) {
	ctx := context.Background()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := sqliteLoad(conn, text); err != nil {
		return err
	}
	if err := sqliteCheck(ctx, conn); err != nil {
		return err
	}
	has, err := sqliteColumns(ctx, conn, table)
	if err != nil {
		return err
	}
	var selected []string
	for _, c := range columns {
		if has[c] {
			// An expression has no declared type, by which the driver would
			// make times of text.
			selected = append(selected, `+"`+c+`"`)
		} else {
			selected = append(selected, "NULL")
		}
	}
	for _, c := range need {
		if !has[c] {
			return fmt.Errorf("the table %s has no column %s", table, c)
		}
	}
	rows, err := conn.QueryContext(ctx, `SELECT `+strings.Join(selected, ", ")+` FROM "`+table+`" ORDER BY rowid`)
	if err != nil {
		return err
	}
	defer rows.Close()
	row := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		each(row)
	}
	return rows.Err()
}

// sqliteLoad makes the connection's database one of the given bytes.
func sqliteLoad(conn *sql.Conn, text []byte) error {
	const header, writeVersion, readVersion = 100, 18, 19
	if len(text) < header {
		return errors.New("the database is cut off")
	}
	text = bytes.Clone(text)
	// A database in memory has no write-ahead log; the one of the file is empty.
	text[writeVersion], text[readVersion] = 1, 1
	const limitLength = 0 // SQLITE_LIMIT_LENGTH, of one text or row
	if _, err := sqlite.Limit(conn, limitLength, len(text)); err != nil {
		return err
	}
	return conn.Raw(func(driver any) error {
		return driver.(interface{ Deserialize([]byte) error }).Deserialize(text)
	})
}

// sqliteCheck reports damage. A damaged tree could otherwise be walked for ever.
func sqliteCheck(ctx context.Context, conn *sql.Conn) error {
	for _, pragma := range []string{"trusted_schema = OFF", "query_only = ON"} {
		if _, err := conn.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	var found string
	if err := conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("the database is damaged: %s", found)
	}
	return nil
}

// sqliteColumns returns the columns of a plain table.
func sqliteColumns(ctx context.Context, conn *sql.Conn, table string) (map[string]bool, error) {
	var n int
	err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?", table).Scan(&n)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("the database has no table %s", table)
	}
	rows, err := conn.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	has := make(map[string]bool)
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		has[name] = true
	}
	return has, rows.Err()
}

// sqliteText returns a text column; ok is false when it holds something else than
// text in UTF-8 or NULL, which gives "".
func sqliteText(column any) (text string, ok bool) {
	switch c := column.(type) {
	case nil:
		return "", true
	case string:
		return c, utf8.ValidString(c)
	}
	return "", false
}
