package settings_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/settings"
)

func TestNear(t *testing.T) {
	events := []string{"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "SessionStart", "SessionEnd", "Notification", "PreCompress"}
	for _, tt := range []struct {
		name       string
		wrote      string
		candidates []string
		want       []string
	}{
		{"another case", "beforetool", events, []string{"BeforeTool", "BeforeModel"}},
		{"a letter is missing", "BeforTool", events, []string{"BeforeTool"}},
		{"an underscore", "session_start", events, []string{"SessionStart"}},
		{"swapped letters are one mistake", "ytpe", []string{"type"}, []string{"type"}},
		{"two letters of a short name are too many", "tipp", []string{"type"}, nil},
		{"the same but for case comes first", "Command", []string{"commands", "comand", "command"}, []string{"command", "commands", "comand"}},
		{"three at most, equally near in the given order", "ab", []string{"xb", "ax", "abx", "xab"}, []string{"xb", "ax", "abx"}},
		{"letters of other scripts", "größe", []string{"GRÖSSE", "grösse"}, []string{"GRÖSSE", "grösse"}},
		{"nothing alike", "PreToolUse", events, nil},
		{"a very long name", strings.Repeat("BeforeTool", 1<<20), events, nil},
		{"nothing to choose from", "x", nil, nil},
		{"an empty name", "", []string{"a", "timeout"}, []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, settings.Near(tt.wrote, tt.candidates)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
