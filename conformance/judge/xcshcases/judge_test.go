package xcshcases_test

import (
	"path/filepath"
	"testing"

	xcshcases "github.com/snaphook-go/snaphook/conformance/judge/xcshcases"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// A case may leave out arguments and options: the judge does not fail, and passes no options of its
// own to the host.
func TestWhatACaseLeavesOutIsNotMadeUp(t *testing.T) {
	const host = `"runner":{"initialize":{"newSession":{"cancelled":true},"branch":{"cancelled":false},"navigateTree":{"cancelled":false}}}`
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a command without its text": `"hooks":[{"path":"/a","commands":[{"name":"c"}]}],
			"steps":[{"op":"runCommand","name":"c"},{"op":"runCommand","name":"c","args":"x"},{"op":"runCommand","name":"d"}],
			"expect":{"steps":[{"ok":true},{"ok":true},{"ok":false,"error":"there is no command \"d\""}],
				"trace":[{"handler":"command:c","saw":{}},{"handler":"command:c","saw":{"args":"x"}}]}`,
		"a session without options": host + `,"hooks":[{"path":"/a","commands":[{"name":"c","ctx":[
				{"call":"newSession"},{"call":"newSession","args":[{}]},{"call":"navigateTree","args":["t"]},{"call":"navigateTree","args":["t",{"summarize":false}]}]}]}],
			"steps":[{"op":"runCommand","name":"c","args":""}],
			"expect":{"steps":[{"ok":true}],"trace":[{"handler":"command:c","saw":{"args":""},"ctx":[
				{"call":"newSession","result":{"cancelled":true}},{"call":"newSession","result":{"cancelled":true}},
				{"call":"navigateTree","result":{"cancelled":false}},{"call":"navigateTree","result":{"cancelled":false}}]}],
				"ctxCalls":[{"call":"newSession"},{"call":"newSession","args":[{}]},{"call":"navigateTree","args":["t",null]},{"call":"navigateTree","args":["t",{"summarize":false}]}]}`,
		"a second host": host + `,"steps":[{"op":"initialize"},{"op":"commandContext","calls":[{"call":"newSession"}]},
				{"op":"initialize","options":{"hasUI":true}},{"op":"runnerState"},{"op":"commandContext","calls":[{"call":"newSession","args":[{"parentSession":"/p"}]}]}],
			"expect":{"steps":[{"ok":true},{"ok":true,"value":{},"calls":[{"call":"newSession","result":{"cancelled":true}}]},
				{"ok":true},{"ok":true,"value":{"hasUI":true}},{"ok":true,"value":{},"calls":[{"call":"newSession","result":{"cancelled":true}}]}],
				"ctxCalls":[{"call":"newSession"},{"call":"newSession","args":[{"parentSession":"/p"}]}]}`,
		"messages without options": `"runner":{"initialize":{}},"hooks":[{"path":"/a"}],
			"steps":[{"op":"callApi","hook":"/a","call":"sendMessage","args":[{"customType":"n","content":"c","display":true}]},
				{"op":"callApi","hook":"/a","call":"sendMessage","args":[{"customType":"n","content":"c","display":true},{"triggerTurn":false}]},
				{"op":"callApi","hook":"/b","call":"sendMessage"},{"op":"hasHandlers"},{"op":"removeListener","id":"L2"}],
			"expect":{"steps":[{"ok":true},{"ok":true},{"ok":false,"error":"there is no hook \"/b\""},{"ok":true,"value":false},{"ok":true}],
				"sent":[{"call":"sendMessage","message":{"customType":"n","content":"c","display":true}},
					{"call":"sendMessage","message":{"customType":"n","content":"c","display":true},"options":{"triggerTurn":false}}]}`,
	} {
		testkit.WriteFile(t, filepath.Join(dir, "cases", name+".json"), `{"name":"`+name+`",`+text+`}`, 0o644)
	}
	cases, err := xcshcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	xcshcases.Run(t, cases, xcshcases.Options{})
	t.Run("untyped", func(t *testing.T) { xcshcases.Run(t, cases, xcshcases.Options{Make: xcshcases.Untyped}) })
}
