package cursor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run/judge"
)

// The permission of an answer decides (rules U16, U17, U19 and U23).
func TestAnAnswerDecidesByItsPermission(t *testing.T) {
	const shell, tool, file, agent, prompt = "beforeShellExecution", "preToolUse", "beforeReadFile", "subagentStart", "beforeSubmitPrompt"
	for _, tt := range []struct{ event, stdout, decision, note string }{
		{shell, `{"permission":"allow"}`, "allow", ""},
		{shell, `{"permission":"deny"}`, "deny", ""},
		{shell, `{"permission":"ask"}`, "ask", ""},
		{"beforeMCPExecution", `{"permission":"ask"}`, "ask", ""},
		{tool, `{"permission":"ask"}`, "", "not enforced"},
		{agent, `{"permission":"ask"}`, "deny", ""},
		{file, `{"permission":"ask"}`, "deny", `"permission" is "ask"`},
		{"beforeTabFileRead", `{"permission":"ask"}`, "deny", `"permission" is "ask"`},
		{shell, `{}`, "", ""},
		{shell, "\ufeff {}\n", "", ""},
		{shell, `{"continue":true,"permission":"allow","note":1}`, "allow", ""},
		{shell, `{"permission":null,"user_message":null}`, "", ""},
		{shell, `{"user_message":"hi"}`, "", ""},
		{shell, `{"env":{"A":"1"}}`, "", `"env" has no effect`},
		{shell, `{"permission":"allow","env":5}`, "allow", `"env" has no effect`},

		{shell, `not json`, "deny", "not valid JSON"},
		{shell, `"deny"`, "deny", "not valid JSON"},
		{shell, `[]`, "deny", "not valid JSON"},
		{shell, `null`, "deny", "not valid JSON"},
		{shell, `{"permission":"deny"`, "deny", "not valid JSON"},
		{shell, `log {"permission":"allow"}`, "deny", "not valid JSON"},
		{shell, `{"permission":"yes"}`, "deny", `"permission" is "yes"; want "allow" or "ask" or "deny"`},
		{shell, `{"permission":"DENY"}`, "deny", `"permission" is "DENY"`},
		{shell, `{"permission":true}`, "deny", `"permission" is a boolean; want a string`},
		{shell, `{"permission":""}`, "deny", `"permission" is ""`},
		{shell, `{"permission":"allow","user_message":5}`, "deny", `"user_message" is a number; want a string`},
		{tool, `{"updated_input":"ls"}`, "deny", `"updated_input" is a string; want an object`},
		{shell, `{"decision":"allow"}`, "deny", `"decision"`},
		{shell, `{"decision":"deny","reason":"no"}`, "deny", `"decision"`},
		{shell, `{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "deny", `"hookSpecificOutput"`},
		{shell, `{"anything":1}`, "deny", `"anything"`},
		{shell, `{"continue":false}`, "deny", `"continue" is false`},

		{prompt, `{"continue":true}`, "", ""},
		{prompt, `{"continue":false}`, "deny", ""},
		{prompt, `not json`, "", "not valid JSON"},
		{prompt, `{"continue":"no"}`, "", `"continue" is a string; want true or false`},
		{prompt, `{"decision":"block"}`, "", "denial is lost"},
		{"stop", `{"decision":"block","reason":"r"}`, "", "denial is lost"},
		{"afterFileEdit", `{"permission":"deny"}`, "", `"permission" has no effect`},
		{"sessionStart", `{"continue":false}`, "", "not enforced"},
	} {
		t.Run(tt.event+" "+tt.stdout, func(t *testing.T) {
			res := answers(t, tt.event, tt.stdout)
			if got := decision(res); got != tt.decision || res.Blocked != (got == "deny") || res.Stop {
				t.Errorf("decision %q, blocked %v, stop %v; want %q", got, res.Blocked, res.Stop, tt.decision)
			}
			if !strings.Contains(said(res), tt.note) {
				t.Errorf("notes: %s\nwant %s", said(res), tt.note)
			}
		})
	}
}

// The exit status and an empty output decide too (rules U15 and U18).
func TestTheEndOfAHookDecides(t *testing.T) {
	const closed = `"failClosed": true`
	refusing := append([]string{"beforeSubmitPrompt"}, gates...)
	for _, event := range refusing {
		for name, tt := range map[string]struct {
			reply        hook.Reply
			open, closed string // the decision without and with failClosed
		}{
			"status 2":                 {hook.Reply{Exit: 2, Stdout: []byte(`{"permission":"allow"}`), Stderr: []byte("why\n")}, "deny", "deny"},
			"status 2 without a word":  {hook.Reply{Exit: 2}, "deny", "deny"},
			"status 1":                 {hook.Reply{Exit: 1, Stderr: []byte("x")}, "", "deny"},
			"status 1 with an answer":  {hook.Reply{Exit: 1, Stdout: []byte(`{"permission":"deny"}`)}, "", "deny"},
			"status 127":               {hook.Reply{Exit: 127}, "", "deny"},
			"silence":                  {hook.Reply{Stdout: []byte(" \n")}, "", "deny"},
			"an answer of no members":  {hook.Reply{Stdout: []byte("{}")}, "", ""},
			"an answer that was cut":   {hook.Reply{Stdout: []byte("{"), Truncated: hook.Stdout}, lo.Ternary(event == "beforeSubmitPrompt", "", "deny"), "deny"},
			"text in place of answers": {hook.Reply{Stdout: []byte("hello")}, lo.Ternary(event == "beforeSubmitPrompt", "", "deny"), "deny"},
		} {
			if got := decision(fire(t, event, tt.reply)); got != tt.open {
				t.Errorf("%s, %s: %q; want %q", event, name, got, tt.open)
			}
			if got := decision(fire(t, event, tt.reply, closed)); got != tt.closed {
				t.Errorf("%s, %s, failClosed: %q; want %q", event, name, got, tt.closed)
			}
		}
	}
	res := fire(t, "beforeShellExecution", hook.Reply{Exit: 2, Stdout: []byte(`{"user_message":"unread"}`), Stderr: []byte("why\n")})
	if e := effectsOf(res); lo.FromPtr(res.Reason) != "why" || !slices.Equal(e.ModelSees, []string{"why"}) || len(e.UserSees) > 0 {
		t.Errorf("reason %q, model sees %q, user sees %q; want standard error alone", *res.Reason, e.ModelSees, e.UserSees)
	}
	for _, event := range []string{"stop", "subagentStop"} {
		if res := fire(t, event, hook.Reply{Exit: 2, Stderr: []byte("why")}); res.Blocked || !strings.Contains(said(res), "denial is lost") {
			t.Errorf("%s: blocked %v, notes %s; want a lost denial", event, res.Blocked, said(res))
		}
	}
	for event := range inputs {
		if slices.Contains(refusing, event) {
			continue
		}
		for _, reply := range []hook.Reply{{Exit: 2, Stderr: []byte("late")}, {Exit: 1}, {Stdout: []byte("text")}, {}} {
			if res := fire(t, event, reply, closed); res.Blocked || decision(res) != "" {
				t.Errorf("%s: blocked %v, decision %q; it has nothing to deny", event, res.Blocked, decision(res))
			}
		}
	}
}

// Messages reach the user and the model (rule U17).
func TestTextsReachUserAndModel(t *testing.T) {
	for _, tt := range []struct{ event, stdout, reason, user, model string }{
		{"beforeShellExecution", `{"permission":"deny","user_message":"u","agent_message":"a"}`, "a", "u", "a"},
		{"beforeShellExecution", `{"permission":"deny","userMessage":"u","agentMessage":"a"}`, "a", "u", "a"},
		{"beforeShellExecution", `{"permission":"deny","user_message":"u"}`, "u", "u", ""},
		{"beforeShellExecution", `{"permission":"ask","user_message":"sure"}`, "sure", "sure", ""},
		{"beforeSubmitPrompt", `{"continue":false,"user_message":"u"}`, "u", "u", ""},
		{"preCompact", `{"user_message":"u"}`, "", "u", ""},
		{"sessionStart", `{"user_message":"u"}`, "", "", ""},
	} {
		res := answers(t, tt.event, tt.stdout)
		e := effectsOf(res)
		if lo.FromPtr(res.Reason) != tt.reason || strings.Join(e.UserSees, "|") != tt.user || strings.Join(e.ModelSees, "|") != tt.model {
			t.Errorf("%s %s: reason %q, user %q, model %q", tt.event, tt.stdout, lo.FromPtr(res.Reason), e.UserSees, e.ModelSees)
		}
	}
}

// A context that is too long is dropped (rule U22).
func TestALongContextIsDropped(t *testing.T) {
	for _, event := range []string{"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"} {
		for text, want := range map[string]int{strings.Repeat("x", 10_000): 1, strings.Repeat("x", 10_001): 0, strings.Repeat("😀", 5_001): 0} {
			res := answers(t, event, `{"additional_context":"`+text+`"}`)
			if got := len(effectsOf(res).AdditionalContext); got != want {
				t.Errorf("%s: %d contexts; want %d", event, got, want)
			}
			if want == 0 && !strings.Contains(said(res), "none of them reaches the model") {
				t.Errorf("%s: no note: %s", event, said(res))
			}
		}
	}
}

// Answers are merged in the order of the hooks (rules U24 and U25).
func TestAnswersMergeInOrder(t *testing.T) {
	for name, tt := range map[string]struct {
		answers          []string
		decision, reason string
		input            string
		user, model      string
	}{
		"ask over allow":       {[]string{`{"permission":"allow"}`, `{"permission":"ask","user_message":"q"}`, `{"permission":"allow"}`}, "ask", "q", "", "q", ""},
		"deny over ask":        {[]string{`{"permission":"ask"}`, `{"permission":"deny","agent_message":"a"}`}, "deny", "a", "", "", "a"},
		"texts are joined":     {[]string{`{"permission":"deny","agent_message":"a","user_message":"u"}`, `{"permission":"deny","agent_message":"b","user_message":"v"}`}, "deny", "a\nb", "", "u|v", "a|b"},
		"silence says no no":   {[]string{`{}`, `{"permission":"allow"}`}, "allow", "", "", "", ""},
		"the last rewrite":     {[]string{`{"updated_input":{"command":"a","b":1}}`, `{"updated_input":{"command":"c"}}`}, "", "", `{"command":"c"}`, "", ""},
		"no rewrite if denied": {[]string{`{"updated_input":{"command":"a"}}`, `{"permission":"deny","agent_message":"a"}`}, "deny", "a", "", "", "a"},
	} {
		event := lo.Ternary(tt.input != "" || strings.Contains(name, "rewrite"), "preToolUse", "beforeShellExecution")
		res := fireIn(t, open(t, on(event, strings.Join(lo.Map(tt.answers, func(a string, _ int) string { return prints(a) }), ", ")).Load), event, "")
		e := effectsOf(res)
		if decision(res) != tt.decision || lo.FromPtr(res.Reason) != tt.reason || string(e.UpdatedInput) != tt.input ||
			strings.Join(e.UserSees, "|") != tt.user || strings.Join(e.ModelSees, "|") != tt.model {
			t.Errorf("%s: decision %q, reason %q, input %s, user %q, model %q", name, decision(res), lo.FromPtr(res.Reason), e.UpdatedInput, e.UserSees, e.ModelSees)
		}
	}
}

// A hook can replace the result of an MCP server's tool (rule U26).
func TestTheResultOfAToolOfAServerIsReplaced(t *testing.T) {
	const answer = `{"updated_mcp_tool_output":{"text":"redacted"}}`
	ses := open(t, on("postToolUse", prints(answer)).Load)
	if e := effectsOf(fireIn(t, ses, "postToolUse", `{"tool_name":"MCP:search","tool_input":{}}`)); string(e.UpdatedOutput) != `{"text":"redacted"}` {
		t.Errorf("the result is %s; want the new one", e.UpdatedOutput)
	}
	res := fireIn(t, ses, "postToolUse", `{"tool_name":"Shell","tool_input":{}}`)
	if e := effectsOf(res); e.UpdatedOutput != nil || !strings.Contains(said(res), "MCP servers alone") {
		t.Errorf("the result of Shell is %s, notes %s; want a note alone", e.UpdatedOutput, said(res))
	}
}

// oracle is a model with one answer to every question.
type oracle struct {
	text string
	err  error
}

func (o oracle) Generate(context.Context, judge.ModelRequest) (string, error) { return o.text, o.err }

// A prompt hook asks a model (rule U20).
func TestAModelJudges(t *testing.T) {
	for _, tt := range []struct {
		event, members string
		model          judge.Model
		decision, note string
	}{
		{"preToolUse", "", oracle{text: `{"ok": true}`}, "", ""},
		{"preToolUse", "", oracle{text: `{"ok": false, "reason": "r"}`}, "deny", ""},
		{"beforeSubmitPrompt", "", oracle{text: `{"ok": false, "reason": "r"}`}, "deny", ""},
		{"preToolUse", "", oracle{err: errors.New("gone")}, "", "gone"},
		{"preToolUse", `, "failClosed": true`, oracle{err: errors.New("gone")}, "deny", "gone"},
		{"preToolUse", "", nil, "", "model"},
		{"preToolUse", `, "failClosed": true`, nil, "deny", "model"},
	} {
		s := on(tt.event, `{"type": "prompt", "prompt": "Is this safe?"`+tt.members+`}`)
		s.Model = tt.model
		res := fireIn(t, open(t, s.Load), tt.event, "")
		if decision(res) != tt.decision || tt.model == (oracle{text: `{"ok": false, "reason": "r"}`}) && lo.FromPtr(res.Reason) != "r" ||
			!strings.Contains(strings.ToLower(said(res)), tt.note) {
			t.Errorf("%s%s %v: decision %q, reason %q, notes %s", tt.event, tt.members, tt.model, decision(res), lo.FromPtr(res.Reason), said(res))
		}
	}
	s := on("stop", `{"type": "prompt", "prompt": "Is it done?"}`)
	s.Model = oracle{text: `{"ok": false, "reason": "tests fail"}`}
	if e := effectsOf(fireIn(t, open(t, s.Load), "stop", "")); lo.FromPtr(e.Followup) != "tests fail" {
		t.Errorf("follow-up %v; want the reason", e.Followup)
	}
}

func TestAHookInGoDecidesInCommonWords(t *testing.T) {
	for name, tt := range map[string]struct {
		out      hook.Output[cursor.Output]
		decision string
	}{
		"deny":    {hook.Output[cursor.Output]{Decision: hook.Deny, Reason: "r"}, "deny"},
		"block":   {hook.Output[cursor.Output]{Decision: hook.Block, Reason: "r"}, "deny"},
		"a stop":  {hook.Output[cursor.Output]{Stop: true, StopReason: "r"}, "deny"},
		"approve": {hook.Output[cursor.Output]{Decision: hook.Approve}, "allow"},
		"ask":     {hook.Output[cursor.Output]{Decision: hook.Ask}, ""},
	} {
		ses := open(t, with().Load)
		cursor.PreToolUse.On(ses, "guard", func(context.Context, cursor.PreToolUseInput) (hook.Output[cursor.Output], error) { return tt.out, nil })
		res := fireIn(t, ses, "preToolUse", "")
		if decision(res) != tt.decision || res.Stop || tt.decision == "deny" && lo.FromPtr(res.Reason) != "r" {
			t.Errorf("%s: decision %q, reason %q, stop %v; want %q", name, decision(res), lo.FromPtr(res.Reason), res.Stop, tt.decision)
		}
	}
	ses := open(t, with().Load)
	cursor.Stop.On(ses, "again", func(context.Context, cursor.StopInput) (hook.Output[cursor.Output], error) {
		return hook.Output[cursor.Output]{Decision: hook.Block, Reason: "more"}, nil
	})
	if e := effectsOf(fireIn(t, ses, "stop", "")); lo.FromPtr(e.Followup) != "more" {
		t.Errorf("follow-up %v; want the reason of the block", e.Followup)
	}
}
