package hook_test

import (
	"fmt"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// The fields are in groups, which only matter when a Hook is made: reading a field needs no group.
func ExampleHook() {
	h := &hook.Hook{
		Identity:  hook.Identity{Event: "BeforeTool", Command: "./guard.sh", Source: hook.Project},
		Execution: hook.Execution{Timeout: 5 * time.Second},
	}
	fmt.Println(h.Event, h.Label(), h.Source, h.Timeout)
	// Output: BeforeTool ./guard.sh project 5s
}
