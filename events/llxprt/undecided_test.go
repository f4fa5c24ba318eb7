package llxprt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// The hooks of a project that the user has not decided about form a chain of their own, separate
// from the user's hooks.
func TestASequenceOfAnUndecidedProjectIsItsOwn(t *testing.T) {
	sees := func(name string) string { return "cat > " + name + ".json" }
	rewrites := func(name, member string) string {
		return sees(name) + fmt.Sprintf(`; echo '{"hookSpecificOutput":{"tool_input":{%q:1}}}'`, member)
	}
	const chained, plain = true, false
	group := func(sequential bool, commands ...string) string {
		entries := make([]string, len(commands))
		for i, c := range commands {
			entries[i] = `{"type": "command", "command": ` + string(wire.Quote(c)) + `}`
		}
		return fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"sequential": %v, "hooks": [%s]}]}}`,
			sequential, strings.Join(entries, ","))
	}
	for name, tt := range map[string]struct {
		project, user string
		overlay       string
		trusted       bool
		seen          map[string]string // the arguments that each hook got
		blocked       bool
		input         string // the merged changes
	}{
		"beside a hook of the user": {
			project: group(chained, rewrites("p1", "a"), rewrites("p2", "b"), sees("p3")), user: group(plain, rewrites("u", "c")),
			seen:  map[string]string{"p1": `{"x":0}`, "p2": `{"x":0,"a":1}`, "p3": `{"x":0,"a":1,"b":1}`, "u": `{"x":0}`},
			input: `{"a":1,"b":1,"c":1}`,
		},
		"that one hook ends": {
			project: group(chained, sees("p1")+"; exit 2", sees("p2")), user: group(plain, sees("u")),
			seen: map[string]string{"p1": `{"x":0}`, "u": `{"x":0}`}, blocked: true,
		},
		"which the user does not ask for": {
			project: group(plain, rewrites("p1", "a"), sees("p2")), user: group(plain, sees("u")),
			seen: map[string]string{"p1": `{"x":0}`, "p2": `{"x":0}`, "u": `{"x":0}`}, input: `{"a":1}`,
		},
		"with a second round": {
			project: group(chained, rewrites("p1", "a"), sees("p2")), user: group(plain, sees("u")),
			overlay: `{"hooks": [{"recheck": true}]}`,
			seen:    map[string]string{"p1": `{"x":0,"a":1}`, "p2": `{"x":0,"a":1}`, "u": `{"x":0,"a":1}`}, input: `{"a":1}`,
		},
		"of a trusted project, which is everybody's": {
			project: group(chained, rewrites("p1", "a")), user: group(plain, sees("u")), trusted: true,
			seen: map[string]string{"p1": `{"x":0}`, "u": `{"x":0,"a":1}`}, input: `{"a":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := pipeline.Config{Load: []pipeline.Load{llxprt.Settings{Layers: []settings.Layer{
				{Name: "project", Source: hook.Project, File: "project.json", Data: []byte(tt.project)},
				{Name: "user", Source: hook.User, File: "user.json", Data: []byte(tt.user)},
			}}.Load}}
			if tt.overlay != "" {
				o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(tt.overlay))
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				cfg.Policy = policy.Source{Overlays: []policy.Overlay{*o}}
			}
			sys := pipeline.NewSystem(cfg)
			defer sys.Close()
			dir := t.TempDir()
			s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: dir, Undecided: !tt.trusted})
			if err != nil {
				t.Fatal(err)
			}
			res, err := llxprt.BeforeTool.Fire(t.Context(), s, &llxprt.BeforeToolInput{Name: "write_file", Input: wire.Object(`{"x":0}`)})
			if err != nil || res.Blocked() != tt.blocked {
				t.Errorf("blocked %v, %v; want %v", res.Blocked(), err, tt.blocked)
			}
			if got := string(res.Specific.ModifiedToolInput()); got != tt.input {
				t.Errorf("changes %s, want %s", got, tt.input)
			}
			for _, hook := range []string{"p1", "p2", "p3", "u"} {
				if got := seen(t, dir, hook); got != tt.seen[hook] {
					t.Errorf("%s got %q, want %q", hook, got, tt.seen[hook])
				}
			}
		})
	}
}

// seen returns the arguments in the payload that a hook has written to its file; empty if the hook
// has not run.
func seen(t *testing.T, dir, hook string) string {
	t.Helper()
	root, found, err := settings.Layer{File: dir + "/" + hook + ".json"}.Read()
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return ""
	}
	return string(root.Get("tool_input").JSON())
}
