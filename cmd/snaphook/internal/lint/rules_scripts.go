package lint

// scriptRules are those about what scripts say.
func scriptRules() []Rule {
	return []Rule{
		{
			ID: "gate-exit-1", Severity: Error, look: gateExit,
			Doc: "A hook of an event that can be blocked refuses with exit status 1.",
			Why: "1 is a failure: its text is shown as a warning, and the action goes ahead. 2 refuses.",
			Mistake: "if grep -q 'rm -rf'; then\n" +
				"\techo 'not allowed' >&2\n" +
				"\texit 1\n" +
				"fi",
			Fix: "if grep -q 'rm -rf'; then\n" +
				"\techo 'not allowed' >&2\n" +
				"\texit 2\n" +
				"fi",
		},
		{
			ID: "stdin-unread", Severity: Warning, look: stdinUnread,
			Doc: "A script decides by something that it is never given, and does not read standard input.",
			Why: "What happens comes as JSON on standard input. There are no arguments, and no variables such as " +
				"`$CLAUDE_TOOL_INPUT`; a variable that nothing sets is empty, so the hook always does the same. " +
				"The handler of a module is given the call.",
			Mistake: "case \"$CLAUDE_TOOL_INPUT\" in *'rm -rf'*) exit 2 ;; esac",
			Fix:     "input=$(cat)\ncase \"$input\" in *'rm -rf'*) exit 2 ;; esac",
		},
		{
			ID: "unquoted-path", Severity: Warning, look: unquoted, Fixable: true,
			Doc: "A variable that holds a path is not quoted.",
			Why: "A path with a space becomes two words, and one with a `*` a list of files.",
			Mistake: "file=$(jq -r .tool_input.file_path)\n" +
				"gofmt -l $file",
			Fix: "file=$(jq -r .tool_input.file_path)\n" +
				"gofmt -l \"$file\"",
		},
	}
}

// policyRules are the findings about policies; see docs/cli.md.
func policyRules() []Rule {
	return []Rule{
		{
			ID: "policy-rule-unmatched", Severity: Warning,
			Doc:     "A rule of an overlay matches no hook.",
			Why:     "What it demands is demanded of nothing.",
			Mistake: `{"hooks": [{"match": {"event": "PreToolUse", "name": "gaurd"}, "onFailure": "closed"}]}`,
			Fix:     `{"hooks": [{"match": {"event": "PreToolUse", "name": "guard"}, "onFailure": "closed"}]}`,
		},
		{
			ID: "policy-locked", Severity: Warning,
			Doc:     "An overlay sets what the machine's policy has locked.",
			Why:     "It changes nothing.",
			Mistake: `"mode": "off" in a project, where the machine's overlay has "lock": ["hooks"]`,
			Fix:     "without the member",
		},
		{
			ID: "policy-weakens", Severity: Warning,
			Doc:     "An overlay would make a hook of a higher level laxer.",
			Why:     "It changes nothing: who is nearer to the project may only be stricter.",
			Mistake: `"onFailure": "open" in a project, for a hook of the user that is "closed"`,
			Fix:     "without the member",
		},
		{
			ID: "policy-closed-missing", Severity: Error,
			Doc:     "The program of a hook that fails closed is not there.",
			Why:     "Every call that the hook matches is denied.",
			Mistake: `"onFailure": "closed" for a hook whose script was removed`,
			Fix:     `the script, or "onFailure": {"missing": "open"}`,
		},
		{
			ID: "policy-gate-open", Severity: Note,
			Doc:     "If a guard of tools that write fails, they run all the same.",
			Why:     "That is what hook systems do; an overlay changes it.",
			Mistake: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}`,
			Fix: `{"hooks": [{"match": {"event": "PreToolUse", "command": "*guard.sh"}, "onFailure": "closed"}]} ` +
				`in .snaphook.json`,
		},
	}
}
