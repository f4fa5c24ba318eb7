// Package copilot is the hook system of GitHub Copilot: 14 events, and hooks that are commands, HTTP
// requests, prompts or Go functions. docs/spec/copilot.md has its rules.
//
//	in := copilot.PreToolUseInput{Name: "bash", Args: []byte(`{"command": "git push"}`)}
//	res, err := copilot.PreToolUse.Fire(ctx, session, &in)
//	if err != nil || res.Blocked() {
//		…
//	}
//
// Events have their camelCase names. A hook may be configured under the event's camelCase or PascalCase name, which
// decides the payload: preToolUse has toolName and toolArgs, PreToolUse has Claude Code's words.
//
// [Settings] reads the files of the policy, the user and the project; its Profile selects the
// surface: the command line, the cloud agent or the chat of VS Code.
package copilot
