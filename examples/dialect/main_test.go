package main

import (
	"testing"

	"github.com/snaphook-go/snaphook/hooktest"
)

func Example() {
	main()
	// Output:
	// problem: line 3: there is no event "after_run"; write "on": "before_run"
	// shell ["ls"]: blocked false, stop false, reason ""
	// shell ["rm" "-rf" "/"]: blocked true, stop false, reason "nothing is removed here"
	// shell ["shutdown"]: blocked true, stop true, reason "the machine stays on"
	// editor []: blocked false, stop false, reason ""
}

// The declaration holds what the engine relies on.
func TestBeforeRunHolds(t *testing.T) {
	hooktest.Idle(t, BeforeRun, Run{Tool: "shell"})
	hooktest.Reducer(t, BeforeRun.Reduce, nil)
	hooktest.Chain(t, BeforeRun, nil, nil)
	hooktest.Codec(t, BeforeRun, hooktest.DropsUnknown("both sides are the program's own types"))
}
