package entries_test

import (
	"context"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// module is a hook of a type that no dialect has.
type module struct{ file string }

func (m module) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{Exit: 2, Stderr: []byte("refused by " + m.file)}, nil
}

var types = entries.Types{
	"wasm": func(h *hook.Hook, entry settings.Value) *settings.Problem {
		file, ok := entry.Get("file").Text()
		if !ok {
			p := entry.Wrong("the hook has no \"file\"; add \"file\": \"guard.wasm\"")
			return &p
		}
		h.Command, h.Key, h.Runner = file, file, module{file}
		return nil
	},
	"empty":  func(*hook.Hook, settings.Value) *settings.Problem { return nil },
	"broken": func(*hook.Hook, settings.Value) *settings.Problem { panic("oh") },
}

func layer(text string) []settings.Layer {
	return []settings.Layer{{Name: "project", Source: hook.Project, File: "f.json", Data: []byte(text)}}
}

func entriesOf(event, list string) []settings.Layer {
	return layer(`{"tools": {"enableHooks": true}, "hooks": {"` + event + `": [{"hooks": [` + list + `]}]}}`)
}

// A type that the program adds runs in the dialects of Claude Code and LLxprt. An unusable entry of the type affects no
// other entry.
func TestTypesOfTheProgramAreRead(t *testing.T) {
	const list = `{"type": "wasm", "file": "a.wasm", "cwd": "."}, {"type": "wasm"}, {"type": "empty"}, {"type": "broken"}, {"type": "wasm", "file": "a.wasm"}, {"type": "other"}`
	for name, test := range map[string]struct {
		load pipeline.Load
		fire func(*pipeline.Session) (blocked bool, reason string, reports int)
	}{
		"llxprt": {llxprt.Settings{Layers: entriesOf("BeforeTool", list), Types: types}.Load, func(s *pipeline.Session) (bool, string, int) {
			res, _ := llxprt.BeforeTool.Fire(t.Context(), s, &llxprt.BeforeToolInput{Name: "x", Input: []byte(`{}`)})
			return res.Blocked(), res.Reason, len(res.Reports)
		}},
		"claude": {claude.Settings{Layers: entriesOf("PreToolUse", list), Types: types}.Load, func(s *pipeline.Session) (bool, string, int) {
			res, _ := claude.PreToolUse.Fire(t.Context(), s, &claude.PreToolUseInput{Name: "x", Input: []byte(`{}`)})
			return res.Blocked(), res.Reason, len(res.Reports)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{test.load}})
			defer sys.Close()
			s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if blocked, reason, n := test.fire(s); !blocked || reason != "refused by a.wasm" || n != 1 {
				t.Errorf("blocked %v, reason %q, %d reports; want one module that refuses", blocked, reason, n)
			}
			var problems []string
			for _, p := range s.Problems() {
				problems = append(problems, p.Message)
			}
			all := strings.Join(problems, "\n")
			if strings.Contains(all, "does not read") {
				t.Errorf("problems:\n%s\nwant none about a member of the program's own type", all)
			}
			for _, want := range []string{`add "file"`, `"empty" has set no Runner for the hook`, `"broken" panicked: oh`, `there is no hook type "other"`} {
				if !strings.Contains(all, want) {
					t.Errorf("problems:\n%s\nwant one with %s", all, want)
				}
			}
		})
	}
}

// A host cannot replace a type of the dialect.
func TestATypeOfTheDialectIsNotReplaced(t *testing.T) {
	own := entries.Types{"command": func(*hook.Hook, settings.Value) *settings.Problem { panic("not asked") }}
	for name, load := range map[string]pipeline.Load{
		"llxprt": llxprt.Settings{Layers: entriesOf("BeforeTool", `{"type": "command", "command": "true"}`), Types: own}.Load,
		"claude": claude.Settings{Layers: entriesOf("PreToolUse", `{"type": "command", "command": "true"}`), Types: own}.Load,
	} {
		loaded, err := load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
		if err != nil || len(loaded.Hooks) != 1 || loaded.Hooks[0].Skip != "" {
			t.Errorf("%s: %d hooks, problems %v, err %v; want the dialect's command", name, len(loaded.Hooks), loaded.Problems, err)
		}
	}
}

// A host can define further sources; hooks of these sources come last in the order of sources.
func TestASourceOfTheHostsOwn(t *testing.T) {
	team := hook.Source("team")
	hooks := `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "NAME"}]}]}}`
	loaded, err := llxprt.Settings{Layers: []settings.Layer{
		{Name: "team", Source: team, File: "t.json", Data: []byte(strings.Replace(hooks, "NAME", "team", 1))},
		{Name: "user", Source: hook.User, File: "u.json", Data: []byte(strings.Replace(hooks, "NAME", "user", 1))},
	}}.Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
	if err != nil || len(loaded.Hooks) != 2 {
		t.Fatalf("%d hooks, err %v; want two", len(loaded.Hooks), err)
	}
	if last := loaded.Hooks[1]; last.Source != team || last.Source.String() != "team" || last.ID != "team/BeforeTool/0/0" {
		t.Errorf("the last hook is %s of %q; want team/BeforeTool/0/0 of the source team", last.ID, last.Source)
	}
}
