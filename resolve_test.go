package snaphook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Hooks see no difference between a tool that Resolve describes and a tool of Config.Tools. The host keeps a limited
// number of names, and no long ones, since a model may invent any; names that are not kept are resolved again, and no
// guard is lost.
func TestToolsAreDescribedWhenTheyAreCalled(t *testing.T) {
	asked := map[string]int{}
	s := open(t, snaphook.Config{Resolve: func(name string) (snaphook.Tool, bool) {
		asked[name]++
		return snaphook.Tool{Kind: snaphook.MCP, Server: "db"}, !strings.HasPrefix(name, "unknown")
	}}, nil)
	seen := ""
	claude.PreToolUse.On(s.Pipeline(), "gate", func(_ context.Context, c claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		seen = c.Name
		return o, nil
	})
	call := func(name, want string) {
		t.Helper()
		v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: name, Input: wire.Object(`{}`)})
		if err != nil || v.Denied() || seen != want {
			t.Fatalf("hooks see %.80q, %+v, %v; want %.80q", seen, v, err, want)
		}
	}
	long := strings.Repeat("x", 257)
	for range 2 {
		call("unknown", "unknown")
		call(long, "mcp__db__"+long)
		for i := range 4200 {
			name := fmt.Sprint("query", i)
			call(name, "mcp__db__"+name)
		}
	}
	for name, want := range map[string]bool{"unknown": true, "query0": true, "query4000": true, "query4199": false, long: false} {
		if kept := asked[name] < asked[long]; kept != want {
			t.Errorf("%.80q was described %d times; kept: %v", name, asked[name], want)
		}
	}
}

// MCP tools have the names that Claude Code gives them, for which guards are written.
func TestNamesOfMCPToolsAreThoseOfClaudeCode(t *testing.T) {
	s := open(t, snaphook.Config{Resolve: func(string) (snaphook.Tool, bool) {
		return snaphook.Tool{Kind: snaphook.MCP, Server: "my.server é"}, true
	}}, nil)
	seen, ran := "", false
	claude.PreToolUse.On(s.Pipeline(), "guard", func(_ context.Context, c claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		ran = true
		return o, nil
	}, pipeline.Match("mcp__my_server__.*"))
	claude.PreToolUse.On(s.Pipeline(), "all", func(_ context.Context, c claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		seen = c.Name
		return o, nil
	})
	for name, want := range map[string]string{"read.all/now": "mcp__my_server____read_all_now", "a-B_9": "mcp__my_server____a-B_9"} {
		ran = false
		_, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: name, Input: wire.Object(`{}`)})
		if err != nil || seen != want || !ran {
			t.Errorf("hooks see %q, the guard ran: %v, %v; want %q", seen, ran, err, want)
		}
	}
}
