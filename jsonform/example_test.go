package jsonform_test

import (
	"fmt"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/jsonform"
	"github.com/snaphook-go/snaphook/wire"
)

func ExampleAggregate() {
	res := &hook.Result[struct{}]{Reports: []hook.Report[struct{}]{
		{Err: &hook.TimeoutError{After: time.Second}, Elapsed: time.Second},
		{Elapsed: 500 * time.Millisecond},
	}}
	text, err := wire.Of(jsonform.Aggregate(res))
	fmt.Println(string(text), err)
	// Output:
	// {"success":false,"finalOutput":null,"allOutputs":[],"errors":["Hook timed out after 1000ms"],"totalDuration":1500} <nil>
}

func ExampleProcess() {
	res := &hook.Result[struct{}]{Output: hook.Output[struct{}]{Stop: true, Message: "the budget is used up"}}
	text, err := wire.Of(jsonform.Process(res))
	fmt.Println(string(text), err)
	// Output:
	// {"shouldStop":true,"stopReason":"Hook requested stop","systemMessage":"the budget is used up","suppressOutput":false} <nil>
}
