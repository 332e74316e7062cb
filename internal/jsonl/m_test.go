package jsonl_test

import (
	"encoding/json"
	"github.com/tiaptest/tiap/internal/jsonl"
	"testing"
)

func BenchmarkStore(b *testing.B) {
	line := []byte(`{"id":"mem_123","form":"event","sources":["conv-26/D1:3","conv-26/D1:4"],"parents":[],"serving":true,"status":"active","text":"Caroline went to the support group yesterday and it was so powerful, she said"}`)
	type M struct {
		ID      string            `json:"id"`
		Form    string            `json:"form"`
		Sources []json.RawMessage `json:"sources"`
		Parents []string          `json:"parents"`
		Serving *bool             `json:"serving"`
		Status  string            `json:"status"`
		Text    string            `json:"text"`
	}
	b.Run("Decode", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			var m M
			if jsonl.Decode(line, &m) != nil {
				b.Fatal()
			}
		}
	})
	b.Run("json", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			var m M
			if json.Unmarshal(line, &m) != nil {
				b.Fatal()
			}
		}
	})
}
