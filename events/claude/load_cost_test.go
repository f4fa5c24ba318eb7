package claude_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// largeSettings holds settings that repeat one part many times. Each repetition has its number in a
// name.
var largeSettings = map[string]struct{ part, around string }{
	"hooks that work":        {`{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard %d"}]}`, `{"hooks": {"PreToolUse": [%s]}}`},
	"groups without hooks":   {`{"matcher": "%d"}`, `{"hooks": {"PreToolUse": [%s]}}`},
	"unknown events":         {`"PreToolUs%d": []`, `{"hooks": {%s}}`},
	"unknown types":          {`{"type": "x%d"}`, `{"hooks": {"PreToolUse": [{"hooks": [%s]}]}}`},
	"misspelt members":       {`{"type": "command", "command": "a%d", "timeot": 1}`, `{"hooks": {"PreToolUse": [{"hooks": [%s]}]}}`},
	"matchers that are none": {`{"matcher": "m%d(", "hooks": [{"type": "command", "command": "x"}]}`, `{"hooks": {"PreToolUse": [%s]}}`},
	"names given twice":      {`"hooks": {"PreToolUse": [{"matcher": "%d"}]}`, `{%s}`},
}

// sized returns settings of about size bytes.
func sized(part, around string, size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size-200; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, part, i)
	}
	return fmt.Appendf(nil, around, b.Bytes())
}

// plannedSession loads settings for a session, and plans a call.
func plannedSession(t *testing.T, text []byte, log *slog.Logger) *pipeline.Session {
	load := claude.Settings{Layers: []settings.Layer{{Source: hook.User, File: "s.json", Data: text}}}.Load
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}, Log: log})
	t.Cleanup(func() { _ = sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claude.PreToolUse.PlanJSON(s, []byte(`{"tool_name": "Bash", "tool_input": {"command": "ls"}}`)); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSettingsFullOfMistakesWarnInASummary(t *testing.T) {
	for name, c := range largeSettings {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			s := plannedSession(t, sized(c.part, c.around, 1<<16), slog.New(slog.NewTextHandler(&log, nil)))
			problems, lines := s.Problems(), strings.Count(log.String(), "settings entry not used")
			if len(problems) > 45 || lines != len(problems) {
				t.Errorf("%d problems and %d warnings, want up to twenty of a kind and their number", len(problems), lines)
			}
		})
	}
}
