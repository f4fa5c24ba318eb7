package run

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/inprocess"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// warmSystem reports whether interpreters can be kept ready on this system.
const warmSystem = false

// ownShell reports whether bash scripts run in this process if bash is not installed and a policy says "warm": "bash".
const ownShell = true

// Warm keeps no processes ready on this system. If Git's bash is not installed, Warm runs in this process the bash
// scripts of hooks whose policy says "warm": "bash". If Warm does not support a script exactly, the script fails, with
// the reason.
type Warm struct {
	Limit int             // not used
	Log   *slog.Logger    // not used
	Tools inprocess.Shell // compiles the scripts; package warm implements it. Nil: no script runs here
}

// Close does nothing.
func (w *Warm) Close() {}

// Prewarm does nothing.
func (w *Warm) Prewarm(hook.Call) {}

// SetLimit does nothing.
func (w *Warm) SetLimit(int) {}

func (w *Warm) run(context.Context, *warmth, *Command, hook.Call, job) (reply hook.Reply, ran bool, err error) {
	return reply, false, nil
}

func (w *Warm) ask(context.Context, *Command, hook.Call, job) (reply hook.Reply, err error) {
	return reply, coldWorker("hooks are kept warm on Linux alone")
}

// shellScript is a bash script that runs in this process, because Git's bash is not installed.
type shellScript struct {
	tools   inprocess.Shell
	script  inprocess.Script
	refused string // why the script cannot run here
}

// shellOf finds the script in a command for PowerShell, which [Bash] returns if there is no bash.
func shellOf(c *Command, w *Warm, _ job) (s *shellScript, note string) {
	if HasBash() {
		return nil, "Git's bash is installed, and runs the script"
	}
	text, ok := posixScript(c.Argv)
	if !ok || w.Tools == nil {
		return nil, noScript
	}
	if name := converted.FindStringSubmatch(text); name != nil {
		return &shellScript{refused: "$" + name[1] + " has another value in bash than in this process"}, ""
	}
	script, err := w.Tools.Compile(text)
	if err != nil {
		return &shellScript{refused: err.Error()}, ""
	}
	return &shellScript{tools: w.Tools, script: script}, ""
}

// converted matches a use of a variable that Git's bash sets, or whose value it converts.
var converted = lazyregexp.New(`\$\{?[#!]?(HOME|PATH|SHELL|TEMP|TMP|TMPDIR|COMSPEC|SYSTEMROOT|WINDIR|PROGRAMFILES)\b`)

// posixScript returns the script that a command line of [Bash] or [Shell] hands to PowerShell. A script that was
// written for [PowerShell] is not returned: in a shell its words would have other meanings.
func posixScript(argv []string) (script string, ok bool) {
	if len(argv) < 3 || argv[len(argv)-2] != "-Command" {
		return "", false
	}
	script, ok = strings.CutSuffix(argv[len(argv)-1], powershellStatus)
	script, forBash := strings.CutSuffix(script, withoutBash)
	return script, ok && (forBash || argv[len(argv)-3] == "-NoProfile") // [Shell] passes no option except -NoProfile
}

// kind returns the name of the shell for which the script was written.
func (s *shellScript) kind() string { return "bash" }

// alone reports that no other shell runs a script that this process cannot run.
func (s *shellScript) alone() bool { return true }

// lastLeft returns "": no shell runs a call.
func (s *shellScript) lastLeft() string { return "" }

// fails returns the reason why every call fails.
func (s *shellScript) fails() string { return s.refused }

// run runs a call. PowerShell never gets the script: words of a shell script have other meanings in PowerShell.
func (s *shellScript) run(_ *Warm, j job) (reply hook.Reply, ran bool, err error) {
	if s.script == nil {
		return reply, true, notPosix(s.refused)
	}
	if j.ask != nil {
		return reply, true, notPosix("it asks the user")
	}
	vars := map[string]string{}
	for _, entry := range j.env {
		if name, value, _ := strings.Cut(entry, "="); name != "" {
			vars[name] = value
		}
	}
	for name := range vars {
		if s.tools.Concerns(name) {
			return reply, true, notPosix("$" + name + " changes how a script runs")
		}
	}
	result, why, ok := s.script.Run(&inprocess.Call{Stdin: j.stdin, Env: vars, Dir: j.dir, Alone: true})
	if !ok {
		return reply, true, notPosix(why)
	}
	return hook.Reply{Exit: result.Exit, Stdout: result.Stdout, Stderr: result.Stderr}, true, nil
}

// notPosix returns the error for a script that did not run.
func notPosix(why string) error {
	return &hook.ClassError{Class: hook.ClassSpawn, Err: fmt.Errorf(
		"bash is not installed, and the shell in this process cannot run the script: %s; install Git for Windows", why)}
}
