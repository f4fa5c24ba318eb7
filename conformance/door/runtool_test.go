package door_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	codexdoor "github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/events/copilot"
	copilotdoor "github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/cursor"
	cursordoor "github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// guarded is a dialect with one hook before each tool.
type guarded struct {
	file, text string // the settings, with a hook of the type "probe"
	event      pipeline.Declared
	tool       string // a tool of the dialect
	name, args string // the members of the event's input for the tool's name and its arguments
	load       func([]settings.Layer, entries.Types) pipeline.Load
	dialect    func([]settings.Layer, entries.Types) *snaphook.Dialect
	answers    []string // answers of a hook, in addition to the answers in everyOne
}

const groupedProbe = `{"tools": {"enableHooks": true}, "hooks": {"EVENT": [{"hooks": [{"type": "probe"}]}]}}`

var llxprtAnswers = []string{
	`{"decision":"allow"}`, `{"decision":"ask","reason":"sure?"}`, `{"decision":"deny"}`, `{"decision":"deny","reason":"no","suppressOutput":true}`,
	`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"pattern":"y"}}}`, `{"suppressOutput":true}`,
	`{"decision":"allow","hookSpecificOutput":{"tool_input":{"pattern":"y"},"additionalContext":"c"}}`,
}

func llxprtGuarded(file, event string, p llxprt.Profile) guarded {
	return guarded{
		file: file, text: strings.ReplaceAll(groupedProbe, "EVENT", event), event: llxprt.BeforeTool,
		tool: "search_file_content", name: "tool_name", args: "tool_input",
		load: func(l []settings.Layer, t entries.Types) pipeline.Load {
			return llxprt.Settings{Layers: l, Types: t, Profile: p}.Load
		},
		dialect: func(l []settings.Layer, t entries.Types) *snaphook.Dialect {
			return snaphook.LLxprt(llxprt.Settings{Layers: l, Types: t, Profile: p})
		},
		answers: llxprtAnswers,
	}
}

var everyGuarded = map[string]guarded{
	"claude": {
		file: ".claude/settings.json", text: strings.ReplaceAll(groupedProbe, "EVENT", "PreToolUse"), event: claude.PreToolUse,
		tool: "Grep", name: "tool_name", args: "tool_input",
		load: func(l []settings.Layer, t entries.Types) pipeline.Load {
			return claude.Settings{Layers: l, Types: t}.Load
		},
		dialect: func(l []settings.Layer, t entries.Types) *snaphook.Dialect {
			return snaphook.Claude(claude.Settings{Layers: l, Types: t})
		},
		answers: slices.Concat(ownAnswers, []string{`{"decision":"approve","reason":"fine"}`}),
	},
	"llxprt": llxprtGuarded(".llxprt/settings.json", "BeforeTool", llxprt.LLxprt),
	"gemini": llxprtGuarded(".gemini/settings.json", "BeforeTool", llxprt.Gemini),
	"codex": {
		file: ".codex/hooks.json", text: strings.ReplaceAll(groupedProbe, "EVENT", "PreToolUse"), event: codex.PreToolUse,
		tool: "Grep", name: "tool_name", args: "tool_input",
		load: func(l []settings.Layer, t entries.Types) pipeline.Load {
			return codex.Settings{Layers: l, Types: t}.Load
		},
		dialect: func(l []settings.Layer, t entries.Types) *snaphook.Dialect {
			return codexdoor.Codex(codex.Settings{Layers: l, Types: t})
		},
		answers: ownAnswers,
	},
	"copilot": {
		file: ".github/hooks/a.json", text: `{"version": 1, "hooks": {"preToolUse": [{"type": "probe"}]}}`, event: copilot.PreToolUse,
		tool: "grep", name: "toolName", args: "toolArgs",
		load: func(l []settings.Layer, t entries.Types) pipeline.Load {
			return copilot.Settings{Layers: l, Types: t, Environ: []string{}}.Load
		},
		dialect: func(l []settings.Layer, t entries.Types) *snaphook.Dialect {
			return copilotdoor.Copilot(copilot.Settings{Layers: l, Types: t, Environ: []string{}})
		},
		answers: slices.Concat(ownAnswers, []string{
			`{"permissionDecision":"deny","permissionDecisionReason":"no"}`, `{"permissionDecision":"ask","permissionDecisionReason":"sure?"}`,
			`{"permissionDecision":"allow","modifiedArgs":{"pattern":"y"}}`, `{"additionalContext":"c"}`,
		}),
	},
	"cursor": {
		file: ".cursor/hooks.json", text: `{"version": 1, "hooks": {"preToolUse": [{"type": "probe"}]}}`, event: cursor.PreToolUse,
		tool: "Grep", name: "tool_name", args: "tool_input",
		load: func(l []settings.Layer, t entries.Types) pipeline.Load {
			return cursor.Settings{Layers: l, Types: t}.Load
		},
		dialect: func(l []settings.Layer, t entries.Types) *snaphook.Dialect {
			return cursordoor.Cursor(cursor.Settings{Layers: l, Types: t})
		},
		answers: []string{
			`{"permission":"deny","user_message":"no"}`, `{"permission":"deny","agent_message":"no","user_message":"for you"}`, `{"permission":"deny"}`,
			`{"permission":"allow","updated_input":{"pattern":"y"}}`, `{"permission":"ask","user_message":"sure?"}`, `{"permission":"allow"}`,
			`{"permission":"perhaps"}`, `{"continue":false,"user_message":"no"}`,
		},
	},
}

