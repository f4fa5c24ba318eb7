package stages_test

import (
	"fmt"
	"strings"

	"github.com/snaphook-go/snaphook/stages"
)

func ExampleLimitNotes() {
	notes := append(strings.Fields(strings.Repeat("ignored ", 50)), "a denial has no effect")
	notes = stages.LimitNotes(notes)
	fmt.Println(len(notes), notes[0], "…", notes[32])
	// Output: 33 a denial has no effect … 19 more notes on the answer are left out
}
