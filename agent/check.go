package agent

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// lenient is how JSON of hosts and hooks is read.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// badArguments says what is wrong with the arguments of a call that are no JSON object.
func badArguments(at Moment, call *ToolCall) error {
	what := "not JSON"
	if value := jsontext.Value(call.Input); value.IsValid(lenient) {
		what = wire.KindName(value.Kind())
	}
	err := fmt.Errorf("the arguments of %q are %s; want one JSON object", call.Name, what)
	return &hook.InputError{Event: "agent." + at.String(), Err: err}
}
