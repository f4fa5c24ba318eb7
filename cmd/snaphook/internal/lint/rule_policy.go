package lint

// policyRules lists the findings of package policy about overlays, which the command line passes in
// [Options]; see docs/cli.md.
var policyRules = []Rule{
	{
		ID: "policy-rule-unmatched", Severity: Warning,
		Doc:     "A rule of an overlay matches no hook.",
		Why:     "The rule therefore has no effect.",
		Mistake: `{"hooks": [{"match": {"event": "PreToolUse", "name": "gaurd"}, "onFailure": "closed"}]}`,
		Fix:     `{"hooks": [{"match": {"event": "PreToolUse", "name": "guard"}, "onFailure": "closed"}]}`,
	},
	{
		ID: "policy-locked", Severity: Warning,
		Doc:     "An overlay sets a member that the machine's policy has locked.",
		Why:     "It changes nothing.",
		Mistake: `"mode": "off" in a project, where the machine's overlay has "lock": ["hooks"]`,
		Fix:     "without the member",
	},
	{
		ID: "policy-weakens", Severity: Warning,
		Doc:     "An overlay would make a hook of a higher level laxer.",
		Why:     "It changes nothing: a lower level (machine, user, project) may only be stricter.",
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
		Doc:     "If a guard of tools that write fails, the tools still run.",
		Why:     "This is the default of hook systems; an overlay can change it.",
		Mistake: `{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}`,
		Fix: `{"hooks": [{"match": {"event": "PreToolUse", "command": "*guard.sh"}, "onFailure": "closed"}]} ` +
			`in .snaphook.json`,
	},
}
