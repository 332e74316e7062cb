package scenarios_test

import (
	"fmt"
	"log"

	"github.com/tiaptest/tiap/scenarios"
)

// Each statement, event or listed message is one unit of evidence.
func ExampleBEAM() {
	b, err := scenarios.BEAM("testdata/beam/chats")
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range b.Scenario.Queries {
		fmt.Println(q.ID, q.Evidence)
	}
	// Output:
	// 100K/1/abstention/0 []
	// 100K/1/contradiction_resolution/0 [{first_statement [100K/1/m4]} {second_statement [100K/1/m8]}]
	// 100K/1/event_ordering/0 [{event_1 [100K/1/m0]} {event_2 [100K/1/m2 100K/1/m6]}]
	// 100K/1/information_extraction/0 [{ [100K/1/m0]}]
	// 100K/1/instruction_following/0 [{ [100K/1/m4]} { [100K/1/m5]}]
	// 100K/1/knowledge_update/0 [{updated_info [100K/1/m6]}]
	// 100K/1/knowledge_update/1 []
	// 100K/1/multi_session_reasoning/0 [{ [100K/1/m2]} { [100K/1/m6]}]
	// 100K/1/preference_following/0 []
	// 100K/1/summarization/0 []
	// 100K/1/temporal_reasoning/0 [{first_event [100K/1/m0]} {second_event [100K/1/m6]}]
}

func ExampleOriginalInfo() {
	b, err := scenarios.BEAM("testdata/beam/chats", scenarios.OriginalInfo())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Scenario.Queries[5].Evidence)
	// Output: [{original_info [100K/1/m2]} {updated_info [100K/1/m6]}]
}
