package door_test

import (
	"slices"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/codex"
	codexdoor "github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/events/copilot"
	copilotdoor "github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/cursor"
	cursordoor "github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/settings"
)

// beside returns the six dialects without settings, but with d in place of the dialect called name. The answer of d
// must not depend on the other five.
func beside(name string, d *snaphook.Dialect) []*snaphook.Dialect {
	none := []settings.Layer{}
	names := []string{"claude", "codex", "llxprt", "copilot", "xcsh", "cursor"}
	all := []*snaphook.Dialect{
		snaphook.Claude(snaphook.ClaudeConfig{Layers: none}),
		codexdoor.Codex(codex.Settings{Layers: none}),
		snaphook.LLxprt(snaphook.LLxprtConfig{Layers: none, LayersFound: true}),
		copilotdoor.Copilot(copilot.Settings{Layers: none}),
		snaphook.Xcsh(snaphook.XcshConfig{NoProject: true}),
		cursordoor.Cursor(cursor.Settings{Layers: none}),
	}
	all[slices.Index(names, name)] = d
	return all
}
