package systems

import (
	"context"
	"path/filepath"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Xcsh describes the hook runtime, and extensionRow describes the extension runtime, which has other rules for the same
// modules. Both find modules and trust them in the same way.
var (
	Xcsh = moduleRow(
		xcsh.Dialect,
		"hook modules of xcsh and pi in JavaScript and TypeScript, as the hook runtime of xcsh 17.4.4 runs them (rules X1 to X47); xcsh-extension.* events follow the rules of xcsh's extension runtime",
	)
	extensionRow = moduleRow(xcsh.Extensions, "the rules of the extension runtime").named()
)

func moduleRow(d *pipeline.Dialect, supports string) Dialect {
	return Dialect{
		Dialect:  d,
		Supports: supports,
		Discover: func(_, _ string) []settings.Layer { return nil },
		Load:     loadXcsh,
		Adds:     addition{Flag: "module", one: "a module"},
		Asks:     true,
		Traits:   func(string) ([]string, string) { return []string{ModuleType}, "" },
		Modules:  true,
		ToolGate: "tool_call",
		Example:  `{"toolName": "bash", "toolCallId": "1", "input": {"command": "ls"}}`,

		CallMembers: [2]string{"toolName", "input"},
	}
}

// ModuleType is the type of hooks that are handlers of modules.
const ModuleType = "module"

// loadXcsh lists the modules that discovery finds, but not their events: a module subscribes to events only when it
// runs, and loadXcsh runs none.
func loadXcsh(o Origins) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (l pipeline.Loaded, err error) {
		if len(o.Modules) > 0 {
			return l, nil
		}
		place, err := discover.Here(at.Dir)
		if err != nil {
			l.Problems = []settings.Problem{{Message: "modules of xcsh cannot be looked for: " + err.Error()}}
			return l, nil
		}
		found := discover.Standard().Discover(ctx, place, discover.Options{})
		for _, item := range found.All {
			if (&modules.Loader{}).Match(item.Path) {
				l.Hooks = append(l.Hooks, fileHook(at.Dir, item))
			}
		}
		l.Problems = lo.Map(
			found.Warnings,
			func(text string, _ int) settings.Problem { return settings.Problem{Message: text} },
		)
		return l, nil
	}
}

// fileHook returns a hook that represents a module in the lists of check, plan and trust. The hook's
// command is the module's path, relative to the project's directory if the module lies below it.
func fileHook(dir string, item discover.Item) *hook.Hook {
	path := item.Path
	if below, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(below) {
		path = filepath.ToSlash(below)
	}
	source := xcsh.SourceOf(item.Source.Level)
	return &hook.Hook{
		Identity: hook.Identity{
			ID: source.String() + "/" + ModuleType + "/" + path, Dialect: xcsh.Dialect.Name, Event: anyEvent,
			Type: ModuleType, Command: path, Source: source, Position: hook.Position{File: cli.ShortPath(item.Path)},
		},
	}
}

// anyEvent is the event of a module whose subscriptions are not known.
const anyEvent = "*"
