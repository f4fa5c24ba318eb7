package snaphook_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// hearing describes a system whose gates are fired with broken denials.
type hearing struct {
	file     string // of the settings
	settings string // settings with one hook of type "probe"; EVENT stands for the event's name
	load     func([]settings.Layer, entries.Types) pipeline.Load
	gates    []pipeline.Declared
	denials  []string // answers that deny; EVENT in them stands for the name of the event
}

var hearings = map[string]hearing{
	"claude": {
		"/p/.claude/settings.json", grouped, claudeLoad(""),
		[]pipeline.Declared{claude.PreToolUse, claude.UserPromptSubmit, claude.PermissionRequest},
		[]string{topDenial, ownDenial, stopDenial, permissionDenial},
	},
	"qwen": {
		"/p/.qwen/settings.json", grouped, claudeLoad(claude.Qwen), []pipeline.Declared{claude.PreToolUse},
		[]string{topDenial, ownDenial},
	},
	"devin": {
		"/p/.devin/hooks.v1.json", `{"EVENT": [{"hooks": [{"type": "probe"}]}]}`, claudeLoad(claude.Devin),
		[]pipeline.Declared{claude.PreToolUse}, []string{topDenial, ownDenial},
	},
	"goose": {
		"/p/.agents/plugins/a/hooks/hooks.json", grouped, claudeLoad(claude.Goose),
		[]pipeline.Declared{claude.PreToolUse}, []string{topDenial},
	},
	"llxprt": {
		"/p/.llxprt/settings.json", grouped, llxprtLoad(llxprt.LLxprt),
		[]pipeline.Declared{llxprt.BeforeTool, llxprt.BeforeModel},
		[]string{topDenial, `{"decision":"deny","reason":"no"}`, stopDenial},
	},
	"gemini": {
		"/p/.gemini/settings.json", grouped, llxprtLoad(llxprt.Gemini), []pipeline.Declared{llxprt.BeforeTool},
		[]string{topDenial, `{"decision":"deny","reason":"no"}`, stopDenial},
	},
	"codex": {
		"/p/.codex/hooks.json", `{"hooks": {"EVENT": [{"hooks": [{"type": "probe"}]}]}}`,
		func(l []settings.Layer, t entries.Types) pipeline.Load {
			return codex.Settings{Layers: l, Types: t}.Load
		},
		[]pipeline.Declared{codex.PreToolUse, codex.PermissionRequest, codex.UserPromptSubmit},
		[]string{topDenial, ownDenial, permissionDenial},
	},
	"cursor": {
		"/p/.cursor/hooks.json", `{"version": 1, "hooks": {"EVENT": [{"type": "probe"}]}}`,
		func(l []settings.Layer, t entries.Types) pipeline.Load {
			return cursor.Settings{Layers: l, Types: t}.Load
		},
		[]pipeline.Declared{cursor.PreToolUse, cursor.BeforeShellExecution, cursor.BeforeSubmitPrompt},
		[]string{`{"permission":"deny","user_message":"no"}`, `{"continue":false,"user_message":"no"}`},
	},
	"copilot": {
		"/p/.github/hooks/a.json", `{"version": 1, "hooks": {"EVENT": [{"type": "probe"}]}}`,
		func(l []settings.Layer, t entries.Types) pipeline.Load {
			return copilot.Settings{Layers: l, Types: t, Environ: []string{}}.Load
		},
		[]pipeline.Declared{copilot.PreToolUse, copilot.PermissionRequest, copilot.AgentStop},
		[]string{
			`{"permissionDecision":"deny","permissionDecisionReason":"no"}`, `{"behavior":"deny","message":"no"}`, topDenial, ownDenial,
		},
	},
}

const grouped = `{"tools": {"enableHooks": true}, "hooks": {"EVENT": [{"hooks": [{"type": "probe"}]}]}}`

var permissionDenial = `{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"no"}}}`

func claudeLoad(p claude.Profile) func([]settings.Layer, entries.Types) pipeline.Load {
	return func(l []settings.Layer, t entries.Types) pipeline.Load {
		return claude.Settings{Layers: l, Types: t, Profile: p}.Load
	}
}

