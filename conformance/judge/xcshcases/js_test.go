package xcshcases_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	xcshcases "github.com/snaphook-go/snaphook/conformance/judge/xcshcases"
)

// driver is the host of the module: one event, and the log.
const driver = `
const lines = [], handlers = [];
const pi = {
  on: (event, handler) => handlers.push(handler),
  registerCommand: (name, { handler }) => handlers.push((event, ctx) => handler("x y", ctx)),
  registerMessageRenderer: () => {},
  appendEntry: () => { throw new Error("appendEntry handler not initialized"); },
  logger: { debug: line => lines.push(line.replace(/"key":"[^"]*",/, "")) },
};
const ctx = { hasUI: false, ui: { confirm: async () => false }, isIdle: () => true };
const event = { type: "tool_call", toolName: "bash", input: { command: "rm -rf /" }, content: [{ type: "text", text: "a-b-a" }] };
const { default: factory } = await import(process.argv[2]);
factory(pi);
for (const handler of [...handlers]) {
  try { console.log("returns", JSON.stringify(await handler(structuredClone(event), ctx))); } catch (e) { console.log("throws", e instanceof Error, e.message ?? e); }
}
for (const line of lines) console.log(line);
`

func TestModulesInJavaScriptDoWhatTheyAreDescribedToDo(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	h := xcshcases.Hook{
		Path: "a.mjs",
		Handlers: []xcshcases.Handler{
			{ID: "gate", On: "tool_call", Record: []string{"input.command", "@ctx.hasUI", "absent"}, When: &xcshcases.When{Path: "input.command", Contains: "rm -rf"},
				UI: []xcshcases.Call{{Call: "confirm"}}, ReturnsIf: &xcshcases.ReturnsIf{Equals: false, Returns: jsontext.Value(`{"block":true}`)}},
			{ID: "other", On: "tool_call", When: &xcshcases.When{Path: "toolName", Equals: "edit"}, Returns: jsontext.Value(`{"block":true}`)},
			{ID: "throws", On: "tool_call", Sync: true, Throws: &xcshcases.Throw{Kind: "value", Message: "plain"}},
			{ID: "api", On: "tool_call", API: []xcshcases.Call{{Call: "appendEntry", Args: []any{"t"}}}},
			{ID: "chain", On: "tool_call", DelayMS: 1, Chain: &xcshcases.Chain{Field: "content", Append: map[string]any{"n": 1}}},
			{ID: "null", On: "tool_call", Ctx: []xcshcases.Call{{Call: "isIdle"}}, Returns: jsontext.Value(`null`)},
		},
		Commands: []xcshcases.Command{{Name: "hi"}},
	}
	for name, text := range map[string]string{"a.mjs": xcshcases.GenerateJS(h), "driver.mjs": driver} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, "driver.mjs", "./a.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	want := `returns {"block":true}
returns undefined
throws false plain
throws true appendEntry handler not initialized
returns {"content":[{"type":"text","text":"a-b-a"},{"n":1}]}
returns null
returns undefined
xcsh-trace {"entry":{"handler":"gate"}}
xcsh-trace {"entry":{"handler":"gate","saw":{"input.command":"rm -rf /","@ctx.hasUI":false}}}
xcsh-trace {"entry":{"handler":"gate","saw":{"input.command":"rm -rf /","@ctx.hasUI":false},"ui":[{"call":"confirm","result":false}]}}
xcsh-trace {"entry":{"handler":"other"}}
xcsh-trace {"entry":{"handler":"throws"}}
xcsh-trace {"entry":{"handler":"api"}}
xcsh-trace {"entry":{"handler":"chain"}}
xcsh-trace {"entry":{"handler":"null"}}
xcsh-trace {"entry":{"handler":"null","ctx":[{"call":"isIdle","result":true}]}}
xcsh-trace {"entry":{"handler":"command:hi"}}
xcsh-trace {"entry":{"handler":"command:hi","saw":{"args":"x y"}}}
`
	if err != nil || string(out) != want {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, out, want)
	}
}
