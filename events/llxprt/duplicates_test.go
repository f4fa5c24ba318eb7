package llxprt_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// A hook that cannot run does not replace a guard with the same command (rule L13: duplicates are
// removed after hooks have been selected).
func TestAHookThatDoesNotRunHidesNoGuard(t *testing.T) {
	guard := `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}`
	group := func(group string) string { return `{"hooks": {"BeforeTool": [` + group + `]}` }
	for _, tt := range []struct {
		name, project string
		untrusted     bool
	}{
		{"disabled", group(`{"hooks": [{"type": "command", "name": "off", "command": "exit 2"}]}`) + `, "hooksConfig": {"disabled": ["off"]}}`, false},
		{"not trusted", group(`{"hooks": [{"type": "command", "command": "exit 2"}]}`) + `}`, true},
		{"not matched", group(`{"matcher": "^read_", "hooks": [{"type": "command", "command": "exit 2"}]}`) + `}`, false},
		{"invalid", group(`{"matcher": 42, "hooks": [{"type": "command", "command": "exit 2"}]}`) + `}`, false},
		{"a plugin", group(`{"hooks": [{"type": "plugin", "command": "exit 2"}]}`) + `}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := llxprt.Settings{Layers: []settings.Layer{layer(hook.Project, tt.project), layer(hook.User, guard)}}
			ses := session(t, system(t, s), pipeline.SessionConfig{Dir: t.TempDir(), Untrusted: tt.untrusted})
			fired, err := declared(t, "BeforeTool").FireJSON(t.Context(), ses, []byte(inputs["BeforeTool"]))
			if err != nil || !fired.Blocked {
				t.Errorf("got %+v, %v; want the guard to block", fired, err)
			}
		})
	}
}

func TestOneCommandRunsOnceWithTheTimeoutOfTheFirst(t *testing.T) {
	s := llxprt.Settings{
		Layers: []settings.Layer{layer(hook.Project, `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [
			{"type": "command", "name": "a", "command": "true", "timeout": 1000}, {"type": "command", "name": "b", "command": "true", "timeout": 2000},
			{"type": "command", "command": "true "}]}]}}`)},
		Extensions: []llxprt.Extension{{Dir: "/x", Data: []byte(hooks("", "true"))}},
	}
	ses := session(t, system(t, s), pipeline.SessionConfig{Dir: t.TempDir()})
	res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "ls"})
	if err != nil || len(res.Reports) != 2 || res.Reports[0].Hook.Name != "a" || res.Reports[1].Hook.Command != "true " {
		t.Errorf("%d hooks ran, %v; want the first, and the one that differs by a space", len(res.Reports), err)
	}
}

// Of equal hooks of two levels, the hook of the project runs with its own timeout, as in the
// original. The hook of the user runs instead if the project's copy guards less, or if the user has
// not decided about the project.
func TestOfTwoLevelsWithOneCommandTheProjectsRunsUnlessItGuardsLess(t *testing.T) {
	const on = `"tools": {"enableHooks": true}, `
	entry := func(timeout string) string {
		return `"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"` + timeout + `}]}]}}`
	}
	for _, tt := range []struct {
		name, project, user string
		undecided           bool
		want                hook.Source
	}{
		{"equal", "", "", false, hook.Project},
		{"the project's waits longer", `, "timeout": 90000`, "", false, hook.Project},
		{"the project's gives up sooner", `, "timeout": 1`, "", false, hook.User},
		{"the user's has more than the default", "", `, "timeout": 90000`, false, hook.User},
		{"nobody has decided", `, "timeout": 90000`, "", true, hook.User},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := llxprt.Settings{Layers: []settings.Layer{
				layer(hook.Project, "{"+entry(tt.project)), layer(hook.User, "{"+on+entry(tt.user)),
			}}
			ses := session(t, system(t, s), pipeline.SessionConfig{Dir: t.TempDir(), Undecided: tt.undecided})
			res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "ls"})
			if err != nil || len(res.Reports) != 1 || res.Reports[0].Hook.Source != tt.want {
				t.Errorf("%+v, %v; want one report, of %s", res.Reports, err, tt.want)
			}
		})
	}
}
