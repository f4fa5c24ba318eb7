package snaphook_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// If a granted guard is missing, the calls that it would match are denied in every session of its directory, even if
// the session is untrusted, and after a Reload. A guard that the user switches off denies nothing.
func TestAGrantedGuardIsMissedUnlessTheUserSwitchesItOff(t *testing.T) {
	const guard = `"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}`
	granted := map[string][]hook.Guard{"claude": {{Event: "PreToolUse", Matcher: "Bash", Label: "true"}}}
	type texts struct{ project, user, overlay, userOverlay string }
	for name, test := range map[string]struct {
		before, after texts
		cfg           snaphook.SessionConfig
		denied        bool // the call is denied after the change
	}{
		"nothing changes":      {texts{project: "{" + guard + "}"}, texts{project: "{" + guard + "}"}, snaphook.SessionConfig{}, false},
		"the guard is removed": {texts{project: "{" + guard + "}"}, texts{project: "{}"}, snaphook.SessionConfig{}, true},
		"removed, and no trust in what is there": {
			texts{project: "{" + guard + "}"}, texts{project: "{}"},
			snaphook.SessionConfig{Untrusted: true, Interactive: true}, true,
		},
		"the project switches all hooks off": {
			texts{project: "{" + guard + "}"}, texts{project: `{"disableAllHooks": true, ` + guard + "}"},
			snaphook.SessionConfig{}, true,
		},
		"the user switches all hooks off": {
			texts{project: "{" + guard + "}"}, texts{project: "{" + guard + "}", user: `{"disableAllHooks": true}`},
			snaphook.SessionConfig{}, false,
		},
		"the project's overlay switches it off": {
			texts{project: "{" + guard + "}"}, texts{project: "{" + guard + "}", overlay: `{"hooks": [{"mode": "off"}]}`},
			snaphook.SessionConfig{}, true,
		},
		"the user's overlay switches it off": {
			texts{project: "{" + guard + "}"}, texts{project: "{" + guard + "}", userOverlay: `{"hooks": [{"mode": "off"}]}`},
			snaphook.SessionConfig{}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, home := t.TempDir(), t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", home)
			project, user := filepath.Join(dir, "settings.json"), filepath.Join(home, "settings.json")
			write := func(now texts) {
				t.Helper()
				for file, text := range map[string]string{
					project: now.project, user: now.user,
					filepath.Join(dir, ".snaphook.json"):           now.overlay,
					filepath.Join(home, "snaphook", "config.json"): now.userOverlay,
				} {
					if text == "" {
						text = "{}"
					}
					if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			open := func() (*snaphook.Hooks, *snaphook.Session) {
				t.Helper()
				hooks, err := snaphook.Open(snaphook.Config{
					Dialects: []*snaphook.Dialect{snaphook.Claude(snaphook.ClaudeConfig{Layers: []settings.Layer{
						{Name: "project", Source: hook.Project, File: project}, {Name: "user", Source: hook.User, File: user},
					}})},
					Log:     slog.New(slog.DiscardHandler),
					Granted: func(string) map[string][]hook.Guard { return granted },
				})
				if err != nil {
					t.Fatal(err)
				}
				cfg := test.cfg
				cfg.ID, cfg.Dir = "s", dir
				s, err := hooks.NewSession(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				return hooks, s
			}
			denied := func(s *snaphook.Session) bool {
				v, _ := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "Bash", Input: wire.Object(`{"command": "ls"}`)})
				return v.Denied()
			}
			write(test.before)
			hooks, s := open()
			if !test.cfg.Untrusted && denied(s) {
				t.Error("before the change the call is denied")
			}
			write(test.after)
			if err := hooks.System().Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := denied(s); got != test.denied {
				t.Errorf("after a Reload: denied %v, want %v", got, test.denied)
			}
			hooks.Close()
			hooks, s = open()
			defer hooks.Close()
			if got := denied(s); got != test.denied {
				t.Errorf("in a new session: denied %v, want %v", got, test.denied)
			}
		})
	}
}

// A session of a missing directory is an error: it would run without the directory's guards.
func TestASessionOfADirectoryThatIsNotThereIsAnError(t *testing.T) {
	hooks, err := snaphook.Open(snaphook.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{file + "-none": "does not exist", file: "is not a directory"} {
		if _, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want one that says it %s", dir, err, want)
		}
	}
}

// The settings of a lost guard are not known: it blocks each call that its matcher selects by the rules of any settings.
func TestALostGuardBlocksIfAnyReadingOfItsMatcherSelectsTheCall(t *testing.T) {
	for _, test := range []struct {
		matcher, tool string
		denied        bool
	}{
		{"Bash", "Bash", true},
		{"Write", "Bash", false},
		{"mcp__.*", "Bash", false},
		{"", "Bash", true},
		{"(", "Bash", true},           // not an expression
		{"Glob, Bash", "Bash", true},  // a list, or an expression that matches nothing
		{"Glob, Write", "Bash", true}, // in doubt
		{"Task", "Agent", true},       // the former name
		{"Agent", "Task", true},
		{"as", "Bash", true}, // Kimi searches the text in names
		{"Shell", "run_shell_command", true},
	} {
		hooks, err := snaphook.Open(snaphook.Config{
			Dialects: []*snaphook.Dialect{snaphook.Claude(snaphook.ClaudeConfig{Layers: []settings.Layer{}})},
			Log:      slog.New(slog.DiscardHandler),
			Granted: func(string) map[string][]hook.Guard {
				return map[string][]hook.Guard{"claude": {{Event: "PreToolUse", Matcher: test.matcher, Label: "guard"}}}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s", Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		v, _ := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: test.tool, Input: wire.Object(`{}`)})
		if v.Denied() != test.denied {
			t.Errorf("a lost guard with matcher %q and a call of %s: denied %v", test.matcher, test.tool, v.Denied())
		}
		hooks.Close()
	}
}
