// Package cursor runs the hooks of Cursor: its 21 events, the hooks.json files of the enterprise,
// the project and the user, and the hooks that Cursor imports from the settings of Claude Code.
//
// A tool call passes two gates: preToolUse, and then the gate of its kind, such as
// beforeShellExecution. A gate whose hook prints something that is not an answer blocks; a hook
// that fails in another way lets the action go ahead, unless its entry has failClosed.
//
//	res, err := cursor.BeforeShellExecution.Fire(ctx, session, &cursor.BeforeShellExecutionInput{
//		Command: "make install", Cwd: dir,
//	})
//	if res.Blocked() {
//		// the agent gets res.Reason
//	}
//
// The rules have numbers, U1 and so on, in docs/spec/cursor.md.
package cursor
