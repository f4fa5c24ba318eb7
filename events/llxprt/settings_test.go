package llxprt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

func messages(problems []settings.Problem) []string {
	return lo.Map(problems, func(p settings.Problem, _ int) string { return p.String() })
}

func wantProblems(t *testing.T, got []settings.Problem, want ...string) {
	t.Helper()
	if !slices.Equal(messages(got), want) {
		t.Errorf("problems\ngot  %q\nwant %q", messages(got), want)
	}
}

// runnable lists the commands of the hooks that can run, in their order.
func runnable(hooks []*hook.Hook) []string {
	return lo.FilterMap(hooks, func(h *hook.Hook, _ int) (string, bool) { return h.Command, h.Skip == "" })
}

const neighbour = `{"hooks": [{"type": "command", "command": "neighbour"}]}`

func TestABadEntryIsAProblemAtItsPlaceAndItsNeighboursLive(t *testing.T) {
	for _, tt := range []struct{ name, entry, want string }{
		{"null", `null`, `2:1: got null, want an object {"type": "command", "command": "…"}`},
		{"a string", `"./a.sh"`, `2:1: got a string, want an object {"type": "command", "command": "…"}`},
		{"type missing", `{"command": "x"}`, `2:1: the hook has no "type"; add "type": "command"`},
		{"type unknown", `{"type": "wasm", "command": "x"}`, `2:10: there is no hook type "wasm"; write "command"`},
		{"type in the wrong case", `{"type": "Command", "command": "x"}`, `2:10: there is no hook type "Command"; write "command"`},
		{"type of the wrong type", `{"type": 1, "command": "x"}`, `2:10: got a number, want "command"`},
		{"type null", `{"type": null, "command": "x"}`, `2:10: got null, want "command"`},
		{"command missing", `{"type": "command"}`, `2:1: the hook has no command to run; add "command": "…"`},
		{"command blank", `{"type": "command", "command": " \t"}`, `2:1: the hook has no command to run; add "command": "…"`},
		{"command of the wrong type", `{"type": "command", "command": ["x"]}`, `2:32: got an array, want a string`},
		{"command null", `{"type": "command", "command": null}`, `2:32: got null, want a string`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, project(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [`+"\n"+tt.entry+`
				, {"type": "command", "command": "brother"}]}, `+neighbour+`]}}`), pipeline.Workspace{})
			wantProblems(t, got.Problems, "project.json:"+tt.want)
			if want := []string{"brother", "neighbour"}; !slices.Equal(runnable(got.Hooks), want) {
				t.Errorf("hooks %q can run; want %q", runnable(got.Hooks), want)
			}
			bad := got.Hooks[0]
			if bad.Skip != hook.Invalid || bad.SkipDetail == "" {
				t.Errorf("the entry is listed as %q, %q; want it to be invalid, with the reason", bad.Skip, bad.SkipDetail)
			}
		})
	}
}

func TestWhatIsTakenForHooksAndIsNoneIsAProblem(t *testing.T) {
	for text, want := range map[string]string{
		`{"BeforeTool": []}`:             `project.json:1:16: "BeforeTool" stands beside "hooks", where nothing reads it; write {"hooks": {"BeforeTool": …}}`,
		`{"hook": {"BeforeTool": []}}`:   `project.json:1:10: nothing reads "hook", which has hooks of BeforeTool; write "hooks"`,
		`{"hooksConfig": {}, "ui": "x"}`: "",
	} {
		got := load(t, project(text), pipeline.Workspace{})
		if text := strings.Join(messages(got.Problems), "\n"); text != want {
			t.Errorf("got %q; want %q", text, want)
		}
	}
}

func TestABadOptionCostsTheOptionAlone(t *testing.T) {
	for _, tt := range []struct {
		name, option string
		timeout      time.Duration
		problems     []string
	}{
		{"a timeout in milliseconds", `"timeout": 1500`, 1500 * time.Millisecond, nil},
		{"a fraction of a millisecond", `"timeout": 0.5`, 500 * time.Microsecond, nil},
		{"no timeout", `"timeout": null`, 0, nil},
		{"zero", `"timeout": 0`, 0, nil},
		{"negative", `"timeout": -5`, 0, []string{`a timeout cannot be negative; write milliseconds, such as 5000. Until then the default is used`}},
		{"a string", `"timeout": "5s"`, 0, []string{`a timeout is a number of milliseconds; write 5000. Until then the default is used`}},
		{"huge", `"timeout": 99999999999999999999`, 1 << 62, nil},
		{"beyond all numbers", `"timeout": 1e400`, 1 << 62, nil},
		{"a name that is none", `"name":    42`, 0, []string{`got a number, want a string`}},
		{"a null name", `"name": null`, 0, nil},
		{"members nobody knows", `"description": 42, "time": 7`, 0, nil},
		{"a member that is misspelt", `"Timeout": 7`, 0, []string{`nothing reads "Timeout"; did you mean "timeout"?`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, project(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x",`+"\n"+tt.option+`}]}]}}`), pipeline.Workspace{})
			wantProblems(t, got.Problems, lo.Map(tt.problems, func(p string, _ int) string { return "project.json:2:12: " + p })...)
			if h := got.Hooks[0]; h.Skip != "" || h.Timeout != tt.timeout {
				t.Errorf("the hook has the timeout %v and is skipped for %q; want %v, and it to run", h.Timeout, h.Skip, tt.timeout)
			}
		})
	}
}