func llxprtLoad(p llxprt.Profile) func([]settings.Layer, entries.Types) pipeline.Load {
	return func(l []settings.Layer, t entries.Types) pipeline.Load {
		return llxprt.Settings{Layers: l, Types: t, Profile: p}.Load
	}
}

// bytewise calls try with each text that is one step from a denial: a byte deleted, inserted, replaced or doubled, two
// bytes swapped, or the text cut at either end.
func bytewise(denial string, try func(string)) {
	for i := range len(denial) {
		head, at, rest := denial[:i], denial[i:i+1], denial[i+1:]
		try(head + rest)
		try(head + at + at + rest)
		if i > 0 {
			try(head)
			try(denial[i:])
		}
		if len(rest) > 0 {
			try(head + rest[:1] + at + rest[1:])
		}
		// one character of each kind that a JSON parser distinguishes
		for _, b := range []string{"\x00", "\n", `"`, `\`, "}", "x", "\u00a0"} {
			try(head + b + rest)
			try(head + b + at + rest)
		}
		if upper := strings.ToUpper(at); upper != at {
			try(head + upper + rest)
		}
	}
}

// brokenStep selects the broken denials that are fired: 1 selects all, n every n-th.
var brokenStep = 1

// hearingPolicies are the policies under which the tests fire broken denials.
var hearingPolicies = []string{"open", "entry", "closed"}

// A call whose denial is broken by one step goes ahead only with an error or a note in the report;
// where failures are closed, by the entry or by a policy, the call does not go ahead at all.
func TestNoBrokenDenialGoesAheadInSilence(t *testing.T) {
	for name, system := range hearings {
		for _, gate := range system.gates {
			t.Run(name+"/"+gate.Info().Name, func(t *testing.T) {
				t.Parallel()
				denials := system.denials
				for _, p := range hearingPolicies {
					if p == "entry" && name != "claude" {
						continue // an entry of another system has no member that closes its failures
					}
					denials = system.hear(t, gate, p, denials)
				}
			})
		}
	}
}

// named reports whether a hook's report has a note on a broken denial. Only Codex, Cursor and Copilot ignore a broken
// denial: for reports of other systems, named returns true.
func (h hearing) named(ran *pipeline.HookRun) bool {
	if !strings.Contains(h.file, ".codex") && !strings.Contains(h.file, ".cursor") && !strings.Contains(h.file, ".github") {
		return true
	}
	return strings.Contains(strings.Join(ran.Notes, "\n"), "denial")
}

// open returns a function that fires a gate under a policy. The gate has one hook, which gives the answer.
func (h hearing) open(t *testing.T, gate pipeline.Declared, under string) (fire func(answer string) *pipeline.JSONResult) {
	t.Helper()
	guard, event := new(answering), gate.Info().Name
	types := entries.Types{"probe": func(h *hook.Hook, _ settings.Value) *settings.Problem { h.Runner = guard; return nil }}
	text := strings.ReplaceAll(h.settings, "EVENT", event)
	layers := []settings.Layer{{Name: "user", Source: hook.User, File: h.file, Data: []byte(text), Strict: true}}
	cfg := pipeline.Config{Log: slog.New(slog.DiscardHandler)}
	cfg.Load = []pipeline.Load{func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := h.load(layers, types)(ctx, at)
		for _, one := range loaded.Hooks {
			one.FailClosed = one.FailClosed || under == "entry"
		}
		return loaded, err
	}}
	if under == "closed" {
		o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(closedByDefault))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		cfg.Policy = policy.Source{Overlays: []policy.Overlay{*o}}
	}
	sys := pipeline.NewSystem(cfg)
	t.Cleanup(func() { sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir(), Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	return func(answer string) *pipeline.JSONResult {
		guard.stdout = strings.ReplaceAll(answer, "EVENT", event)
		res, err := gate.FireJSON(t.Context(), s, []byte(`{"toolName": "bash", "command": "ls", `+anyInput[1:]))
		if err != nil || len(res.Hooks) != 1 {
			t.Fatalf("%.300q: %v, hooks %v", answer, err, res)
		}
		return res
	}
}

// hear fires a gate with each denial and its mutations, and returns the denials that deny at this event.
func (h hearing) hear(t *testing.T, gate pipeline.Declared, under string, denials []string) (known []string) {
	t.Helper()
	event, fire := gate.Info().Name, h.open(t, gate, under)
	probes, silent := 0, []string{}
	for _, denial := range denials {
		denial = strings.ReplaceAll(denial, "EVENT", event)
		if res := fire(denial); !res.Blocked && !res.Stop {
			continue // the answer does not deny at this event
		}
		known = append(known, denial)
		try := func(answer string) {
			if probes++; probes%brokenStep != 0 {
				return
			}
			res := fire(answer)
			ran := res.Hooks[0]
			heard := res.Blocked || res.Stop || under == "open" && (ran.Error != nil || len(ran.Notes) > 0) && h.named(&ran)
			if !heard && strings.TrimSpace(answer) != "" {
				silent = append(silent, fmt.Sprintf("%.200q: notes %q", answer, ran.Notes))
			}
		}
		bytewise(denial, try)
		for _, answer := range mutations(denial) {
			if len(answer) < 1<<16 {
				try(answer)
			}
		}
		for _, inner := range []string{"true", `"block"`, `{"decision":"block"}`} {
			try(strings.Replace(denial, `"no"`, inner, 1))
		}
		try(strconv.Quote(strconv.Quote(denial)))
	}
	if probes == 0 {
		t.Fatal("the event knows none of the denials")
	}
	slices.Sort(silent)
	for _, line := range silent[:min(len(silent), 12)] {
		t.Errorf("under %s it goes ahead: %s", under, line)
	}
	return known
}

// An unbroken answer that allows, or decides nothing, gets no note, and its hook does not fail. The answers are in the
// words of the system, or in words of another system that the system reads.
func TestWholeAnswersAreInNoDoubt(t *testing.T) {
	const allows = `{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","permissionDecisionReason":"ok"}}`
	const rewrites = `{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":"ls -la"}}}`
	const contexts = `{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"x"}}`
	const grants = `{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"allow"}}}`
	for _, tt := range []struct {
		system  string
		gate    pipeline.Declared
		answers []string
	}{
		{"claude", claude.PreToolUse, []string{allows, rewrites, contexts, `{"decision":"approve"}`, `{"continue":true,"suppressOutput":true}`}},
		{"claude", claude.PermissionRequest, []string{grants}},
		{"qwen", claude.PreToolUse, []string{allows, rewrites, contexts}},
		{"devin", claude.PreToolUse, []string{`{"decision":"approve"}`}},
		{"goose", claude.PreToolUse, []string{`{}`}},
		{"llxprt", llxprt.BeforeTool, []string{`{"decision":"allow"}`, `{"hookSpecificOutput":{"hookEventName":"EVENT","tool_input":{"a":1}}}`}},
		{"gemini", llxprt.BeforeTool, []string{`{"decision":"allow","reason":"ok"}`, `{"systemMessage":"hello"}`}},
		{"codex", codex.PreToolUse, []string{rewrites, contexts}},
		{"codex", codex.PermissionRequest, []string{grants}},
		{"cursor", cursor.PreToolUse, []string{`{"permission":"allow"}`, `{"permission":"allow","updated_input":{"command":"ls"}}`}},
		{"copilot", copilot.PreToolUse, []string{
			allows, rewrites, contexts, `{"permissionDecision":"allow","modifiedArgs":{"command":"ls"}}`,
			`{"hookSpecificOutput":{"permissionDecision":"allow","systemMessage":"hello","modifiedArgs":{}}}`,
		}},
		{"copilot", copilot.PermissionRequest, []string{grants, `{"behavior":"allow"}`}},
	} {
		for _, under := range hearingPolicies {
			fire := hearings[tt.system].open(t, tt.gate, under)
			for _, answer := range tt.answers {
				if res := fire(answer); res.Blocked || res.Hooks[0].Error != nil || len(res.Hooks[0].Notes) > 0 {
					t.Errorf("%s %s under %s: %s: blocked %v, error %v, notes %q", tt.system, tt.gate.Info().Name, under, answer,
						res.Blocked, res.Hooks[0].Error, res.Hooks[0].Notes)
				}
			}
		}
	}
}
