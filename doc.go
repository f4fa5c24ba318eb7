// Package snaphook runs the hooks of AI agents' users. When an agent reaches a moment of its work, such
// as a tool call, hooks in any language observe, block, rewrite or enrich it, and one verdict comes
// back. Hooks of Claude Code, of LLxprt Code and Gemini CLI, and modules of xcsh and pi all see the same
// tool call. Each gets the tool and its arguments under the names of its own system, and rewrites come
// back under the host's names.
//
//	hooks, err := snaphook.Open(snaphook.Config{Tools: []snaphook.Tool{
//		{Name: "execute_command", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}},
//	}})
//	defer hooks.Close()
//	s, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: dir, Interactive: true})
//	defer s.Close(ctx)
//
//	out, err := s.RunTool(ctx, &snaphook.ToolCall{ID: "c-1", Name: "execute_command", Input: args}, tool)
//
// [Session.RunTool] puts the hooks around a tool. A host that runs tools itself calls
// [Session.BeforeTool] and [Session.AfterTool]:
//
//	v, err := s.BeforeTool(ctx, call)
//	switch {
//	case v.Stop:              // end the turn: v.StopReason is for the user
//	case v.Denied():          // give v.Reason to the model in place of a result
//	case v.Decision == snaphook.Ask: // ask the user; v.Reason says why
//	}
//	run(v.Input)              // the complete arguments in the host's words, changed or not
//
// # Merging
//
// The program's own hooks run first ([OnBeforeTool] and its like), then the hooks of all dialects in
// parallel, each dialect by its own rules. Answers are merged in the order of the dialects and of their
// plans, never by time. The strictest decision of deny, ask and allow wins. Rewrites are merged argument
// by argument; if two hooks disagree, the last one wins and [Verdict.Conflicts] lists both. Contexts
// and messages are lists. Stop and Continue are separate from the decision.
//
// A dialect that has no event for a moment adds nothing. If a hook asks the user and there is no user (the session is
// not Interactive, and [Config].Ask is nil), the verdict is a denial whose reason says that there is no user.
//
// # Modules in JavaScript
//
// The JavaScript modules of xcsh and pi need an engine, which is a separate Go module:
//
//	import _ "github.com/snaphook-go/snaphook/jsrun/modules"
//
// Without it the modules do not run; the log and [Session.Problems] report each.
//
// # The packages below
//
// A host of one hook system can fire that system's own events: pipeline.NewSystem with
// pipeline.LinkedSettings makes the engine, and the packages below events declare the events.
// [Hooks.System] and [Session.Pipeline] return the engine and its session, on which this package is
// built.
//
// # Cost
//
// A moment without hooks costs a few nanoseconds and allocates nothing. One hook in Go costs a few
// microseconds, and a command costs as much as its process.
package snaphook
