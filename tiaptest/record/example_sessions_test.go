package record_test

import (
	"fmt"

	"github.com/tiaptest/tiap/tiaptest"
	"github.com/tiaptest/tiap/tiaptest/record"
)

// Two conversations have a session of the same name.
func ExampleSessions() {
	turns := []tiaptest.Turn{
		{ID: "conv-1/D1:1", Session: "first"},
		{ID: "conv-2/D1:1", Session: "first"},
		{ID: "conv-1/D1:2", Session: "first"},
	}
	for _, session := range record.Sessions(turns) {
		fmt.Println(len(session), session[0].ID)
	}
	// Output:
	// 2 conv-1/D1:1
	// 1 conv-2/D1:1
}
