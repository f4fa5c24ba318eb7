// Package bash runs scripts that another script starts with bash. Many hooks have this form: bash
// "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh" or bash -c '…'.
package bash

import (
	"errors"
	"strings"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
	"github.com/snaphook-go/snaphook/warm/internal/version"
)

// Bash is the program bash, with a script in a file or after -c.
type Bash struct{}

// Known reports whether a file is a bash of version 5.
func (Bash) Known(file string) bool { return version.Starts(file, "GNU bash, version 5.") }

// Check reads the arguments if all arguments are known before a run.
func (Bash) Check(args []*string) error {
	known := make([]string, 0, len(args))
	for _, arg := range args {
		if arg == nil {
			return nil
		}
		known = append(known, *arg)
	}
	_, err := parse("bash", known)
	return err
}

// Run runs the script.
func (Bash) Run(p *shell.Process) int {
	script, err := parse(p.Name, p.Args)
	if err != nil {
		p.GiveUp("bash: %v", err)
	}
	return p.Script(script)
}

var errArguments = errors.New("these arguments")

// parse reads the arguments of bash: -c, -e, -u and -o pipefail are known, alone or together.
func parse(name string, args []string) (script shell.Nested, err error) {
	given := false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		letters := args[0][1:]
		args = args[1:]
		if letters == "" || letters[0] == '-' {
			return script, errArguments
		}
		for _, letter := range letters {
			switch letter {
			case 'c':
				given = true
			case 'e':
				script.ErrExit = true
			case 'u':
				script.NoUnset = true
			case 'o':
				if len(args) == 0 || args[0] != "pipefail" {
					return script, errArguments
				}
				script.PipeFail = true
				args = args[1:]
			default:
				return script, errArguments
			}
		}
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "+") {
		return script, errArguments // the script is on standard input, or an option begins with +
	}
	first := args[0]
	script.Name, script.Params = first, args[1:]
	switch {
	case !given:
		// bash looks for a name without a slash in other folders, too
		if script.File = first; !strings.Contains(first, "/") {
			return script, errArguments
		}
	case len(args) > 1:
		script.Text, script.Name, script.Params = first, args[1], args[2:]
	default:
		script.Text, script.Name = first, name
	}
	return script, nil
}
