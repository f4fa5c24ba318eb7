package lint

// settingsRules are those about what stands in settings.
func settingsRules() []Rule {
	return []Rule{
		{
			ID: "matcher-unreachable", Severity: Warning, look: unreachable, Fixable: true,
			Doc: "A matcher, or a name in it, matches no tool that there is.",
			Why: "Names are compared with case, an MCP server is no tool, and a list is written with `|`. " +
				"The hook never runs, and nothing says so. In a module it is a name that `toolName` is compared with. " +
				"Tools of your own are named with `--tools FILE`.",
			Mistake: `{"matcher": "bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}`,
			Fix:     `{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}`,
		},
		{
			ID: "matcher-unused", Severity: Warning, look: unused, Fixable: true,
			Doc:     "A matcher stands on an event that has nothing to match.",
			Why:     "The hook runs every time, whatever the matcher says.",
			Mistake: `"Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./done.sh"}]}]`,
			Fix:     `"Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]`,
		},
		{
			ID: "rewrite-conflict", Severity: Warning,
			Doc: "Two hooks that run at the same time for the same tool rewrite the same member of its input.",
			Why: "Each sees the original input. Of their values the later hook's counts, and the other's is lost.",
			Mistake: "two hooks for `Bash` that print\n" +
				`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "…"}}}`,
			Fix: "one hook that does both, or matchers that have no tool in common",
		},
		{
			ID: "timeout-unit", Severity: Warning, look: timeoutUnit, Fixable: true,
			Doc:     "A timeout looks like one in another unit.",
			Why:     "Claude Code counts in seconds, LLxprt Code and Gemini CLI in milliseconds.",
			Mistake: `{"type": "command", "command": "./guard.sh", "timeout": 60000}`,
			Fix:     `{"type": "command", "command": "./guard.sh", "timeout": 60}`,
		},
		{
			ID: "secret-in-settings", Severity: Error,
			Doc:     "A settings file, or a module, holds what looks like a token, a key or a password.",
			Why:     "Settings are committed, and shown in plans, records and logs.",
			Mistake: `{"type": "http", "url": "https://example.com/hook", "headers": {"Authorization": "Bearer 4f9c…"}}`,
			Fix: `{"type": "http", "url": "https://example.com/hook", "headers": {"Authorization": "Bearer $HOOK_TOKEN"}, ` +
				`"allowedEnvVars": ["HOOK_TOKEN"]}`,
		},
		{
			ID: "async-gate", Severity: Warning, look: asyncGate,
			Doc: "A hook of an event that can be blocked runs in the background.",
			Why: "Nothing waits for it: the action has gone ahead before it refuses. " +
				"Where no refusal is seen in the hook this is a note.",
			Mistake: `{"type": "command", "command": "./guard.sh", "async": true}`,
			Fix:     `{"type": "command", "command": "./guard.sh"}`,
		},
		{
			ID: "shell-bash-syntax", Severity: Warning, look: bashSyntax, Fixable: true,
			Doc: "A command or a script that `/bin/sh` runs uses syntax of bash.",
			Why: "Where `/bin/sh` is bash it works; where it is dash, as on Debian and Ubuntu, " +
				"it fails or means something else.",
			Mistake: `{"type": "command", "command": "if [[ $(cat) == *rm* ]]; then exit 2; fi"}`,
			Fix:     `{"type": "command", "shell": "bash", "command": "if [[ $(cat) == *rm* ]]; then exit 2; fi"}`,
		},
		{
			ID: "warm-would-help", Severity: Note, look: warmHelps,
			Doc:     "The hook starts Python, Node or bash for every call, and could be kept warm.",
			Why:     "Most of the time of such a hook is the start of its interpreter; see [warm hooks](warm.md).",
			Mistake: `{"type": "command", "command": "python3 hooks/guard.py"}`,
			Fix:     `{"hooks": [{"match": {"command": "*guard.py*"}, "warm": "auto"}]}  in .snaphook.json`,
		},
		{
			ID: "ignore-unknown", Severity: Warning,
			Doc:     "A `snaphook-ignore` comment names no rule that there is.",
			Why:     "It ignores nothing.",
			Mistake: `// snaphook-ignore scriptmissing`,
			Fix:     `// snaphook-ignore script-missing`,
		},
	}
}