// ownAnswers are answers in the words of Claude Code's PreToolUse.
var ownAnswers = []string{
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"ok"}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"pattern":"y"}}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{"pattern":"y"}}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"pattern":"y","more":[1]}}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"},"systemMessage":"m"}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"},"systemMessage":"m","suppressOutput":true}`,
	`{"suppressOutput":true}`,
}

// everyOne are answers for all dialects: standard output, or an exit status and standard error.
var everyOne = []string{
	"", "{}", "plain text", "2:no", "2:", "1:it failed", `{"decision":"block","reason":"no"}`, `{"decision":"block"}`, `{"systemMessage":"m"}`,
	`{"continue":false,"stopReason":"enough"}`, `{"continue":false}`, `{"continue":true,"systemMessage":"m"}`, `{"decision":"blo`, `{"Decision":"block"}`,
	`{"decision":"block","reason":"no","continue":false,"stopReason":"enough"}`, `{"decision":"perhaps"}`, `{"reason":"why","systemMessage":"m"}`,
}

// said is the answer of a hook before a tool, in the form that a host gets.
type said struct {
	Ran, Asked, Stopped bool
	Input, Messages     string
	Suppressed          bool // the output of the tool is hidden from the user
	Reason              string
}

// A tool call ends in the same way through package snaphook and through the dialect's own event.
func TestRunToolSaysWhatTheDialectsEventSays(t *testing.T) {
	var probes, asked, refused, stopped, suppressed int
	for name, g := range everyGuarded {
		for _, text := range slices.Concat(everyOne, g.answers) {
			probes++
			layers := []settings.Layer{{Name: "user", Source: hook.User, File: "/p/" + g.file, Data: []byte(g.text), Strict: true}}
			types := entries.Types{"probe": func(h *hook.Hook, _ settings.Value) *settings.Problem { h.Runner = replies(text); return nil }}
			alone := g.alone(t, layers, types)
			through, got := g.through(t, layers, types)
			for count, is := range map[*int]bool{&asked: alone.Asked, &refused: !alone.Ran, &stopped: alone.Stopped, &suppressed: alone.Suppressed} {
				if is {
					*count++
				}
			}
			if alone.Reason != "" && !strings.Contains(got, alone.Reason) {
				t.Errorf("%s %s: the model is told %q; want %q in it", name, text, got, alone.Reason)
			}
			if alone.Reason = ""; alone != through {
				t.Errorf("%s %s:\nits event: %+v\nRunTool:   %+v", name, text, alone, through)
			}
		}
	}
	if probes < 140 || asked < 5 || refused < 40 || stopped < 6 || suppressed < 4 {
		t.Errorf("%d probes: %d asked, %d refused, %d stopped, %d suppressed; want some of each", probes, asked, refused, stopped, suppressed)
	}
}

// replies is a hook that answers at once.
type replies string

func (r replies) Run(context.Context, hook.Call) (hook.Reply, error) {
	if exit, text, found := strings.Cut(string(r), ":"); found && len(exit) == 1 {
		return hook.Reply{Exit: int(exit[0] - '0'), Stderr: []byte(text)}, nil
	}
	return hook.Reply{Stdout: []byte(r)}, nil
}

const probeInput = `{"pattern":"x"}`