func TestABadGroupIsAProblemAtItsPlaceAndItsNeighboursLive(t *testing.T) {
	const list = `"hooks": [{"type": "command", "command": "x"}]`
	for _, tt := range []struct {
		name, group, want string
		runs              bool
	}{
		{"null", `null`, `2:1: got null, want an object {"matcher": "…", "hooks": […]}`, false},
		{"a number", `42`, `2:1: got a number, want an object {"matcher": "…", "hooks": […]}`, false},
		{"without hooks", `{"matcher": "x"}`, `2:1: the group has no "hooks"; add "hooks": [ … ]`, false},
		{"a flat entry", `{"type": "command", "command": "x"}`, `2:1: a hook stands where a group is wanted; write {"hooks": [ … ]} around it`, false},
		{"hooks of the wrong type", `{"hooks": {}}`, `2:11: got an object, want an array of hooks`, false},
		{"hooks null", `{"hooks": null}`, `2:11: got null, want an array of hooks`, false},
		{"a matcher of the wrong type", `{"matcher": 42, ` + list + `}`, `2:13: got a number, want a string`, false},
		{"a null matcher", `{"matcher": null, ` + list + `}`, ``, true},
		{"a matcher that is not an expression", `{"matcher": "*_file", ` + list + `}`, `2:13: *`, true},
		{"sequential of the wrong type", `{"sequential": "yes", ` + list + `}`, `2:16: got a string, want true or false`, true},
		{"no hooks in it", `{"hooks": []}`, ``, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, project(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [`+"\n"+tt.group+`,`+neighbour+`]}}`), pipeline.Workspace{})
			switch {
			case tt.want == "":
				wantProblems(t, got.Problems)
			case tt.want[len(tt.want)-1] == '*': // the words come from package match
				if len(got.Problems) != 1 || got.Problems[0].Position.String() != "project.json:2:13" {
					t.Errorf("problems %q; want one at 2:13", messages(got.Problems))
				}
			default:
				wantProblems(t, got.Problems, "project.json:"+tt.want)
			}
			want := []string{"neighbour"}
			if tt.runs {
				want = []string{"x", "neighbour"}
			}
			if !slices.Equal(runnable(got.Hooks), want) {
				t.Errorf("hooks %q can run; want %q", runnable(got.Hooks), want)
			}
			if lo.SomeBy(got.Hooks, func(h *hook.Hook) bool { return h.Sequential }) {
				t.Error("a hook is sequential; want none")
			}
		})
	}
}

func TestAMatcherOfTheWrongTypeDoesNotDisturbEventsWithoutMatchers(t *testing.T) {
	got := load(t, project(`{"tools": {"enableHooks": true}, "hooks": {"BeforeModel": [{"matcher": 42, "hooks": [{"type": "command", "command": "guard"}]}]}}`), pipeline.Workspace{})
	if len(got.Problems) != 1 || !slices.Equal(runnable(got.Hooks), []string{"guard"}) {
		t.Errorf("hooks %q can run, problems %q; want the guard, and one problem", runnable(got.Hooks), messages(got.Problems))
	}
}

func TestABadEventIsAProblemAtItsPlaceAndTheOthersLive(t *testing.T) {
	for _, tt := range []struct{ name, event, want string }{
		{"a misspelt name", `"BeforeTools": [{"hooks": []}]`, `2:16: there is no event "BeforeTools"; did you mean "BeforeTool"?`},
		{"a name in the wrong case", `"beforetool": []`, `2:15: there is no event "beforetool"; write "BeforeTool"`},
		{"no such name", `"X": []`, `2:6: there is no event "X"; see the command "events llxprt" for their names`},
		{"the name of another system", `"PreToolUse": []`, `2:15: "PreToolUse" is an event of another system; here it is "BeforeTool"`},
		{"a word that is not an event", `"disabled": ["x"]`, `2:13: "disabled" is not an event; write it below "hooksConfig"`},
		{"enabled", `"enabled": true`, `2:12: "enabled" is not an event; write it below "hooksConfig"`},
		{"notifications", `"notifications": true`, `2:18: "notifications" is not an event; write it below "hooksConfig"`},
		{"an object", `"AfterTool": {"hooks": []}`, `2:14: got an object, want an array of groups: [{"hooks": [{"type": "command", "command": "…"}]}]`},
		{"a string", `"AfterTool": "./a.sh"`, `2:14: got a string, want an array of groups: [{"hooks": [{"type": "command", "command": "…"}]}]`},
		{"null", `"AfterTool": null`, ``},
		{"empty", `"AfterTool": []`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, project(`{"tools": {"enableHooks": true}, "hooks": {`+"\n"+tt.event+`, "BeforeTool": [`+neighbour+`]}}`), pipeline.Workspace{})
			wantProblems(t, got.Problems, lo.Ternary(tt.want == "", nil, []string{"project.json:" + tt.want})...)
			if want := []string{"neighbour"}; !slices.Equal(runnable(got.Hooks), want) {
				t.Errorf("hooks %q can run; want %q", runnable(got.Hooks), want)
			}
		})
	}
}

func TestSettingsThatAreNotObjectsAreProblems(t *testing.T) {
	tests := []struct{ text, want string }{
		{`[]`, `1:1: got an array, want an object {"hooks": {…}}`},
		{`null`, `1:1: got null, want an object {"hooks": {…}}`},
		{`5`, `1:1: got a number, want an object {"hooks": {…}}`},
		{`{"tools": []}`, `1:11: got an array, want an object such as {"enableHooks": true}`},
		{`{"hooksConfig": "off"}`, `1:17: got a string, want an object such as {"enabled": true}`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got := load(t, project(tt.text), pipeline.Workspace{})
			wantProblems(t, got.Problems, "project.json:"+tt.want)
		})
	}
}

func TestSwitchesOfTheWrongTypeAreProblemsAndCountAsAbsent(t *testing.T) {
	got := load(t, project(`{
"tools": {"enableHooks": "true"},
"hooksConfig": {"enabled": 0, "disabled": "guard"},
"security": {"environmentVariableRedaction": {"enabled": "on", "allowed": [1, "A"], "blocked": {}}},
"hooks": []
}`), pipeline.Workspace{})
	wantProblems(t, got.Problems,
		`project.json:2:26: got a string, want true or false`,
		`project.json:3:28: got a number, want true or false`,
		`project.json:3:43: got a string, want an array of strings`,
		`project.json:4:58: got a string, want true or false`,
		`project.json:4:76: got a number, want a string`,
		`project.json:4:96: got an object, want an array of strings`,
		`project.json:5:10: got an array, want an object whose members are events`,
	)
}

func TestAMemberGivenTwiceIsAProblemAndTheLastOneCounts(t *testing.T) {
	got := load(t, project(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "old",
"command": "new"}]}]}}`), pipeline.Workspace{})
	wantProblems(t, got.Problems, `project.json:2:1: "command" is given twice; the last value counts: merge both, the other is in line 1, column 90`)
	if want := []string{"new"}; !slices.Equal(runnable(got.Hooks), want) {
		t.Errorf("hooks %q can run; want %q", runnable(got.Hooks), want)
	}
}

