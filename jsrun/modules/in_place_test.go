package modules_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// A handler that redacts the content of a result in place has given an answer.
func TestAChangeInPlaceOfAResultCounts(t *testing.T) {
	for _, runtime := range []string{jsrun.Sandbox, jsrun.Node} {
		for name, c := range map[string]struct{ handler, want string }{
			"a part that is rewritten":     {`e => { e.content[0].text = "[REDACTED]" }`, `{"content":[{"type":"text","text":"[REDACTED]"}]}`},
			"later":                        {`async e => { await null; e.content[0].text = "[REDACTED]" }`, `{"content":[{"type":"text","text":"[REDACTED]"}]}`},
			"a part that is removed":       {`e => { e.content.pop() }`, `{"content":[]}`},
			"beside a result":              {`e => { e.content.pop(); return { details: 1 } }`, `{"content":[],"details":1}`},
			"beside a result by a getter":  {`e => { e.content.pop(); return new (class { #d = 1; get details() { return this.#d } })() }`, `{"content":[],"details":1}`},
			"beside a result that has it":  {`e => { e.content.pop(); return { content: [{ type: "text", text: "own" }] } }`, `{"content":[{"type":"text","text":"own"}]}`},
			"beside a result of null":      {`e => { e.content.pop(); return { content: null } }`, `{"content":[]}`},
			"beside a result that is no":   {`e => { e.content.pop(); return false }`, `{"content":[]}`},
			"the details":                  {`e => { e.details.key = "[REDACTED]" }`, `{"details":{"key":"[REDACTED]"}}`},
			"a list that is assigned":      {`e => { e.content = [] }`, ``},
			"nothing":                      {`e => {}`, ``},
			"a result alone":               {`e => ({ details: 1 })`, `{"details":1}`},
			"an input of a call that went": {`e => { e.input.command = "x" }`, ``},
		} {
			t.Run(runtime+"/"+name, func(t *testing.T) {
				if runtime == jsrun.Node {
					inNode(t)
				}
				h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: runtime})
				h.written(t, "redact.mjs", `export default pi => { pi.on("tool_result", `+c.handler+`) }`)
				got, err := xcsh.ToolResult.FireJSON(t.Context(), h.Modules, []byte(
					`{"toolName":"bash","toolCallId":"1","input":{"command":"ls"},"content":[{"type":"text","text":"key-1"}],"details":{"key":"key-1"},"isError":false}`))
				if err != nil || !same(got, c.want) {
					t.Errorf("got %s, %v; want %s", got, err, c.want)
				}
			})
		}
	}
}

// same reports whether two texts are the same JSON, or both empty.
func same(got []byte, want string) bool {
	if len(got) == 0 || want == "" {
		return len(got) == 0 && want == ""
	}
	var a, b any
	errA, errB := json.Unmarshal(got, &a), json.Unmarshal([]byte(want), &b)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

func TestAChangeInPlaceOfMessagesCounts(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "prune.mjs", `export default pi => { pi.on("context", e => { e.messages.splice(0, 1) }) }`)
	event, known := xcsh.Lookup("context")
	if !known {
		t.Fatal("there is no event context")
	}
	result, failed := event.FireJSON(t.Context(), h.Modules, []byte(`{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`))
	if want := `{"messages":[{"role":"user","content":"b"}]}`; failed != nil || !same(result, want) {
		t.Errorf("got %s, %v; want %s", result, failed, want)
	}
}
