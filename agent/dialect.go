package agent

import (
	"context"
	"os"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is one hook system: which of its events fire at which moment, and how it
// calls tools. Make one with [Claude], [LLxprt] or [Xcsh]; one may be used for several
// [Hooks].
type Dialect struct {
	name   string
	words  vocabulary
	load   pipeline.Load                         // reads the settings; nil: there are none
	attach func(context.Context, *Session) error // completes a session; may be nil

	start         stage[StartInput]
	prompt        stage[PromptInput]
	beforeModel   stage[BeforeModelInput]
	afterModel    stage[AfterModelInput]
	toolChoice    stage[ToolChoiceInput]
	beforeTool    stage[ToolCall]
	afterTool     stage[AfterToolInput]
	permission    stage[PermissionInput]
	subagentStart stage[SubagentStartInput]
	subagentStop  stage[SubagentStopInput]
	stop          stage[StopInput]
	beforeCompact stage[BeforeCompactInput]
	afterCompact  stage[AfterCompactInput]
	notify        stage[NotifyInput]
	end           stage[EndInput]
}

// Name is claude, llxprt or xcsh.
func (d *Dialect) Name() string { return d.name }

// events are those that the dialect fires, by moment.
func (d *Dialect) events() [][]pipeline.Declared {
	return [][]pipeline.Declared{
		Start: d.start.events, Prompt: d.prompt.events, BeforeModel: d.beforeModel.events, AfterModel: d.afterModel.events,
		ToolChoice: d.toolChoice.events, BeforeTool: d.beforeTool.events,
		AfterTool: d.afterTool.events, Permission: d.permission.events,
		SubagentStart: d.subagentStart.events, SubagentStop: d.subagentStop.events, Stop: d.stop.events,
		BeforeCompact: d.beforeCompact.events, AfterCompact: d.afterCompact.events,
		Notify: d.notify.events, End: d.end.events,
	}
}

// ownDialectEvents are those of the program's own hooks, by moment.
func ownDialectEvents() [][]pipeline.Declared {
	return [][]pipeline.Declared{
		Start: {starts.own}, Prompt: {prompts.own}, BeforeModel: {beforeModels.own}, AfterModel: {afterModels.own},
		ToolChoice: {
			toolChoices.own,
		}, BeforeTool: {beforeTools.own}, AfterTool: {afterTools.own}, Permission: {permissions.own},
		SubagentStart: {subagentStarts.own}, SubagentStop: {subagentStops.own}, Stop: {stops.own},
		BeforeCompact: {beforeCompacts.own}, AfterCompact: {afterCompacts.own}, Notify: {notifies.own}, End: {ends.own},
	}
}

// environment is the program's.
func environment() []string { return os.Environ() }

// or is a word of the host's, or else the dialect's default.
func or(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

// show returns a call to the dialect of the site.
func (at *site) show(c *ToolCall) view { return at.hooks.show(at.dialect, c.Name, object(c.Input)) }

// original returns the arguments before hooks rewrote them to the dialect of the site;
// nil if none did.
func (at *site) original(c *ToolCall) wire.Object {
	if c.Original == nil {
		return nil
	}
	return at.hooks.show(at.dialect, c.Name, object(c.Original)).args
}
