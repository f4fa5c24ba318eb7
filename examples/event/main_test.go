package main

import (
	"testing"

	"github.com/snaphook-go/snaphook/hooktest"
)

func Example() {
	main()
	// Output:
	// blocked true "1 of 2 votes", replicas 3, 2 hooks
	// blocked false "", replicas 3, 3 hooks
}

// The declaration holds what the engine relies on.
func TestBeforeDeployHolds(t *testing.T) {
	hooktest.Idle(t, BeforeDeploy, Deploy{Service: "shop"})
	hooktest.Reducer(t, BeforeDeploy.Reduce, nil, hooktest.DecidesAlone("without two votes a deploy is denied"))
	hooktest.Chain(t, BeforeDeploy, nil, nil)
	hooktest.Codec(t, BeforeDeploy, hooktest.DropsUnknown("both sides are the program's own types"))
}
