package request

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// callerFunc is a host made of a function.
type callerFunc func(context.Context, ToolRequest) (ToolAnswer, error)

func (f callerFunc) CallTool(ctx context.Context, r ToolRequest) (ToolAnswer, error) {
	return f(ctx, r)
}

// The text of a tool's answer counts as the output of a command (rule C50).
func TestToolAnswersLikeACommand(t *testing.T) {
	broken := errors.New("not connected")
	for _, tt := range []struct {
		name   string
		answer ToolAnswer
		err    error
		stdout string
		want   string // the error; "": no error
	}{
		{"text is standard output", ToolAnswer{Text: `{"decision":"block"}`}, nil, `{"decision":"block"}`, ""},
		{"plain text too", ToolAnswer{Text: "fine\n"}, nil, "fine\n", ""},
		{"nothing is silence", ToolAnswer{}, nil, "", ""},
		{"a tool that fails", ToolAnswer{Text: `{"decision":"block"}`, IsError: true}, nil, "", `tool scan of server sec: failed: "{\"decision\":\"block\"}"`},
		{"a tool that cannot be called", ToolAnswer{Text: "x"}, broken, "", "tool scan of server sec: not connected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			caller := callerFunc(func(context.Context, ToolRequest) (ToolAnswer, error) { return tt.answer, tt.err })
			reply, err := (&Tool{Caller: caller, Server: "sec", Name: "scan"}).Run(t.Context(), hook.Call{Payload: []byte("{}")})
			if string(reply.Stdout) != tt.stdout || reply.Exit != 0 {
				t.Errorf("got %+v, want standard output %q", reply, tt.stdout)
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("err = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestToolLimitsTheAnswer(t *testing.T) {
	for size, fits := range map[int]bool{MaxAnswer: true, MaxAnswer + 1: false} {
		caller := callerFunc(func(context.Context, ToolRequest) (ToolAnswer, error) {
			return ToolAnswer{Text: strings.Repeat("x", size)}, nil
		})
		_, err := (&Tool{Caller: caller}).Run(t.Context(), hook.Call{})
		var large *hook.TooLargeError
		if errors.As(err, &large) == fits {
			t.Errorf("%d bytes: %v, want a TooLargeError: %v", size, err, !fits)
		}
	}
}

func TestToolCallsWhatIsConfigured(t *testing.T) {
	var got ToolRequest
	caller := callerFunc(func(_ context.Context, r ToolRequest) (ToolAnswer, error) {
		got = r
		return ToolAnswer{}, nil
	})
	tool := &Tool{Caller: caller, Server: "sec", Name: "scan", Input: wire.Object(`{"path":"${tool_input.path}"}`)}
	if _, err := tool.Run(t.Context(), hook.Call{Session: "s-1", Payload: []byte(`{"tool_input":{"path":"/a"}}`)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ToolRequest{Server: "sec", Tool: "scan", Session: "s-1", Input: wire.Object(`{"path":"/a"}`)}, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestToolSaysWhatIsMissing(t *testing.T) {
	_, err := (&Tool{}).Run(t.Context(), hook.Call{})
	if err == nil || !strings.Contains(err.Error(), "the host has to supply a ToolCaller") {
		t.Errorf("err = %v, want an error that there is no ToolCaller", err)
	}
}

func TestInputsTakePartsOfThePayload(t *testing.T) {
	const payload = `{"tool_name": "Write", "n": 12345678901234567890, "none": null, "yes": true, "odd": "${tool_name}\n\"é",
		"tool_input": {"path": "/a b", "edits": [{"old": "x"}, {"old": "y"}], "empty": ""}, "a.b": "dotted"}`
	for _, tt := range []struct{ name, input, want string }{
		{"nothing", ``, `{}`},
		{"an empty object", ` { } `, `{}`},
		{"a string", `{"a":"${tool_name}"}`, `{"a":"Write"}`},
		{"within a string", `{"a":"<${tool_name}> ${tool_input.path}"}`, `{"a":"<Write> /a b"}`},
		{"at any depth", `{"a":{"b":["x","${tool_name}",["${tool_input.path}"]]}}`, `{"a":{"b":["x","Write",["/a b"]]}}`},
		{"other JSON as text", `{"a":"${tool_input.edits}","b":"${n} ${yes} ${none}"}`, `{"a":"[{\"old\":\"x\"},{\"old\":\"y\"}]","b":"12345678901234567890 true null"}`},
		{"an element", `{"a":"${tool_input.edits.1.old}"}`, `{"a":"y"}`},
		{"what is not there", `{"a":"<${none.x}${nope}${tool_name.x}${tool_input.edits.2}${tool_input.edits.-1}${tool_input.}>"}`, `{"a":"<>"}`},
		{"an empty string", `{"a":"${tool_input.empty}"}`, `{"a":""}`},
		{"names with dots are not found", `{"a":"${a.b}"}`, `{"a":""}`},
		{"a value is not looked at again", `{"a":"${odd}"}`, `{"a":"${tool_name}\n\"é"}`},
		{"names of members stay", `{"${tool_name}":"x"}`, `{"${tool_name}":"x"}`},
		{"what is no placeholder stays", `{"a":"$tool_name ${} ${tool_name $ {tool_name}"}`, `{"a":"$tool_name ${} ${tool_name $ {tool_name}"}`},
		{"other values stay", `{"n":1.0e+2,"big":12345678901234567890,"t":true,"z":null,"o":{},"l":[]}`, `{"n":1.0e+2,"big":12345678901234567890,"t":true,"z":null,"o":{},"l":[]}`},
		{"equal names stay", `{"a":"${tool_name}","a":2}`, `{"a":"Write","a":2}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := fillInput(wire.Object(tt.input), []byte(payload))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	for _, input := range []string{`[]`, `"${a}"`, `{"a":`, `{"a" 1}`, `{}{}`} {
		if got, err := fillInput(wire.Object(input), []byte(payload)); err == nil {
			t.Errorf("%s gives %s, want an error", input, got)
		}
	}
}

// FuzzInput checks that the input keeps its shape for any payload: the same tokens, except for
// the text of strings.
func FuzzInput(f *testing.F) {
	f.Add(`{"a":"${x.y}","b":["${x}",1]}`, `{"x":{"y":"${x}"}}`)
	f.Add(`{"${x}":"${x}${x}"}`, `{"x":[1,2,"\ud800"]}`)
	f.Add(`{"a":"${x.0}"}`, `{"x":[{"y":1},}`)
	f.Add(`{"a":"\u0024{x}"}`, "\xff")
	f.Fuzz(func(t *testing.T, input, payload string) {
		got, err := fillInput(wire.Object(input), []byte(payload))
		if err != nil {
			return
		}
		if input == "" {
			input = "{}"
		}
		if want, is := shape(t, input), shape(t, string(got)); is != want {
			t.Errorf("%q with %q gives %q", input, payload, got)
		}
	})
}

// shape writes JSON without the text of strings other than names.
func shape(t *testing.T, text string) string {
	lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	d := jsontext.NewDecoder(strings.NewReader(text), lenient...)
	var s strings.Builder
	for {
		isName := expectsName(d)
		token, err := d.ReadToken()
		if err != nil {
			if s.Len() == 0 {
				t.Errorf("%q: %v", text, err)
			}
			return s.String()
		}
		if token.Kind() == '"' && !isName {
			s.WriteString(" text")
			continue
		}
		s.WriteString(" " + token.String())
	}
}
