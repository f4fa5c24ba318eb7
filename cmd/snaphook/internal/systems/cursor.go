package systems

import (
	"strings"

	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

var cursorRow = Dialect{
	Dialect:  cursor.Dialect,
	Supports: "Cursor hooks as of November 2026 (rules U1 to U34): hooks.json, and the hooks of Claude Code that Cursor imports",
	Marks:    []string{".cursor"},
	Layers:   cursor.LayerNames(),
	Strict:   true,
	inFull:   true,
	Discover: func(dir, _ string) []settings.Layer { return cursor.Discover(dir) },
	Load: func(o Origins) pipeline.Load {
		s := cursor.Settings{Layers: o.Layers, Model: modelOf(getenv)}
		if o.FixtureEnv != nil {
			s.Environ, s.Model = o.FixtureEnv.Environ, o.FixtureEnv.Model
			return o.FixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	Borrows:  func(l settings.Layer) bool { return strings.HasPrefix(l.Name, "claude-") },
	portable: cursor.Portable,
	ToolGate: "preToolUse",
	Example:  `{"tool_name": "Shell", "tool_input": {"command": "ls"}}`,
	Writers:  []string{"Shell", "Write", "Delete"},
	Traits:   cursor.About,
}
