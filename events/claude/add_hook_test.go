package claude_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// changes records the hooks that are added and removed.
type changes struct {
	pipeline.HookEnds
	mu   sync.Mutex
	seen []string
}

func (c *changes) HookAdded(session string, h *hook.Hook)   { c.note("+" + session + " " + h.Command) }
func (c *changes) HookRemoved(session string, h *hook.Hook) { c.note("-" + session + " " + h.Command) }

func (c *changes) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, text)
}

func TestAHookIsAddedToASessionAndRemoved(t *testing.T) {
	for name, entry := range map[string]any{
		"text":  `{"matcher":"Bash","type":"command","command":"echo no >&2; exit 2"}`,
		"bytes": []byte(`{"matcher":"Bash","type":"command","command":"echo no >&2; exit 2"}`),
		"typed": claude.Entry{Matcher: "Bash", Type: "command", Command: "echo no >&2; exit 2"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := &changes{HookEnds: func(context.Context, *pipeline.Evaluation) {}}
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{project(`{}`).Load}, Observe: []pipeline.Observer{seen}})
			defer sys.Close()
			s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: testkit.Dir(t), Interactive: true, Untrusted: true})
			if err != nil {
				t.Fatal(err)
			}
			remove, err := claude.AddHook(s, "PreToolUse", entry)
			if err != nil {
				t.Fatal(err)
			}
			fire := func(tool string) bool {
				res, err := claude.PreToolUse.Fire(t.Context(), s, &claude.PreToolUseInput{Name: tool, Input: wire.Object(`{"command":"ls"}`)})
				if err != nil {
					t.Error(err)
				}
				return res.Blocked()
			}
			if !fire("Bash") || fire("Read") {
				t.Errorf("Bash is blocked: %v, Read: %v; want true and false", fire("Bash"), fire("Read"))
			}
			remove()
			remove()
			if fire("Bash") {
				t.Error("a hook that was removed still blocks")
			}
			seen.mu.Lock()
			defer seen.mu.Unlock()
			if got, want := strings.Join(seen.seen, ", "), "+s-1 echo no >&2; exit 2, -s-1 echo no >&2; exit 2"; got != want {
				t.Errorf("observers saw %q, want %q", got, want)
			}
		})
	}
}

func TestAHookIsAddedToASessionThatIsThere(t *testing.T) {
	for name, s := range map[string]*pipeline.Session{"no session": nil, "an empty session": new(pipeline.Session)} {
		if remove, err := claude.AddHook(s, "PreToolUse", claude.Entry{Type: "command", Command: "exit 2"}); err == nil || remove != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAHookThatCannotBeAddedIsAnError(t *testing.T) {
	s := project(`{}`).open(t)
	for name, test := range map[string]struct {
		event, entry, want string
	}{
		"an event that is none":     {"Stopp", `{"type":"command","command":"true"}`, "Stop"},
		"no JSON":                   {"Stop", `{"type"`, "not a JSON object"},
		"a list":                    {"Stop", `[]`, "not a JSON object"},
		"no type":                   {"Stop", `{"command":"true"}`, `has no "type"`},
		"a type that is none":       {"Stop", `{"type":"comand"}`, `no hook type "comand"`},
		"a type the event has not":  {"SessionStart", `{"type":"http","url":"http://localhost"}`, "http"},
		"a condition that is wrong": {"PreToolUse", `{"type":"command","command":"true","if":"Bash("}`, "never runs"},
	} {
		remove, err := claude.AddHook(s, test.event, test.entry)
		if err == nil || !strings.Contains(err.Error(), test.want) || remove != nil {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
	}
	bare := pipeline.NewSystem(pipeline.Config{})
	defer bare.Close()
	other, err := bare.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claude.AddHook(other, "Stop", `{"type":"command","command":"true"}`); err == nil {
		t.Error("a session without settings of Claude Code took a hook")
	}
}
