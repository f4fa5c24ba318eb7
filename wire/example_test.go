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
