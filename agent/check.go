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
	if len(call.Input) == 0 || call.Input.Check() == nil {
		return nil
	}
	value := jsontext.Value(call.Input)
	switch {
	case !value.IsValid(lenient):
		return inputError(call, "are not JSON")
	case value.Kind() != '{':
		return inputError(call, "are "+wire.KindName(value.Kind()))
	}
	return nil
}

func inputError(call *ToolCall, what string) error {
	return &hook.InputError{
		Event: "agent.BeforeTool",
		Err:   fmt.Errorf("the arguments of %q %s; want one JSON object", call.Name, what),
	}
}
