package lint

// fileRules are those about the programs and files that hooks start.
func fileRules() []Rule {
	return []Rule{
		{
			ID: "script-missing", Severity: Error, look: missing,
			Doc:     "The program or the script of a hook is not there.",
			Why:     "The hook fails each time, and unless a policy says otherwise the action goes ahead.",
			Mistake: `{"type": "command", "command": "./hooks/gaurd.sh"}`,
			Fix:     `{"type": "command", "command": "./hooks/guard.sh"}`,
		},
		{
			ID: "script-not-executable", Severity: Error, look: notExecutable, Fixable: true,
			Doc:     "A script is started by its path, and is not executable.",
			Why:     "A shell ends with 126, which blocks nothing.",
			Mistake: "`./guard.sh`, whose mode is 0644",
			Fix:     "`chmod +x guard.sh`, or `bash ./guard.sh`",
		},
		{
			ID: "script-crlf", Severity: Error, look: crlf, Fixable: true,
			Doc:     "Lines of a script end with CR LF.",
			Why:     "A shell takes the CR for a part of the last word, and the system for a part of the interpreter's name.",
			Mistake: "a script that was saved on Windows",
			Fix:     "`sed -i 's/\\r$//' guard.sh`, and `*.sh text eol=lf` in .gitattributes",
		},
		{
			ID: "script-no-shebang", Severity: Warning, look: noShebang, Fixable: true,
			Doc: "A script is started by its path, and its first line names no interpreter.",
			Why: "A shell runs it as its own text: Python becomes shell, and bash syntax runs in `/bin/sh`. " +
				"Without a shell it does not start.",
			Mistake: "guard.sh begins with `input=$(cat)`",
			Fix:     "guard.sh begins with `#!/usr/bin/env bash`",
		},
		{
			ID: "interpreter-missing", Severity: Error, look: interpreterMissing,
			Doc:     "The interpreter of a script is not there.",
			Why:     "The hook fails each time, and unless a policy says otherwise the action goes ahead.",
			Mistake: "`#!/usr/local/bin/python3` on a machine that has /usr/bin/python3",
			Fix:     "`#!/usr/bin/env python3`",
		},
		{
			ID: "accidental-exit-2", Severity: Error, look: accidentalTwo,
			Doc: "A hook ends with status 2 by accident, which means \"refused\".",
			Why: "Python ends with 2 if its script is not there, argparse if an argument is wrong, " +
				"a shell if its script is no shell syntax. A gate then blocks everything.",
			Mistake: `{"type": "command", "command": "python3 hooks/gaurd.py"}`,
			Fix:     `{"type": "command", "command": "python3 hooks/guard.py"}`,
		},
		{
			ID: "launcher-unpinned", Severity: Warning, look: launchers,
			Doc:     "A hook runs what a registry or a server has just now.",
			Why:     "Who publishes the next version runs code with the user's rights, and a guard changes without a review.",
			Mistake: "`npx some-guard@latest`, `uvx ruff`, `curl https://example.com/x.sh | sh`",
			Fix:     "`npx some-guard@1.4.2`, `uvx ruff@0.6.9`, or a file of the project",
		},
	}
}