// alone fires the dialect's own event.
func (g *guarded) alone(t *testing.T, layers []settings.Layer, types entries.Types) (s said) {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{g.load(layers, types)}, Log: testkit.Quiet})
	defer sys.Close()
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir(), Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	in := wire.Object(nil).With(g.name, wire.Quote(g.tool)).With(g.args, []byte(probeInput))
	res, err := g.event.FireJSON(t.Context(), ses, in)
	if err != nil {
		t.Fatal(err)
	}
	effects, err := json.Marshal(res.Effects)
	if err != nil {
		t.Fatal(err)
	}
	e := wire.Object(effects)
	word := lo.CoalesceOrEmpty(e.Text("permissionDecision"), e.Text("decision"))
	s = said{Stopped: res.Stop, Asked: !res.Blocked && !res.Stop && word == "ask", Messages: messagesOf(res, e)}
	s.Ran = !res.Blocked && !res.Stop
	if s.Ran {
		s.Input = testkit.Canonical(firstObject(e.Get("updatedInput"), e.Get("modifiedToolInput"), []byte(probeInput)))
	} else {
		s.Reason = lo.FromPtr(res.Reason)
	}
	if final := res.Result.FinalOutput; g.event == pipeline.Declared(llxprt.BeforeTool) && final != nil {
		all, _ := json.Marshal(final)
		s.Suppressed = string(wire.Object(all).Get("suppressOutput")) == "true"
	}
	return s
}

func firstObject(all ...[]byte) string {
	object, _ := lo.Find(all, func(v []byte) bool { return len(v) > 0 && v[0] == '{' })
	return string(object)
}

// messagesOf returns the messages of hooks to the user.
func messagesOf(res *pipeline.JSONResult, effects wire.Object) string {
	var all []string
	if own := effects.Get("systemMessages"); own != nil {
		_ = json.Unmarshal(own, &all)
	} else {
		for _, run := range res.Hooks {
			if run.Output != nil {
				all = append(all, run.Output.Text("systemMessage"))
			}
		}
	}
	return strings.Join(lo.Compact(all), "\n")
}

// through runs the tool by package snaphook. told is the text of the tool's result.
func (g *guarded) through(t *testing.T, layers []settings.Layer, types entries.Types) (s said, told string) {
	t.Helper()
	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{g.dialect(layers, types)}, Log: testkit.Quiet,
		Ask: func(_ context.Context, _ *snaphook.Session, _ *hook.Hook, q hook.Question) (string, bool) {
			s.Asked = true
			return q.Options[0].Key, true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	ses, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: t.TempDir(), Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	call := &snaphook.ToolCall{Name: g.tool, Input: wire.Object(probeInput)}
	out, err := ses.RunTool(t.Context(), call, func(_ context.Context, in wire.Object) (snaphook.ToolResult, error) {
		s.Ran, s.Input = true, testkit.Canonical(string(in))
		return snaphook.ToolResult{Text: "out"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Stopped, s.Suppressed, s.Messages = out.Stop, out.SuppressOutput, strings.Join(out.Messages, "\n")
	return s, out.Text
}

// If a module's gate refuses a call for a host that uses the modules directly, RunTool refuses the call with the same
// reason.
func TestRunToolSaysWhatAModulesGateSays(t *testing.T) {
	deny, allow := true, false
	for name, gate := range map[string]func() (*xcsh.ToolCallResult, error){
		"nothing":         func() (*xcsh.ToolCallResult, error) { return nil, nil },
		"an empty result": func() (*xcsh.ToolCallResult, error) { return &xcsh.ToolCallResult{}, nil },
		"a refusal":       func() (*xcsh.ToolCallResult, error) { return &xcsh.ToolCallResult{Block: deny, Reason: "no"}, nil },
		"no reason":       func() (*xcsh.ToolCallResult, error) { return &xcsh.ToolCallResult{Block: deny}, nil },
		"a reason alone":  func() (*xcsh.ToolCallResult, error) { return &xcsh.ToolCallResult{Block: allow, Reason: "no"}, nil },
		"an error":        func() (*xcsh.ToolCallResult, error) { return nil, errors.New("it failed") },
		"a panic":         func() (*xcsh.ToolCallResult, error) { panic("it failed") },
	} {
		alone, s := xcshModules(t), openXcsh(t)
		for _, m := range []*xcsh.Modules{alone, s.Modules()} {
			if err := m.Add("gate", func(api *xcsh.API) error {
				xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
					return gate()
				})
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		res, err := xcsh.ToolCall.Fire(t.Context(), alone, &xcsh.ToolCallEvent{ToolCallID: "1", ToolName: "grep", Input: wire.Object(probeInput)})
		refusal, ran := alone.Verdict(res, err), false
		out, err := s.RunTool(t.Context(), &snaphook.ToolCall{ID: "1", Name: "grep", Input: wire.Object(probeInput)},
			func(context.Context, wire.Object) (snaphook.ToolResult, error) {
				ran = true
				return snaphook.ToolResult{}, nil
			})
		if err != nil || ran != (refusal == nil) || refusal != nil && !strings.Contains(out.Text, refusal.Error()) {
			t.Errorf("%s: the modules say %v; RunTool ran the tool: %v, %q, %v", name, refusal, ran, out.Text, err)
		}
	}
}
