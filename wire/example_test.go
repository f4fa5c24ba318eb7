package wire_test

import (
	"fmt"

	"github.com/snaphook-go/snaphook/wire"
)

func ExampleObject() {
	call := wire.Object(`{"command": "ls", "timeout": 9007199254740993}`)
	fmt.Println(call.Text("command"))
	fmt.Println(string(call.With("command", wire.Quote("ls -l"))))
	// Output:
	// ls
	// {"command":"ls -l","timeout":9007199254740993}
}

func ExampleBuilder() {
	var b wire.Builder
	b.Add("tool", wire.Quote("Bash"))
	b.Add("tool", wire.Quote("Write"))
	o := b.Object()
	fmt.Println(string(o))
	fmt.Println(string(o.Unique()))
	// Output:
	// {"tool":"Bash","tool":"Write"}
	// {"tool":"Write"}
}
