package snaphook_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// loaded fires a gate with hooks of a settings file, under an overlay's failure policy.
func (g gate) loaded(t *testing.T, text, overlay string) heard {
	t.Helper()
	return g.fire(t, g.session(t, text, overlay))
}

// session opens a session with the hooks of a settings file and an overlay.
func (g gate) session(t *testing.T, text, overlay string) *pipeline.Session {
	t.Helper()
	layers := []settings.Layer{{Name: "user settings", Source: hook.User, File: "settings.json", Data: []byte(strings.ReplaceAll(text, "EVENT", g.event))}}
	load := claude.Settings{Layers: layers}.Load
	if g.dialect == "llxprt" {
		load = llxprt.Settings{Layers: layers}.Load
	}
	cfg := pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{load}}
	if overlay != "" {
		o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(overlay))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		cfg.Policy = policy.Source{Overlays: []policy.Overlay{*o}}
	}
	sys := pipeline.NewSystem(cfg)
	t.Cleanup(func() { sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// groups returns settings with the hooks of one event, in a form that every dialect reads.
func groups(list string) string {
	return `{"tools": {"enableHooks": true}, "hooks": {"EVENT": ` + list + `}}`
}

// unusable lists settings with one guard that can never run, because its entry or its group cannot be used.
var unusable = map[string]string{
	"no type":                     groups(`[{"hooks": [{"command": "./guard.sh"}]}]`),
	"an unknown type":             groups(`[{"hooks": [{"type": "comand", "command": "./guard.sh"}]}]`),
	"a type that is no text":      groups(`[{"hooks": [{"type": 7, "command": "./guard.sh"}]}]`),
	"no command":                  groups(`[{"hooks": [{"type": "command"}]}]`),
	"an entry that is a text":     groups(`[{"hooks": ["./guard.sh"]}]`),
	"a group without hooks":       groups(`[{"matcher": ""}]`),
	"a hook in place of a group":  groups(`[{"type": "command", "command": "./guard.sh"}]`),
	"hooks that are no list":      groups(`[{"hooks": {"type": "command", "command": "./guard.sh"}}]`),
	"a group that is a text":      groups(`["./guard.sh"]`),
	"groups that are no list":     groups(`{"hooks": [{"type": "command", "command": "./guard.sh"}]}`),
	"a matcher that is no text":   groups(`[{"matcher": 7, "hooks": [{"type": "command", "command": "exit 0"}]}]`),
	"a matcher that breaks off":   groups(`[{"matcher": "Bash(", "hooks": [{"type": "command", "command": "exit 0"}]}]`),
	"both matcher and type wrong": groups(`[{"matcher": "Bash(", "hooks": [{"type": "comand", "command": "exit 0"}]}]`),
}

// ofClaude lists settings like those in unusable, with members that only Claude Code has.
var ofClaude = map[string]string{
	"an if that breaks off":         groups(`[{"hooks": [{"type": "command", "command": "exit 0", "if": "Bash(rm"}]}]`),
	"a URL that is none":            groups(`[{"hooks": [{"type": "http", "url": "guard"}]}]`),
	"a URL that is not allowed":     `{"allowedHttpHookUrls": [], ` + groups(`[{"hooks": [{"type": "http", "url": "https://guard.example/"}]}]`)[1:],
	"a URL under a broken matcher":  `{"allowedHttpHookUrls": [], ` + groups(`[{"matcher": "Bash(", "hooks": [{"type": "http", "url": "https://guard.example/"}]}]`)[1:],
	"an if where there is no tool":  groups(`[{"hooks": [{"type": "command", "command": "exit 0", "if": "Bash(rm *)"}]}]`),
	"a matcher that names no names": groups(`[{"matcher": "|", "hooks": [{"type": "command", "command": "exit 0"}]}]`),
}

func TestAnEntryThatCannotBeUsedDeniesWhereFailuresAreClosed(t *testing.T) {
	for _, g := range gates {
		cases := map[string]string{}
		for name, text := range unusable {
			cases[name] = text
		}
		if g.dialect == "claude" {
			for name, text := range ofClaude {
				cases[name] = text
			}
		}
		tool := g.event == "PreToolUse" || g.event == "PermissionRequest" || g.event == "BeforeTool"
		for name, text := range cases {
			switch {
			case strings.Contains(name, "matcher") && !tool: // the matcher is not read
				if !strings.Contains(name, "and type") && !strings.Contains(name, "URL") {
					continue
				}
			case strings.Contains(name, "no tool") && tool:
				continue
			}
			for _, overlay := range []string{
				closedByDefault, `{"hooks": [{"match": {"event": "` + g.event + `"}, "onFailure": "closed"}]}`,
				`{"hooks": [{"onFailure": {"invalid": "closed"}}]}`,
			} {
				t.Run(g.event+"/"+name, func(t *testing.T) {
					if got := g.loaded(t, text, overlay); !got.blocked || hook.ClassOf(got.err) != hook.ClassInvalid {
						t.Errorf("under %s: blocked %v, error %v; want a denial, and an error of class invalid", overlay, got.blocked, got.err)
					}
				})
			}
		}
	}
}

// An entry of Claude Code can have its own failure policy, without an overlay.
func TestAnEntryThatCannotBeUsedFollowsItsOwnPolicy(t *testing.T) {
	entry := func(members string) string {
		return groups(`[{"hooks": [{"onFailure": "block", ` + members + `}]}]`)
	}
	broken := map[string]string{
		"an if that breaks off":     entry(`"type": "command", "command": "exit 0", "if": "Bash(rm"`),
		"an if that is no text":     entry(`"type": "command", "command": "exit 0", "if": 7`),
		"no type":                   entry(`"command": "./guard.sh"`),
		"an unknown type":           entry(`"type": "comand", "command": "./guard.sh"`),
		"a type that is a list":     entry(`"type": ["command"], "command": "./guard.sh"`),
		"no command":                entry(`"type": "command"`),
		"arguments of a number":     entry(`"type": "command", "command": "true", "args": 7`),
		"a URL that is none":        entry(`"type": "http", "url": "guard"`),
		"a URL with async":          entry(`"type": "http", "url": "guard", "async": true`),
		"a URL that is not allowed": `{"allowedHttpHookUrls": [], ` + entry(`"type": "http", "url": "https://guard.example/"`)[1:],
		"a tool without a server":   entry(`"type": "mcp_tool", "tool": "scan"`),
		"a broken matcher":          groups(`[{"matcher": "Bash(", "hooks": [{"onFailure": "block", "type": "command", "command": "exit 0"}]}]`),
		"a matcher of a number":     groups(`[{"matcher": 7, "hooks": [{"onFailure": "block", "type": "command", "command": "exit 0"}]}]`),
	}
	open := map[string]string{
		"in the background":         entry(`"type": "command", "async": true`),
		"and waking":                entry(`"type": "command", "asyncRewake": true`),
		"a prompt, which has none":  entry(`"type": "prompt"`),
		"another word":              groups(`[{"hooks": [{"onFailure": "continue", "type": "command"}]}]`),
		"a word that there is not":  groups(`[{"hooks": [{"onFailure": "deny", "type": "command"}]}]`),
		"switched off with the set": `{"disableAllHooks": true, ` + entry(`"type": "command"`)[1:],
	}
	fire := func(t *testing.T, text, overlay string) (blocked bool, failed error) {
		s := gate{dialect: "claude", event: "PreToolUse"}.session(t, text, overlay)
		res, err := claude.PreToolUse.Fire(t.Context(), s, &claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{"command":"ls"}`)})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range res.Reports {
			failed = r.Err
		}
		return res.Blocked(), failed
	}
	for name, text := range broken {
		t.Run(name, func(t *testing.T) {
			for _, overlay := range []string{"", `{"hooks": []}`, `{"hooks": [{"onFailure": {"timeout": "closed"}}]}`} {
				if blocked, err := fire(t, text, overlay); !blocked || hook.ClassOf(err) != hook.ClassInvalid {
					t.Errorf("under %q: blocked %v, error %v; want a denial, and an error of class invalid", overlay, blocked, err)
				}
			}
			for _, overlay := range []string{`{"hooks": [{"onFailure": {"invalid": "open"}}]}`, `{"hooks": [{"mode": "off"}]}`} {
				if blocked, _ := fire(t, text, overlay); blocked {
					t.Errorf("under %q: blocked; want the overlay's word to count", overlay)
				}
			}
		})
	}
	for name, text := range open {
		t.Run(name, func(t *testing.T) {
			if blocked, err := fire(t, text, ""); blocked {
				t.Errorf("blocked, %v; want nothing: it says nothing of failures that counts", err)
			}
		})
	}
}

// A hook of type "plugin" fails each time in LLxprt, which knows the type but runs no such hook. An
// overlay that fails closed for the class spawn or invalid turns the failure into a denial.
func TestAPluginOfLLxprtFailsAsOneThatCannotBeUsed(t *testing.T) {
	var gate gate
	for _, g := range gates {
		if g.event == "BeforeTool" {
			gate = g
		}
	}
	for overlay, blocked := range map[string]bool{
		"":              false,
		closedByDefault: true,
		`{"hooks": [{"onFailure": {"invalid": "closed"}}]}`: true,
		`{"hooks": [{"onFailure": {"spawn": "closed"}}]}`:   true,
		`{"hooks": [{"onFailure": {"timeout": "closed"}}]}`: false,
	} {
		got := gate.loaded(t, groups(`[{"hooks": [{"type": "plugin", "command": "exit 0"}]}]`), overlay)
		if got.blocked != blocked || !errors.Is(got.err, hook.ErrUnsupported) {
			t.Errorf("under %q: blocked %v, %v; want %v, and the error in the report", overlay, got.blocked, got.err, blocked)
		}
	}
}

// A guard that can never run denies nothing once its settings switch hooks off.
func TestAnEntryThatIsSwitchedOffDeniesNothing(t *testing.T) {
	all := append(pipeline.Events(claude.Dialect), pipeline.Events(llxprt.Dialect)...)
	for _, g := range gates {
		event, _ := lo.Find(all, func(e pipeline.Declared) bool { return e.Info().Dialect == g.dialect && e.Info().Name == g.event })
		for name, text := range unusable {
			off := `{"disableAllHooks": true, ` + strings.Replace(text[1:], `"enableHooks": true`, `"enableHooks": false`, 1)
			layers := []settings.Layer{{Name: "user settings", Source: hook.User, File: "settings.json", Data: []byte(strings.ReplaceAll(off, "EVENT", g.event))}}
			at := pipeline.Workspace{Dir: t.TempDir()}
			load := claude.Settings{Layers: layers}.Load
			if g.dialect == "llxprt" {
				load = llxprt.Settings{Layers: layers}.Load
			}
			l, err := load(t.Context(), at)
			if err != nil || len(l.Hooks) != 1 {
				t.Fatalf("%s.%s, %s: %d hooks, %v", g.dialect, g.event, name, len(l.Hooks), err)
			}
			o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(closedByDefault))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			cfg := pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{load}, Policy: policy.Source{Overlays: []policy.Overlay{*o}}}
			sys := pipeline.NewSystem(cfg)
			s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: at.Dir})
			if err != nil {
				t.Fatal(err)
			}
			fired, err := event.FireJSON(t.Context(), s, []byte(`{"tool_name": "Bash", "tool_input": {}, "prompt": "go"}`))
			if err != nil || len(fired.Hooks) != 0 {
				t.Errorf("%s.%s, %s: %d hooks ran, %v; want none, since all are switched off", g.dialect, g.event, name, len(fired.Hooks), err)
			}
			sys.Close()
		}
	}
}
