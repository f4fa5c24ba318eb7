// Package codex runs the hooks of the Codex CLI: its twelve events, the settings in hooks.json and
// config.toml of the user and the project, and those that an administrator manages.
//
// Codex reads answers strictly: a member that it does not know, a word that it does not take, or a
// denial without a reason makes the run Failed. Nothing of a Failed run counts, and the action goes
// ahead. The report of such a hook says why, and calls a denial that is lost so a denial.
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
