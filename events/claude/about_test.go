package claude_test

import (
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
)

func TestAboutTellsTypesAndAudience(t *testing.T) {
	all := []string{"command", "http", "mcp_tool", "prompt", "agent"}
	for event, want := range map[string]claude.Traits{
		"PreToolUse":         {Types: all, ReasonFor: "model"},
		"UserPromptSubmit":   {Types: all, ReasonFor: "user"},
		"SessionStart":       {Types: []string{"command", "mcp_tool"}, ReasonFor: "user"},
		"InstructionsLoaded": {Types: all[:3]},
	} {
		if got, ok := claude.About(event); !ok || got.ReasonFor != want.ReasonFor || !slices.Equal(got.Types, want.Types) {
			t.Errorf("%s: got %v, want %v", event, got, want)
		}
	}
	if got, ok := claude.About("BeforeTool"); ok {
		t.Errorf("got %v, want nothing of an event of another dialect", got)
	}
}
