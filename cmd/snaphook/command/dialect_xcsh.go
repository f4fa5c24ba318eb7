package command

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

// xcshRow is the hook runtime, and extensionRow the extension runtime: other rules for the same
// modules, which are found and trusted in the same way.
var (
	xcshRow = moduleRow(
		xcsh.Dialect,
		"xcsh and pi hook modules in JavaScript and TypeScript, hook runtime of 17.4.4 (rules X1 to X47); xcsh-extension.* events have the rules of its extension runtime",
	)
	extensionRow = moduleRow(xcsh.Extensions, "the rules of the extension runtime").named()
)

func moduleRow(d *pipeline.Dialect, supports string) dialect {
	return dialect{
		Dialect:  d,
		supports: supports,
		discover: func(_, _ string) []settings.Layer { return nil },
		load:     loadXcsh,
		adds:     addition{flag: "module", one: "a module"},
		asks:     true,
		traits:   func(string) ([]string, string) { return []string{moduleType}, "" },
		modules:  true,
		toolGate: "tool_call",
		example:  `{"toolName": "bash", "toolCallId": "1", "input": {"command": "ls"}}`,

		callMembers: [2]string{"toolName", "input"},
	}
}

// named returns the dialect with events that are found by their full names alone.
func (d dialect) named() dialect {
	d.inFull = true
	return d
}

// moduleType is the type of hooks that modules subscribe.
const moduleType = "module"

// isVariant reports whether the dialect is another one with other rules. It is used only where its
// full name is given.
func (d *dialect) isVariant() bool { return d == &extensionRow }

// trustName returns the name under which trust in a dialect's hooks is stored.
func (d *dialect) trustName() string {
	if d.isVariant() {
		return xcshRow.Name
	}
	return d.Name
}

// loadXcsh lists the modules that discovery finds, and runs none. They are listed for no event:
// modules subscribe to events only when they run.
func loadXcsh(o origins) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (l pipeline.Loaded, err error) {
		if len(o.modules) > 0 {
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

// fileHook returns a hook that represents a module in the lists of check, plan and trust. Its
// command is its path, relative to the project's directory if it lies below it.
func fileHook(dir string, item discover.Item) *hook.Hook {
	path := item.Path
	if below, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(below) {
		path = filepath.ToSlash(below)
	}
	source := xcsh.SourceOf(item.Source.Level)
	return &hook.Hook{
		Identity: hook.Identity{
			ID: source.String() + "/" + moduleType + "/" + path, Dialect: xcsh.Dialect.Name, Event: anyEvent,
			Type: moduleType, Command: path, Source: source, Position: hook.Position{File: cli.ShortPath(item.Path)},
		},
	}
}

// anyEvent is the event of a module whose subscriptions are not known.
const anyEvent = "*"

// results lists the members of a handler's result, by event; an event that is not listed ignores
// results.
var results = map[string][]string{
	"tool_call":              {"block", "reason"},
	"tool_result":            {"content", "details"},
	"context":                {"messages"},
	"before_agent_start":     {"message"},
	"session_before_switch":  {"cancel"},
	"session_before_branch":  {"cancel", "skipConversationRestore"},
	"session_before_compact": {"cancel", "compaction"},
	"session.compacting":     {"context", "prompt", "preserveData"},
	"session_before_tree":    {"cancel", "summary"},
}

// extensionResults lists the results of the extension runtime that differ.
var extensionResults = map[string][]string{
	"tool_result":        {"content", "details", "isError"},
	"before_agent_start": {"message", "systemPrompt"},
}

// describeModules adapts the catalogue's entry to modules: they have errors instead of exit
// statuses.
func (c *catalogued) describeModules(i pipeline.Info) {
	c.Result = results[i.Name]
	if more, differs := extensionResults[i.Name]; differs && i.Dialect == xcsh.Extensions.Name {
		c.Result = more
	}
	c.Exits = map[string]string{"error": lo.Ternary(i.Rules.Propagate || i.Rules.FailClosed, "block", "report")}
}
