package snaphook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// A program may read its arguments by any of the names that hook systems use, in upper or lower case, and may take the
// first of two equal names. No guard sees one value while the tool runs with another.
func TestNoGuardSeesAnotherArgumentThanTheToolTakes(t *testing.T) {
	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, `"a%d":1,`, i)
	}
	for _, tt := range []struct {
		kind       snaphook.Kind
		args       map[string]string
		call, seen string // seen is the input that hooks of Claude Code get, and empty if the call is denied
	}{
		{snaphook.Shell, nil, `{"command":"ls"}`, `{"command":"ls"}`},
		{snaphook.Shell, nil, `{"command":"ls","cmd":"rm"}`, ``},
		{snaphook.Shell, nil, `{"cmd":"rm","command":"ls"}`, ``},
		{snaphook.Shell, nil, `{"command":null,"cmd":"rm"}`, ``},
		{snaphook.Shell, nil, `{"command":"ls","command":"rm"}`, ``},
		{snaphook.Shell, nil, `{"command":"ls","\u0063ommand":"rm"}`, ``},
		{snaphook.Shell, nil, `{"command":"ls","Command":"rm"}`, ``},
		{snaphook.Shell, nil, `{"COMMAND":"rm"}`, `{"command":"rm"}`},
		{snaphook.Shell, nil, "{\"\u212Aind\":1,\"command\":\"ls\"}", "{\"\u212Aind\":1,\"command\":\"ls\"}"},
		{snaphook.Shell, map[string]string{"command": "cmd"}, `{"CMD":"rm"}`, `{"command":"rm"}`},
		{snaphook.Shell, map[string]string{"command": "cmd"}, `{"cmd":"ls","CMD":"rm"}`, ``},
		{snaphook.Shell, map[string]string{"command": "cmd"}, `{"cmd":"ls","command":"rm"}`, ``},
		{snaphook.Shell, map[string]string{"command": "cmd"}, `{"command":"rm","cmd":"ls"}`, ``},
		{snaphook.Read, nil, `{"path":"a","absolute_path":"b"}`, ``},
		{snaphook.Read, nil, `{"ABSOLUTE_PATH":"b"}`, `{"file_path":"b"}`},
		{snaphook.Fetch, nil, `{"URL":"http://a"}`, `{"url":"http://a"}`},
		{snaphook.Write, map[string]string{"path": "content", "content": "path"}, `{"path":"a","content":"b"}`, `{"content":"a","file_path":"b"}`},
		{snaphook.Other, nil, `{"edits":[{"path":"a","path":"b"}]}`, ``},
		{snaphook.Other, nil, `{"n":1,"N":2}`, `{"n":1,"N":2}`},
		{0, nil, `{"command":"ls","command":"rm"}`, ``},
		{0, nil, `{"a":{"b":1,"b":1}}`, ``},
		{0, nil, `{` + many.String() + `"b":1}`, `{` + many.String() + `"b":1}`},
		{0, nil, `{` + many.String() + `"a3":1}`, ``},
		{snaphook.Shell, nil, `{"cmd":"rm",` + many.String() + `"Command":"ls"}`, ``},
		{snaphook.Shell, nil, `{` + many.String() + `"cmd":"rm","Command":"ls"}`, ``},
	} {
		cfg := snaphook.Config{Tools: []snaphook.Tool{}}
		if tt.kind != 0 {
			cfg.Tools = []snaphook.Tool{{Name: "tool", Kind: tt.kind, Args: tt.args}}
		}
		s, seen := open(t, cfg, nil), ""
		claude.PreToolUse.On(s.Pipeline(), "guard", func(_ context.Context, in claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
			seen = string(in.Input)
			return o, nil
		})
		snaphook.OnBeforeTool(s, "guard", func(context.Context, snaphook.ToolCall) (v snaphook.Verdict, err error) { return v, nil })
		ran := false
		out, err := s.RunTool(t.Context(), &snaphook.ToolCall{Name: "tool", Input: wire.Object(tt.call)}, func(context.Context, wire.Object) (snaphook.ToolResult, error) {
			ran = true
			return snaphook.ToolResult{}, nil
		})
		switch {
		case err != nil || seen != tt.seen || ran != (tt.seen != ""):
			t.Errorf("%s, called with %s: it ran: %v, hooks saw %q, %v; want %q", tt.kind, tt.call, ran, seen, err, tt.seen)
		case !ran && strings.Count(out.Text, "give it once") != 1:
			t.Errorf("%s, called with %s: the model is told %q; want what to do about it, once", tt.kind, tt.call, out.Text)
		}
	}
}
