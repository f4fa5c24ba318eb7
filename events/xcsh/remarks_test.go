package xcsh_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/wire"
)

// underPolicy returns modules of a session with an overlay, and the log of its system.
func underPolicy(t *testing.T, cfg xcsh.Config, overlay string) (*xcsh.Modules, *pipeline.Session, *strings.Builder) {
	t.Helper()
	logged := new(strings.Builder)
	with := pipeline.Config{Log: slog.New(slog.NewTextHandler(logged, nil))}
	if overlay != "" {
		o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(overlay))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		with.Policy = policy.Source{Overlays: []policy.Overlay{*o}}
	}
	sys := pipeline.NewSystem(with)
	t.Cleanup(func() { _ = sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	m := xcsh.New(s, cfg)
	t.Cleanup(func() { _ = m.Close() })
	return m, s, logged
}

// result subscribes a handler in another language that always gives one answer.
func result(t *testing.T, m *xcsh.Modules, path, event string, answer xcsh.DynamicResult) {
	t.Helper()
	add(t, m, path, func(api *xcsh.API) error {
		xcsh.OnDynamic(api, event, func(context.Context, wire.Object, *xcsh.HookContext) (xcsh.DynamicResult, error) { return answer, nil })
		return nil
	})
}

var call = xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: "1", Input: wire.Object(`{"command":"ls"}`)}

// The report and the log note a module's result that the gate does not read; with a policy that
// fails closed the tool does not run.
func TestAResultThatAGateDoesNotReadIsNoted(t *testing.T) {
	const closed = `{"defaults": {"gates": {"onFailure": "closed"}}}`
	for value, want := range map[string]string{
		`{"Block":true}`:                    `"Block" of its result has no effect; write "block"`,
		`{"BLOCK":true,"reason":"no"}`:      `"BLOCK" of its result has no effect; write "block"`,
		`{"blocked":true}`:                  `"blocked" of its result looks like a denial, but has no effect`,
		`{"deny":true}`:                     `"deny" of its result looks like a denial, but has no effect`,
		`{"allow":false}`:                   `"allow" of its result looks like a denial, but has no effect`,
		`{"decision":"deny"}`:               `"decision" of its result looks like a denial, but has no effect`,
		`{"result":{"block":true}}`:         `"result" of its result looks like a denial, but has no effect`,
		`{"cancel":true}`:                   `"cancel" of its result has no effect`,
		`{"block":false,"input":{}}`:        `"input" of its result has no effect`,
		`{"input":{"command":"ls"}}`:        `"input" of its result has no effect; return {block: true, reason}`,
		`{"reason":"no"}`:                   `has a reason but no block: true`,
		`{"block":null,"reason":"denied"}`:  `has a reason but no block: true`,
		`{"reason":"no","verdict":"no"}`:    `"verdict" of its result has no effect`,
		`true`:                              `its result is a boolean, which has no effect; return {block: true, reason}`,
		`"block"`:                           `its result is a string, which has no effect`,
		`["block"]`:                         `its result is an array, which has no effect`,
		`2`:                                 `its result is a number, which has no effect`,
		`{}`:                                "",
		`{"block":false,"reason":"fine"}`:   "",
		`{"toolName":"bash","input":{}}`:    "",
		`null`:                              "",
		`false`:                             "",
		`{"block":true,"reason":"no"}`:      "",
		`{"block":"yes","Block":true}`:      `"Block" of its result`,
		`{"block":false,"permission":"ok"}`: `"permission" of its result has no effect`,
	} {
		for _, extensions := range []bool{false, true} {
			m, _, logged := underPolicy(t, xcsh.Config{Extensions: extensions}, "")
			result(t, m, "gate.js", "tool_call", xcsh.DynamicResult{Value: jsontext.Value(value)})
			res, err := xcsh.ToolCall.FireResult(t.Context(), m, &call)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(res.Reports[0].Notes, "\n")
			if want == "" && notes != "" || !strings.Contains(notes, want) || want != "" && !strings.Contains(logged.String(), "gate.js") {
				t.Errorf("%s: notes %q, log %q; want %q", value, notes, logged, want)
			}
			strict, _, _ := underPolicy(t, xcsh.Config{Extensions: extensions}, closed)
			result(t, strict, "gate.js", "tool_call", xcsh.DynamicResult{Value: jsontext.Value(value)})
			out, err := xcsh.ToolCall.Fire(t.Context(), strict, &call)
			if blocked := err != nil || out != nil && out.Block; blocked != (want != "" || strings.HasPrefix(value, `{"block":true`)) {
				t.Errorf("%s, closed: blocked %v, error %v", value, blocked, err)
			}
		}
	}
}

