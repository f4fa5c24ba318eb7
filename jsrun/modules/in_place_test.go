package modules_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/wire"
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
			"beside true":                  {`e => { e.content.pop(); return true }`, `{"content":[]}`},
			"a part in place of another":   {`e => { e.content[0] = { type: "text", text: "own" } }`, `{"content":[{"type":"text","text":"own"}]}`},
			"a member more":                {`e => { e.content[0].more = 1 }`, `{"content":[{"type":"text","text":"key-1","more":1}]}`},
			"a member less":                {`e => { delete e.content[0].text }`, `{"content":[{"type":"text"}]}`},
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

// A change without effect is noted in the report of the handler.
func TestAChangeThatCannotCountIsNoted(t *testing.T) {
	for _, runtime := range []string{jsrun.Sandbox, jsrun.Node} {
		for handler, want := range map[string]string{
			`e => { e.input.command = "x" }`:                                   `it changed "input" of the event`,
			`async e => { await null; e.input.args[0].deep = "x" }`:            `it changed "input" of the event`,
			`e => { e.input.args.push(1) }`:                                    `it changed "input" of the event`,
			`e => { delete e.input.command }`:                                  `it changed "input" of the event`,
			`e => { e.input = {} }`:                                            `it assigned to "input" of the event`,
			`e => { e.input.command = "x"; return { Block: true } }`:           `"Block" of its result has no effect`,
			`e => { e.toolName = "read" }`:                                     `it assigned to "toolName" of the event`,
			`e => { const input = { ...e.input }; input.command = "x" }`:       "",
			`e => { e.input.command += ""; e.mine = 1; e.input.args.slice() }`: "",
			`e => { e.input.command = "x"; e.input.command = "ls" }`:           "",
			`() => "block"`: "its result is a string",
		} {
			t.Run(runtime+"/"+handler, func(t *testing.T) {
				if runtime == jsrun.Node {
					inNode(t)
				}
				h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: runtime})
				h.written(t, "gate.mjs", `export default pi => { pi.on("tool_call", `+handler+`) }`)
				res, err := xcsh.ToolCall.FireResult(t.Context(), h.Modules, &xcsh.ToolCallEvent{
					ToolName: "bash", ToolCallID: "1", Input: wire.Object(`{"command":"ls","args":[{"deep":"a"}]}`),
				})
				if err != nil {
					t.Fatal(err)
				}
				if notes := strings.Join(res.Reports[0].Notes, "\n"); want == "" && notes != "" || !strings.Contains(notes, want) {
					t.Errorf("notes %q, want %q", notes, want)
				}
			})
		}
	}
}

// Looking for changes costs time for each value of an event, but not for the length of its texts.
func TestLookingForChangesIsCheap(t *testing.T) {
	testkit.Timed(t)
	part := `{"type":"text","text":"` + strings.Repeat("some words ", 100) + `"}`
	content := "[" + strings.Repeat(part+",", 900) + part + "]" // 1 MB
	h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: jsrun.Sandbox})
	h.written(t, "look.mjs", `export default pi => { pi.on("tool_result", () => {}); pi.on("turn_end", () => {}) }`)
	fastest := func(name, event string) time.Duration {
		e, _ := xcsh.Lookup(name)
		least := time.Hour
		for range 20 {
			start := time.Now()
			if _, err := e.FireJSON(t.Context(), h.Modules, jsontext.Value(event)); err != nil {
				t.Fatal(err)
			}
			least = min(least, time.Since(start))
		}
		return least
	}
	watched := fastest("tool_result", `{"toolName":"bash","toolCallId":"1","input":{},"isError":false,"content":`+content+`}`)
	plain := fastest("turn_end", `{"turnIndex":1,"toolResults":[],"message":{"role":"assistant","content":`+content+`}}`)
	t.Logf("1 MB: %v with a look for changes, %v without", watched, plain)
	if watched > 2*plain {
		t.Errorf("%v with a look for changes, %v without; want at most twice as long", watched, plain)
	}
}
