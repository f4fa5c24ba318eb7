package match_test

import (
	"fmt"

	"github.com/snaphook-go/snaphook/match"
)

func ExampleList() {
	m, note := match.List("Write|Edit")
	fmt.Println(m.Match("Edit"), m.Match("NotebookEdit"), note == "")

	m, _ = match.List("Edit.*") // not a list of names: found anywhere
	fmt.Println(m.Match("NotebookEdit"))
	// Output:
	// true false true
	// true
}
