package claude_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// read loads settings for the workspace /p, and fails t on an error.
func read(t testing.TB, s claude.Settings) pipeline.Loaded {
	t.Helper()
	if s.Environ == nil {
		s.Environ = []string{"HOME=/home/u"}
	}
	loaded, err := s.Load(t.Context(), pipeline.Workspace{Dir: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func wantProblems(t testing.TB, got []settings.Problem, want ...string) {
	t.Helper()
	texts := lo.Map(got, func(p settings.Problem, _ int) string { return p.String() })
	if !slices.Equal(texts, want) {
		t.Errorf("problems\ngot  %q\nwant %q", texts, want)
	}
}

// runnable lists the commands of the hooks that can run, in their order.
func runnable(hooks []*hook.Hook) []string {
	return lo.FilterMap(hooks, func(h *hook.Hook, _ int) (string, bool) { return h.Command, h.Skip == "" })
}

func wantRunnable(t testing.TB, hooks []*hook.Hook, want ...string) {
	t.Helper()
	if got := runnable(hooks); !slices.Equal(got, want) {
		t.Errorf("hooks %q can run; want %q", got, want)
	}
}

const neighbour = `{"hooks": [{"type": "command", "command": "neighbour"}]}`

// In the tests of this file the settings of a row are written into the second line of a settings
// file; problems name that line, and the column within the row.

// An invalid entry is a problem with its position, and the other entries run (rules C3, C4, C5).
func TestABadEntryIsAProblemAtItsPlaceAndItsNeighboursLive(t *testing.T) {
	const types = "command, http, mcp_tool, prompt, agent"
	for _, tt := range []struct{ name, event, entry, want string }{
		{"null", "PreToolUse", `null`, `1: got null, want an object {"type": "command", "command": "…"}`},
		{"a string", "PreToolUse", `"./a.sh"`, `1: got a string, want an object {"type": "command", "command": "…"}`},
		{"no type", "PreToolUse", `{"command": "x"}`, `1: the hook has no "type"; add "type": "command"`},
		{"an unknown type", "PreToolUse", `{"type": "wasm"}`, `10: there is no hook type "wasm"; write one of ` + types},
		{"a type in the wrong case", "PreToolUse", `{"type": "Command"}`, `10: there is no hook type "Command"; write one of ` + types},
		{"a type that is no string", "PreToolUse", `{"type": 1}`, `10: got a number, want one of ` + types},
		{"no command", "PreToolUse", `{"type": "command"}`, `1: the hook has no "command"; add "command": "./check.sh"`},
		{"an empty command", "PreToolUse", `{"type": "command", "command": " "}`, `1: the hook has no "command"; add "command": "./check.sh"`},
		{"a command that is no string", "PreToolUse", `{"type": "command", "command": ["x"]}`, `32: got an array, want a string`},
		{"arguments that are none", "PreToolUse", `{"type": "command", "command": "x", "args": "a"}`, `45: got a string, want an array of strings`},
		{"an argument that is a number", "PreToolUse", `{"type": "command", "command": "x", "args": ["a", 5]}`, `51: got a number, want a string`},
		{"an unknown shell", "PreToolUse", `{"type": "command", "command": "x", "shell": "fish"}`, `46: there is no shell "fish"; write "bash" or "powershell"`},
		{"no URL", "PreToolUse", `{"type": "http"}`, `1: the hook has no "url"; add "url": "https://…"`},
		{"a URL that is none", "PreToolUse", `{"type": "http", "url": "ftp://x"}`, `25: the URL of the hook cannot be used; write http://host/path or https://host/path`},
		{"no server", "PreToolUse", `{"type": "mcp_tool", "tool": "t"}`, `1: the hook has no "server"; add "server": "memory"`},
		{"no tool", "PreToolUse", `{"type": "mcp_tool", "server": "s"}`, `1: the hook has no "tool"; add "tool": "check"`},
		{"an input that is no object", "PreToolUse", `{"type": "mcp_tool", "server": "s", "tool": "t", "input": "x"}`, `59: got a string, want an object`},
		{"no prompt", "PreToolUse", `{"type": "prompt"}`, `1: the hook has no "prompt"; add "prompt": "Is this safe? $ARGUMENTS"`},
		{"an agent without a prompt", "PreToolUse", `{"type": "agent", "prompt": 1}`, `29: got a number, want a string`},
		{"a condition that is no string", "PreToolUse", `{"type": "command", "command": "x", "if": 5}`, `43: got a number, want a permission rule such as "Bash(git *)"`},
		{"two conditions", "PreToolUse", `{"type": "command", "command": "x", "if": "Bash(a) || Bash(b)"}`, `43: the hook never runs: permission rule "Bash(a) || Bash(b)": one rule only; write a hook for each, or select tools with the matcher`},
		{"a condition on another event", "Stop", `{"type": "command", "command": "x", "if": "Bash"}`, `43: "if" works only on tool events, and Stop is not one: the hook never runs; remove the "if"`},
		{"a prompt that the event does not run", "SessionStart", `{"type": "prompt", "prompt": "p"}`, `10: SessionStart runs no hooks of type "prompt"; write one of command, mcp_tool`},
		{"an agent that the event does not run", "SubagentStart", `{"type": "agent", "prompt": "p"}`, `10: SubagentStart runs no hooks of type "agent"; write one of command, http, mcp_tool`},
		{"a request at the start", "SessionStart", `{"type": "http", "url": "http://x"}`, `10: SessionStart runs no hooks of type "http"; write one of command, mcp_tool, prompt, agent`},
		{"a request at the setup", "Setup", `{"type": "http", "url": "http://x"}`, `10: Setup runs no hooks of type "http"; write one of command, mcp_tool, prompt, agent`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := project(`{"hooks": {"` + tt.event + `": [{"hooks": [` + "\n" + tt.entry + `
				, {"type": "command", "command": "brother"}]}, ` + neighbour + `]}}`).Settings
			if strings.HasSuffix(tt.name, "does not run") {
				config.Level = claude.Docs
			}
			got := read(t, config)
			wantProblems(t, got.Problems, "project.json:2:"+tt.want)
			wantRunnable(t, got.Hooks, "brother", "neighbour")
			if bad := got.Hooks[0]; bad.Skip == "" || bad.SkipDetail == "" {
				t.Errorf("the entry is listed with %q, %q; want the reason why it does not run", bad.Skip, bad.SkipDetail)
			}
		})
	}
}

func TestABadOptionCostsTheOptionAlone(t *testing.T) {
	const timeout = `12: a timeout is a number of seconds above 0, such as 30 or 0.5. Until then the default is used`
	for _, tt := range []struct {
		option  string
		timeout time.Duration
		want    string
	}{
		{`"timeout": 5`, 5 * time.Second, ""},
		{`"timeout": 0.2`, 200 * time.Millisecond, ""},
		{`"timeout": null`, 0, ""},
		{`"timeout": 0`, 0, timeout},
		{`"timeout": -5`, 0, timeout},
		{`"timeout": "5"`, 0, `12: a timeout is a number of seconds above 0; write 5. Until then the default is used`},
		{`"timeout": "1500 ms"`, 0, `12: a timeout is a number of seconds above 0; write 2. Until then the default is used`},
		{`"timeout": "soon"`, 0, timeout},
		{`"timeout": 1e400`, 1 << 62, ""},
		{`"timeout": 1e-300`, 1, ""},
		{`"statusMessage": 5`, 0, `18: got a number, want a string`},
		{`"once": "yes"`, 0, `9: got a string, want true or false`},
		{`"async": 1`, 0, `10: got a number, want true or false`},
		{`"shell": 5`, 0, `10: got a number, want a string`},
		{`"onFailure": "explode"`, 0, `14: onFailure has to be "block" or "continue"; until it is, the action goes ahead when the hook fails`},
		{`"onFailure": true`, 0, `14: onFailure has to be "block" or "continue"; until it is, the action goes ahead when the hook fails`},
		{`"onFailure": "block", "async": true`, 0, `14: onFailure has no effect on this hook of PreToolUse, which lets the action go ahead when it fails`},
		{`"headers": {}`, 0, `12: "headers" has no effect on hooks of type "command"; it is for http`},
		{`"continueOnBlock": true`, 0, ""},
		{`"rewakeMessage": 5, "time": "x", "name": {}`, 0, ""},
		{`"onfailure": "block"`, 0, `14: nothing reads "onfailure"; did you mean "onFailure"?`},
		{`"Timeout": 3`, 0, `12: nothing reads "Timeout"; did you mean "timeout"?`},
		{`"If": "Bash(git *)"`, 0, `7: nothing reads "If"; did you mean "if"?`},
	} {
		t.Run(tt.option, func(t *testing.T) {
			got := read(t, project(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x",`+"\n"+tt.option+`}]}, `+neighbour+`]}}`).Settings)
			wantProblems(t, got.Problems, lo.Ternary(tt.want == "", nil, []string{"project.json:2:" + tt.want})...)
			wantRunnable(t, got.Hooks, "x", "neighbour")
			if got.Hooks[0].Timeout != tt.timeout {
				t.Errorf("the timeout is %v; want %v", got.Hooks[0].Timeout, tt.timeout)
			}
		})
	}
}

func TestBadOptionsOfOtherTypes(t *testing.T) {
	for _, tt := range []struct{ event, entry, want string }{
		{"PreToolUse", `{"type": "http", "url": "http://x", "async": true}`, `46: "async" has no effect on hooks of type "http"; it is for command`},
		{"PreToolUse", `{"type": "http", "url": "http://x", "headers": {"A": 1}}`, `54: got a number, want a string`},
		{"PreToolUse", `{"type": "http", "url": "http://x", "headers": []}`, `48: got an array, want an object whose members are headers`},
		{"PreToolUse", `{"type": "http", "url": "http://x", "allowedEnvVars": "A"}`, `55: got a string, want an array of strings`},
		{"PreToolUse", `{"type": "http", "url": "http://x", "allowedEnvVars": [1]}`, `56: got a number, want a string`},
		{"PreToolUse", `{"type": "prompt", "prompt": "p", "model": 5}`, `44: got a number, want a string`},
		{"PreToolUse", `{"type": "prompt", "prompt": "p", "continueOnBlock": 5}`, `54: got a number, want true or false`},
		{"PreToolUse", `{"type": "prompt", "prompt": "p", "onFailure": "block"}`, `48: onFailure has no effect on this hook of PreToolUse, which lets the action go ahead when it fails`},
		{"Stop", `{"type": "http", "url": "http://x", "onFailure": "block"}`, `50: onFailure has no effect on this hook of Stop, which lets the action go ahead when it fails`},
		{"DirectoryAdded", `{"type": "http", "url": "http://x", "onFailure": "block"}`, `50: onFailure has no effect on this hook of DirectoryAdded, which lets the action go ahead when it fails`},
	} {
		t.Run(tt.entry, func(t *testing.T) {
			got := read(t, project(`{"hooks": {"`+tt.event+`": [{"hooks": [`+"\n"+tt.entry+`]}]}}`).Settings)
			wantProblems(t, got.Problems, "project.json:2:"+tt.want)
			if h := got.Hooks[0]; h.Skip != "" || h.FailClosed {
				t.Errorf("skipped for %q, fails closed %v; want it to run, and to fail open", h.Skip, h.FailClosed)
			}
		})
	}
}

func TestABadGroupOrEventIsAProblemAtItsPlaceAndTheOthersLive(t *testing.T) {
	const list = `"hooks": [{"type": "command", "command": "x"}]`
	for _, tt := range []struct{ name, event, want string }{
		{"a group that is null", `"PreToolUse": [null]`, `16: got null, want an object {"matcher": "…", "hooks": […]}`},
		{"a group without hooks", `"PreToolUse": [{"matcher": "x"}]`, `16: the group has no "hooks"; add "hooks": [ … ]`},
		{"a flat entry", `"PreToolUse": [{"type": "command", "command": "x"}]`, `16: a hook stands where a group is wanted; write {"hooks": [ … ]} around it`},
		{"hooks of the wrong type", `"PreToolUse": [{"hooks": {}}]`, `26: got an object, want an array of hooks`},
		{"a matcher that is no string", `"PreToolUse": [{"matcher": 42, ` + list + `}]`, `28: got a number, want a string`},
		{"a matcher that is not an expression", `"PreToolUse": [{"matcher": "*_file", ` + list + `}]`, `28: *`},
		{"an event that is misspelt", `"PreToolUses": []`, `16: there is no event "PreToolUses"; did you mean "PreToolUse"?`},
		{"an event of another system", `"BeforeTool": []`, `15: "BeforeTool" is an event of another system; here it is "PreToolUse"`},
		{"no such event", `"X": []`, `6: there is no event "X"; see the command "events claude" for their names`},
		{"an event that is an object", `"PreToolUse": {}`, `15: got an object, want an array of groups: [{"hooks": [{"type": "command", "command": "…"}]}]`},
		{"an event that is a string", `"Stop": "oops"`, `9: got a string, want an array of groups: [{"hooks": [{"type": "command", "command": "…"}]}]`},
		{"an event twice", `"Setup": [], "Setup": []`, `14: "Setup" is given twice; the last value counts: merge both, the other is in line 2, column 1`},
		{"a null event", `"PreToolUse": null`, ``},
		{"a matcher where none counts", `"Stop": [{"matcher": 42, "hooks": []}]`, ``},
		{"a null matcher", `"PreToolUse": [{"matcher": null, "hooks": []}]`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := read(t, project(`{"hooks": {`+"\n"+tt.event+`, "PostToolUse": [`+neighbour+`]}}`).Settings)
			texts := strings.Join(lo.Map(got.Problems, func(p settings.Problem, _ int) string { return p.String() }), "\n")
			want, open := strings.CutSuffix(lo.Ternary(tt.want == "", "", "project.json:2:"+tt.want), "*")
			if texts != want && !(open && strings.HasPrefix(texts, want)) {
				t.Errorf("problems\ngot  %s\nwant %s", texts, want)
			}
			if ran := runnable(got.Hooks); !slices.Contains(ran, "neighbour") {
				t.Errorf("hooks %q can run; want the neighbour to", ran)
			}
		})
	}
}

func TestAMatcherThatIsNoneMatchesNothing(t *testing.T) {
	w := project(`{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": "bad"}]}, {"matcher": 5, "hooks": [{"type": "command", "command": "worse"}]}, ` + neighbour + `]}}`)
	w.replies = map[string]scripted{"bad": {}, "worse": {}, "neighbour": {}}
	wantEffects(t, fire(t, w.open(t), "PreToolUse", `{"tool_name":"("}`), `{"outcomes":{"neighbour":"success"}}`)
}

func TestSwitchesOfTheWrongTypeAreProblems(t *testing.T) {
	s := claude.Settings{Layers: []settings.Layer{layer(hook.Managed, `{
"disableAllHooks": "no",
"allowManagedHooksOnly": 1,
"strictPluginOnlyCustomization": "hooks",
"allowedHttpHookUrls": "https://x/*",
"httpHookAllowedEnvVars": true,
"hooks": []
}`)}}
	wantProblems(t, read(t, s).Problems,
		`managed.json:5:24: got a string, want an array of strings`,
		`managed.json:6:27: got true, want an array of strings`,
		`managed.json:2:20: got a string, want true or false`,
		`managed.json:3:26: got a number, want true or false`,
		`managed.json:4:34: got a string, want true or false`,
		`managed.json:7:10: got an array, want an object whose members are events`,
	)
}

func TestAFileThatIsNotPlainJSONCostsThatFile(t *testing.T) {
	for text, at := range map[string]string{`{"hooks": oops}`: "1:11", `{} // note`: "1:4", `{"a": 1,}`: "1:8", `{"hooks": {}`: "1:1"} {
		s := project(text).Settings
		s.Layers = append(s.Layers, layer(hook.User, `{"hooks": {"Stop": [`+neighbour+`]}}`))
		got := read(t, s)
		if len(got.Problems) != 1 || !got.Problems[0].Fatal || !strings.HasPrefix(got.Problems[0].String(), "project.json:"+at) {
			t.Errorf("%s: problems %v; want a fatal one at %s", text, got.Problems, at)
		}
		wantRunnable(t, got.Hooks, "neighbour")
	}
	wantProblems(t, read(t, project(`[1]`).Settings).Problems, `project.json:1:1: got an array, want an object {"hooks": {…}}`)
}

func TestOnceCountsInFrontMatterAloneAtTheDocsLevel(t *testing.T) {
	s := project(`{"hooks": {"Stop": [{"hooks": [
{"type": "command", "command": "x", "once": true}]}]}}`).Settings
	if got := read(t, s); !got.Hooks[0].Once || len(got.Problems) > 0 {
		t.Errorf("at the default level once is %v, problems %v; want it to count", got.Hooks[0].Once, got.Problems)
	}
	s.Level = claude.Docs
	got := read(t, s)
	wantProblems(t, got.Problems, `project.json:2:45: "once" counts only in the front matter of skills: the hook runs every time`)
	if got.Hooks[0].Once {
		t.Error("the hook runs once; want it to run every time")
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"hooks": {"PreToolUse": [{"matcher": "a", "hooks": [{"type": "command", "command": "x", "timeout": 5, "if": "Bash(a)", "args": []}]}]}}`))
	f.Add([]byte(`{"hooks": {"Stop": [null, 1, {"hooks": [null, {"type": "http", "url": "http://x", "headers": {"a": "$B"}}]}]}, "disableAllHooks": [1]}`))
	f.Add([]byte(`{"hooks": {"SessionEnd": [{"hooks": [{"type": "prompt", "prompt": "x"}, {"type": "mcp_tool", "server": "a", "tool": "b", "input": {}}]}]}, "enabledPlugins": 5}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := claude.Settings{Layers: []settings.Layer{layer(hook.Managed, string(data)), layer(hook.Project, string(data))}}
		s.Plugins = []claude.Plugin{{Root: "/none", Data: data}}
		ids := map[string]bool{}
		for _, h := range read(t, s).Hooks {
			if ids[h.ID] {
				t.Errorf("two hooks have the id %s", h.ID)
			}
			ids[h.ID] = true
			if h.Skip == "" && h.Runner == nil {
				t.Errorf("the hook %s can run, and has no runner", h.ID)
			}
			if h.Skip != "" && h.SkipDetail == "" {
				t.Errorf("nobody knows why the hook %s does not run: %s", h.ID, h.Skip)
			}
		}
	})
}