func TestCommentsAndTrailingCommasAreFine(t *testing.T) {
	got := load(t, project(`{
// the switch
"tools": {"enableHooks": true,}, /* and */ "hooks": {"BeforeTool": [`+neighbour+`,],},
}`), pipeline.Workspace{})
	wantProblems(t, got.Problems)
	if want := []string{"neighbour"}; !slices.Equal(runnable(got.Hooks), want) {
		t.Errorf("hooks %q can run; want %q", runnable(got.Hooks), want)
	}
}

func TestAFileThatIsNotJSONCostsThatFile(t *testing.T) {
	s := project(`{"hooks": oops}`)
	s.Layers = append(s.Layers, layer(hook.User, `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [`+neighbour+`]}}`))
	got := load(t, s, pipeline.Workspace{})
	if len(got.Problems) != 1 || !got.Problems[0].Fatal || got.Problems[0].Position.String() != "project.json:1:11" {
		t.Errorf("problems %q; want a fatal one at project.json:1:11", messages(got.Problems))
	}
	if want := []string{"neighbour"}; !slices.Equal(runnable(got.Hooks), want) || !slices.Equal(got.Files, []string{"user.json"}) {
		t.Errorf("hooks %q of %q; want %q", runnable(got.Hooks), got.Files, want)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"matcher": "a", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}`))
	f.Add([]byte(`{"hooks": {"BeforeTool": [null, 1, {"hooks": [null, {"type": "plugin"}]}], "disabled": []}, "hooksConfig": {"disabled": [1]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := load(t, project(string(data)), pipeline.Workspace{})
		ids := map[string]bool{}
		for _, h := range got.Hooks {
			if ids[h.ID] {
				t.Errorf("two hooks have the id %s", h.ID)
			}
			ids[h.ID] = true
			if h.Skip == "" && h.Type == "command" && h.Runner == nil {
				t.Errorf("the hook %s can run, and has no runner", fmt.Sprint(*h))
			}
		}
	})
}
