// Package codex runs the hooks of the Codex CLI: its twelve events, the settings in hooks.json and
// config.toml of the user and the project, and those that an administrator manages.
//
// Codex reads answers strictly: an unknown member, a word that it does not accept, or a denial
// without a reason makes the run Failed. A Failed run has no effect, and the action goes ahead. The
// report of such a hook has a note with the cause, and reports a denial that is lost this way.
//
//	res, err := codex.PreToolUse.Fire(ctx, session, &codex.PreToolUseInput{Call: codex.Call{
//		Tool: "Bash", Input: wire.Object(`{"command": "make"}`),
//	}})
//	if res.Blocked() {
//		// the model gets res.Reason
//	}
//
// The rules have numbers, CX1 and so on, in docs/spec/codex.md.
package codex
