package tiaptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/jsonl"
)

// UnmarshalJSON reads an evidence item of queries.jsonl: a turn id, or an object
// {"id", "turns"}.
func (u *Unit) UnmarshalJSON(text []byte) error {
	var v struct {
		ID    string   `json:"id"`
		Turns []string `json:"turns"`
	}
	if len(text) > 0 && text[0] == '"' {
		v.Turns = []string{""}
		if err := json.Unmarshal(text, &v.Turns[0]); err != nil {
			return err
		}
	} else if wrong := jsonl.Decode(text, &v); wrong != nil && string(text) != "null" {
		return errors.New(`neither a turn id nor {"id", "turns"}; make it one of them`)
	}
	if len(v.Turns) == 0 || slices.Contains(v.Turns, "") {
		return errors.New("a turn is not named; name every turn of the evidence, or leave the item out")
	}
	u.ID, u.Turns = v.ID, v.Turns
	return nil
}

// MarshalJSON writes the unit as an evidence item of queries.jsonl.
func (u Unit) MarshalJSON() ([]byte, error) {
	if u.ID == "" && len(u.Turns) == 1 {
		return plainJSON(u.Turns[0])
	}
	return plainJSON(struct {
		ID    string   `json:"id,omitempty"`
		Turns []string `json:"turns"`
	}{u.ID, u.Turns})
}

// systemFile is system.json.
type systemFile struct {
	Name    string            `json:"name,omitempty"`
	Family  string            `json:"family,omitempty"`
	Unit    string            `json:"unit,omitempty"`
	Lineage string            `json:"lineage,omitempty"`
	Forms   map[string]string `json:"forms,omitempty"`
	Config  json.RawMessage   `json:"config,omitempty"`
}

// plainJSON encodes without escaping <, > and &.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// decodeFile decodes a whole JSON file. line is where it is wrong, 0 when that
// is not known.
func decodeFile(text []byte, v any) (line int, what, mend string, ok bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return 0, "the file is empty", "write one JSON value, or remove the file", false
	}
	if !utf8.Valid(text) {
		return 0, "the text is not UTF-8", "save the file as UTF-8", false
	}
	lineAt := func(offset int64) int { return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n")) }
	err := json.Unmarshal(text, v)
	if err == nil {
		return 0, "", "", true
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return lineAt(e.Offset), "malformed JSON: " + e.Error(), "mend the syntax", false
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at := "the file"
		if e.Field != "" {
			at = strconv.Quote(e.Field)
		}
		return lineAt(e.Offset), fmt.Sprintf("%s holds %s in place of %s", at, article(e.Value), article(kindOf(e.Type))), "write " + article(kindOf(e.Type)), false
	}
	return 0, err.Error(), "mend the value", false
}

// kindOf names the JSON values that are decoded to a type.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice:
		return "array"
	}
	return t.Kind().String()
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}
