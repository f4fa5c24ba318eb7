package snaphook_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// The reason of a failed guard contains no path, no position in a file and no way to switch the guard off. This holds
// for hooks of several types and failures in Claude Code, LLxprt Code and xcsh, before and after a call, and for
// denials by an entry, a policy and trust.
func TestAFailureTellsTheModelNoPathAndNoWayOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the hooks are scripts of sh")
	}
	closed := []policy.Overlay{{
		Level: policy.User, File: "/secret/overlay.json",
		Defaults: policy.Defaults{Gates: policy.OnFailure{policy.Default: hook.FailClosed}},
	}}
	dir := t.TempDir()
	script := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script("exits.sh", "#!/bin/sh\necho broken >&2; exit 3\n")
	script("dies.sh", "#!/bin/sh\nkill -9 $$\n")
	script("hangs.sh", "#!/bin/sh\nsleep 20\n")
	script("cut.sh", "#!/bin/sh\nprintf '{\"decision\": \"bl'\n")
	script("text.sh", "#!/bin/sh\nprintf 'no: {\"decision\": \"block\"}'\n")
	if err := os.WriteFile(filepath.Join(dir, "norights.sh"), []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "noshell.sh"), []byte("#!/no/such/shell\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{
		"exit status 3":      `"type": "command", "command": "DIR/exits.sh"`,
		"killed":             `"type": "command", "command": "DIR/dies.sh"`,
		"late":               `"type": "command", "command": "DIR/hangs.sh", "timeout": TIMEOUT`,
		"a missing script":   `"type": "command", "command": "DIR/none.sh"`,
		"no right to run it": `"type": "command", "command": "DIR/norights.sh"`,
		"no such shell":      `"type": "command", "command": "DIR/noshell.sh"`,
		"a cut answer":       `"type": "command", "command": "DIR/cut.sh"`,
		"text before it":     `"type": "command", "command": "DIR/text.sh"`,
		"no type":            `"command": "DIR/exits.sh"`,
		"a wrong type":       `"type": "DIR/x"`,
		"nobody listens":     `"type": "http", "url": "http://127.0.0.1:1/DIR"`,
		"no such server":     `"type": "mcp_tool", "server": "DIR", "tool": "x"`,
		"no model":           `"type": "prompt", "prompt": "DIR"`,
		"no agent":           `"type": "agent", "prompt": "DIR"`,
	}
	claudeSettings := func(event, entry string) *snaphook.Dialect {
		text := `{"hooks": {"` + event + `": [{"hooks": [{` + strings.NewReplacer("DIR", dir, "TIMEOUT", "0.2").Replace(entry) + `}]}]}}`
		return snaphook.Claude(snaphook.ClaudeConfig{Layers: []settings.Layer{{
			Name: "project", Source: hook.Project, File: filepath.Join(dir, "settings.json"), Data: []byte(text),
		}}})
	}
	llxprtSettings := func(event, entry string) *snaphook.Dialect {
		text := `{"tools": {"enableHooks": true}, "hooks": {"` + event + `": [{"hooks": [{` +
			strings.NewReplacer("DIR", dir, "TIMEOUT", "200").Replace(entry) + `}]}]}}`
		return snaphook.LLxprt(snaphook.LLxprtConfig{Layers: []settings.Layer{{
			Name: "project", Source: hook.Project, File: filepath.Join(dir, "settings.json"), Data: []byte(text),
		}}})
	}
	configs := map[string]snaphook.Config{}
	for name, entry := range entries {
		for _, event := range []string{"PreToolUse", "PostToolUse", "UserPromptSubmit"} {
			configs["claude, "+event+", "+name+", by its entry"] = snaphook.Config{
				Dialects: []*snaphook.Dialect{claudeSettings(event, entry+`, "onFailure": "block"`)},
			}
			configs["claude, "+event+", "+name+", by policy"] = snaphook.Config{
				Dialects: []*snaphook.Dialect{claudeSettings(event, entry)}, Policy: closed,
			}
		}
		for _, event := range []string{"BeforeTool", "AfterTool", "BeforeAgent"} {
			configs["llxprt, "+event+", "+name+", by policy"] = snaphook.Config{
				Dialects: []*snaphook.Dialect{llxprtSettings(event, entry)}, Policy: closed,
			}
		}
	}
	for _, d := range []string{"claude", "llxprt"} {
		dialect := map[string]*snaphook.Dialect{
			"claude": claudeSettings("PreToolUse", entries["exit status 3"]), "llxprt": llxprtSettings("BeforeTool", entries["exit status 3"]),
		}[d]
		configs[d+", not what trust was granted for"] = snaphook.Config{
			Dialects: []*snaphook.Dialect{dialect},
			Wrap: func(*hook.Hook, hook.Runner) hook.Runner {
				return failing{&hook.ClassError{Class: hook.ClassUntrusted, Err: errors.New(dir + "/exits.sh has changed; grant trust again")}}
			},
		}
		configs[d+", no Runner"] = snaphook.Config{
			Dialects: []*snaphook.Dialect{dialect}, Policy: closed,
			Wrap: func(*hook.Hook, hook.Runner) hook.Runner { panic(dir) },
		}
		event := map[string]string{"claude": "PreToolUse", "llxprt": "BeforeTool"}[d]
		configs[d+", a lost guard"] = snaphook.Config{
			Dialects: []*snaphook.Dialect{dialect},
			Granted: func(string) map[string][]hook.Guard {
				return map[string][]hook.Guard{d: {{Event: event, Label: dir + "/gone.sh"}}}
			},
		}
	}
	configs["xcsh, a gate that panics"] = snaphook.Config{
		Dialects: []*snaphook.Dialect{snaphook.Xcsh(snaphook.XcshConfig{Setup: func(m *xcsh.Modules) error {
			return m.Add("gate", func(api *xcsh.API) error {
				xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
					panic("no")
				})
				return nil
			})
		}})},
	}
	configs["xcsh, lost modules"] = snaphook.Config{
		Dialects: []*snaphook.Dialect{snaphook.Xcsh(snaphook.XcshConfig{})},
		Granted: func(string) map[string][]hook.Guard {
			return map[string][]hook.Guard{"xcsh": {{Event: "tool_call", Label: dir + "/gate.ts"}}}
		},
	}
	refused := 0
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			cfg.Log = slog.New(slog.DiscardHandler)
			hooks, err := snaphook.Open(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.Close()
			s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s", Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(t.Context())
			call := &snaphook.ToolCall{ID: "1", Name: "Bash", Input: wire.Object(`{"command": "ls"}`)}
			v, _ := s.BeforeTool(t.Context(), call)
			texts := append([]string{v.Reason, v.Continue}, v.Context...)
			out, err := s.RunTool(t.Context(), call, func(context.Context, wire.Object) (snaphook.ToolResult, error) {
				return snaphook.ToolResult{Text: "done"}, nil
			})
			texts = append(texts, out.Text)
			if err != nil {
				texts = append(texts, out.Text)
			}
			p, _ := s.Prompt(t.Context(), &snaphook.PromptInput{Text: "hello"})
			texts = append(append(texts, p.Reason), p.Context...)
			denied := v.Denied() || p.Denied() || out.Text != "done"
			if denied {
				refused++
			}
			for _, text := range texts {
				if wrong := notForModels.FindString(text); wrong != "" || strings.Contains(text, dir) {
					t.Errorf("the model reads %q", text)
				}
			}
			noEntry := strings.Contains(name, "type, by its entry") || strings.Contains(name, "no model") || strings.Contains(name, "no agent")
			gate := strings.Contains(name, "PreToolUse") || strings.Contains(name, "BeforeTool") || strings.Contains(name, "trust")
			if !denied && gate && !(noEntry && strings.HasSuffix(name, "by its entry")) {
				t.Errorf("the call goes ahead: %+v", v.Reports)
			}
		})
	}
	t.Logf("%d of %d configurations refuse", refused, len(configs))
}

// notForModels matches text that a reason must not contain.
var notForModels = regexp.MustCompile(`(?i)"?mode"?: *"?off|onFailure|\.snaphook|settings\.json|\.json:\d|:\d+:\d+|/[a-z]+/[a-z]|trust grant|grant trust|switch .* off|three ways`)

// failing is a Runner that fails.
type failing struct{ err error }

func (f failing) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, f.err }
