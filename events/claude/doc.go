// Package claude is the hook system of Claude Code: 33 events, and hooks that are commands, HTTP
// requests, model prompts, agents, MCP tools or Go functions. docs/spec/claude.md has its rules;
// where that file is silent, the public documentation of release 2.1.239 applies.
//
// # Firing an event
//
// There is one variable for each event. Its type declares the input of hooks and their answers:
//
//	in := claude.PreToolUseInput{Name: "Bash", Input: []byte(`{"command": "git push"}`)}
//	res, err := claude.PreToolUse.Fire(ctx, session, &in)
//	if err != nil {
//		return err // ctx ended first
//	}
//	if res.Blocked() {
//		return tellModel(res.Reason)
//	}
//
// The effect of a block differs between events: a tool does not run, a prompt is erased, an agent
// keeps going. docs/claude-events.md lists all events.
//
// # Texts and effects
//
// The texts of an answer are for the model, for the user, or for the log alone. [TextsOf] sorts the
// texts of a result by audience, and [EffectsOf] lists everything that a caller has to apply, for
// programs that have JSON and no types.
//
// # Settings
//
// [Settings] reads the files of Claude Code: .claude/settings.json and settings.local.json in the project,
// settings.json of the user, and managed settings, which [Discover] finds, and the plugins that the host lists. Its
// Load goes into the configuration of a system:
//
//	load := claude.Settings{Model: model}.Load
//	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}})
//
// Hooks of the types "prompt", "agent" and "mcp_tool" need a model, an agent runner and a tool caller of the host;
// without one, such a hook fails each time. Types adds hook types that the host defines.
//
// # Levels
//
// [Level] selects the release whose rules apply: the zero Level is release 2.1.88, [Docs] is
// release 2.1.239.
//
// # Background
//
// Hooks with "async" run on after their fire; their answers are context for the model's next turn,
// see NextTurn of [pipeline.Session]. A session that has such hooks, or whose hooks export
// variables, has to be closed.
package claude