func TestAChangeOfAnEventThatHasNoEffectIsNoted(t *testing.T) {
	for _, tt := range []struct {
		event, input string
		answer       xcsh.DynamicResult
		want         string
	}{
		{"tool_call", `{"toolName":"bash","toolCallId":"1","input":{}}`, xcsh.DynamicResult{Changed: wire.Object(`{"input":{"command":"ls"}}`)},
			`it changed "input" of the event, which has no effect; return {block: true, reason}`},
		{"tool_call", `{"toolName":"bash","toolCallId":"1","input":{}}`, xcsh.DynamicResult{Assigned: []string{"input"}}, `it assigned to "input"`},
		{"tool_call", `{"toolName":"bash","toolCallId":"1","input":{}}`, xcsh.DynamicResult{Assigned: []string{"block"}},
			`it assigned to "block" of the event, which has no effect; return {block}`},
		{"tool_result", `{"toolName":"bash","toolCallId":"1","content":[]}`, xcsh.DynamicResult{Assigned: []string{"content"}},
			`it assigned to "content" of the event, which has no effect; return {content}`},
		{"tool_result", `{"toolName":"bash","toolCallId":"1","content":[]}`,
			xcsh.DynamicResult{Value: jsontext.Value(`{"content":[]}`), Assigned: []string{"content"}}, ""},
		{"tool_result", `{"toolName":"bash","toolCallId":"1","content":[]}`, xcsh.DynamicResult{Changed: wire.Object(`{"content":[]}`)}, ""},
		{"tool_result", `{"toolName":"bash","toolCallId":"1","content":[],"isError":true}`, xcsh.DynamicResult{Value: jsontext.Value(`{"content":[]}`)},
			"the tool has failed, and its error stays as it is"},
		{"context", `{"messages":[]}`, xcsh.DynamicResult{Assigned: []string{"messages"}}, `it assigned to "messages"`},
		{"context", `{"messages":[]}`, xcsh.DynamicResult{Changed: wire.Object(`{"messages":[]}`)}, ""},
		{"before_agent_start", `{"prompt":"p"}`, xcsh.DynamicResult{Value: jsontext.Value(`{"systemPrompt":"s"}`)}, `"systemPrompt" of its result has no effect`},
		{"before_agent_start", `{"prompt":"p"}`, xcsh.DynamicResult{Assigned: []string{"prompt"}}, `it assigned to "prompt"`},
		{"session_before_compact", `{}`, xcsh.DynamicResult{Changed: wire.Object(`{"preparation":{}}`)}, `it changed "preparation"`},
	} {
		m, s, logged := underPolicy(t, xcsh.Config{}, "")
		result(t, m, "redact.js", tt.event, tt.answer)
		event := slices.IndexFunc(pipeline.Events(xcsh.Dialect), func(e pipeline.Declared) bool { return e.Info().Name == tt.event })
		fired, err := pipeline.Events(xcsh.Dialect)[event].FireJSON(t.Context(), s, []byte(tt.input))
		if err != nil {
			t.Fatal(err)
		}
		notes := fired.Hooks[0].Notes
		said := strings.Join(notes, "\n")
		if tt.want == "" && said != "" || !strings.Contains(said, tt.want) || tt.want != "" && !strings.Contains(logged.String(), "redact.js") {
			t.Errorf("%s %+v: notes %q, log %q; want %q", tt.event, tt.answer, notes, logged, tt.want)
		}
	}
}

func TestAChangeOfAGoHandlersCopyIsNoted(t *testing.T) {
	m, _, _ := underPolicy(t, xcsh.Config{}, "")
	add(t, m, "go", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(_ context.Context, e *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			e.Input = wire.Object(`{}`)
			return nil, nil
		})
		xcsh.ToolResult.On(api, func(_ context.Context, e *xcsh.ToolResultEvent, _ *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
			e.Content, e.Details = nil, jsontext.Value("1")
			return &xcsh.ToolResultOverride{Details: e.Details}, nil
		})
		return nil
	})
	res, err := xcsh.ToolCall.FireResult(t.Context(), m, &call)
	if err != nil || !strings.Contains(strings.Join(res.Reports[0].Notes, "\n"), `it changed "input"`) {
		t.Errorf("notes %q, %v", res.Reports[0].Notes, err)
	}
	done := xcsh.ToolResultEvent{ToolName: "bash", Content: []xcsh.Part{xcsh.TextPart("a")}}
	over, err := xcsh.ToolResult.FireResult(t.Context(), m, &done)
	if notes := over.Reports[0].Notes; err != nil || len(notes) != 1 || !strings.Contains(notes[0], `it changed "content"`) {
		t.Errorf("notes %q, %v", notes, err)
	}
}

