package command

import (
	"os"
	"strings"

	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

var cursorRow = dialect{
	Dialect:  cursor.Dialect,
	supports: "Cursor hooks as of November 2026 (rules U1 to U34): hooks.json, and the hooks of Claude Code that Cursor imports",
	marks:    []string{".cursor"},
	layers:   cursor.LayerNames(),
	strict:   true,
	inFull:   true,
	discover: func(dir, _ string) []settings.Layer { return cursor.Discover(dir) },
	load: func(o origins) pipeline.Load {
		s := cursor.Settings{Layers: o.layers, Environ: withoutKey(os.Environ()), Model: modelOf(os.Getenv)}
		if o.fixtureEnv != nil {
			s.Environ, s.Model = o.fixtureEnv.environ, o.fixtureEnv.model
			return o.fixtureEnv.serve(s.Load)
		}
		return s.Load
	},
	borrows:  func(l settings.Layer) bool { return strings.HasPrefix(l.Name, "claude-") },
	portable: cursor.Portable,
	toolGate: "preToolUse",
	example:  `{"tool_name": "Shell", "tool_input": {"command": "ls"}}`,
	writers:  []string{"Shell", "Write", "Delete"},
	traits:   cursor.About,
}
