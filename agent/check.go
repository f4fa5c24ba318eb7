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

// checkArguments says what is wrong with the arguments of a call.
func checkArguments(call *ToolCall) error {
	value, what := jsontext.Value(call.Input), ""
	switch {
	case len(value) == 0 || call.Input.Check() == nil:
		return nil
	case !value.IsValid(lenient):
		what = "not JSON"
	case value.Kind() != '{':
		what = wire.KindName(value.Kind())
	default:
		return nil
	}
	err := fmt.Errorf("the arguments of %q are %s; want one JSON object", call.Name, what)
	return &hook.InputError{Event: "agent.BeforeTool", Err: err}
}