// In the hook runtime only the last module's result is used, as a whole, and the report names the
// earlier results that it undoes. Changes in place stay, and later modules see them.
func TestNoModuleUndoesARedactionWithoutAWord(t *testing.T) {
	text := func(s string) string { return `[{"type":"text","text":"` + s + `"}]` }
	value := func(s string) xcsh.DynamicResult { return xcsh.DynamicResult{Value: jsontext.Value(s)} }
	changed := func(s string) xcsh.DynamicResult { return xcsh.DynamicResult{Changed: wire.Object(s)} }
	both := func(v, c string) xcsh.DynamicResult {
		return xcsh.DynamicResult{Value: jsontext.Value(v), Changed: wire.Object(c)}
	}
	for name, tt := range map[string]struct {
		answers   []xcsh.DynamicResult
		hooks     string // the result in the hook runtime
		note      string
		extension string // the result in the extension runtime; there is no note
	}{
		"details after a change in place": {
			[]xcsh.DynamicResult{changed(`{"content":` + text("x") + `}`), value(`{"details":1}`)},
			`{"content":` + text("x") + `,"details":1}`, "", `{"content":` + text("x") + `,"details":1}`},
		"an empty result after a change in place": {
			[]xcsh.DynamicResult{changed(`{"content":` + text("x") + `}`), value(`{}`)},
			`{"content":` + text("x") + `}`, "", `{"content":` + text("x") + `}`},
		"true beside a change in place": {
			[]xcsh.DynamicResult{both(`true`, `{"content":`+text("x")+`}`)},
			`{"content":` + text("x") + `}`, "its result is a boolean", `{"content":` + text("x") + `}`},
		"a second change in place": {
			[]xcsh.DynamicResult{changed(`{"content":` + text("x") + `}`), changed(`{"content":` + text("y") + `}`)},
			`{"content":` + text("y") + `}`, "", `{"content":` + text("y") + `}`},
		"a change in place after details": {
			[]xcsh.DynamicResult{value(`{"details":1}`), changed(`{"content":` + text("x") + `}`)},
			`{"content":` + text("x") + `,"details":1}`, "", `{"content":` + text("x") + `,"details":1}`},
		"details after content": {
			[]xcsh.DynamicResult{value(`{"content":` + text("x") + `}`), value(`{"details":1}`)},
			`{"details":1}`, "its result has no content, and drops the content of an earlier handler", `{"content":` + text("x") + `,"details":1}`},
		"content after content": {
			[]xcsh.DynamicResult{value(`{"content":` + text("x") + `}`), value(`{"content":` + text("y") + `}`)},
			`{"content":` + text("y") + `}`, "its content replaces the content of an earlier handler, which it has not seen", `{"content":` + text("y") + `}`},
		"a change in place after content": {
			[]xcsh.DynamicResult{value(`{"content":` + text("x") + `}`), changed(`{"content":` + text("y") + `}`)},
			`{"content":` + text("x") + `}`, `its change of "content" has no effect`, `{"content":` + text("y") + `}`},
		"nothing after content": {
			[]xcsh.DynamicResult{value(`{"content":` + text("x") + `}`), value(`null`)},
			`{"content":` + text("x") + `}`, "", `{"content":` + text("x") + `}`},
	} {
		for _, extensions := range []bool{false, true} {
			m, _, _ := underPolicy(t, xcsh.Config{Extensions: extensions}, "")
			for _, answer := range tt.answers {
				result(t, m, "m.js", "tool_result", answer)
			}
			var saw []xcsh.Part
			add(t, m, "last", func(api *xcsh.API) error {
				xcsh.ToolResult.On(api, func(_ context.Context, e *xcsh.ToolResultEvent, _ *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
					saw = e.Content
					return nil, nil
				})
				return nil
			})
			done := xcsh.ToolResultEvent{ToolName: "bash", Content: []xcsh.Part{xcsh.TextPart("secret")}}
			res, err := xcsh.ToolResult.FireResult(t.Context(), m, &done)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := wire.Of(res.Specific)
			var notes []string
			for _, r := range res.Reports {
				notes = append(notes, r.Notes...)
			}
			want, note := tt.hooks, tt.note
			if extensions && !strings.HasPrefix(note, "its result is") {
				want, note = tt.extension, ""
			}
			said := strings.Join(notes, "\n")
			if !wire.Equal(jsontext.Value(got), jsontext.Value(want)) || note == "" && said != "" || !strings.Contains(said, note) {
				t.Errorf("%s, extensions %v: %s, notes %q; want %s, %q", name, extensions, got, notes, want, note)
			}
			if len(tt.answers[0].Changed) > 0 && len(saw) == 1 {
				if seen, _ := saw[0].PlainText(); seen == "secret" {
					t.Errorf("%s, extensions %v: a later handler sees the content before the change", name, extensions)
				}
			}
		}
	}
}
