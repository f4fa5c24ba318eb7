package lint

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

var ruleStatusLost = Rule{
	ID: "status-lost", Severity: Warning, look: statusLost,
	Doc: "A command hides the exit status 2 with which its script refuses.",
	Why: "A pipe ends with the status of its last program, a list with the status of its last command, and `|| true` with 0: " +
		"the script refuses, and the action goes ahead.",
	Mistake: `{"type": "command", "command": "./guard.sh | tee -a guard.log"}`,
	Fix:     `{"type": "command", "command": "set -o pipefail; ./guard.sh | tee -a guard.log"}`,
}

// statusLost reports a command that calls a guard and ends with another status than the guard.
func statusLost(v *hookView) {
	if !v.gates() || len(v.scripts) == 0 || !v.scripts[0].inline || v.scripts[0].ast == nil || !v.refusesAt(2) {
		return
	}
	command := v.scripts[0]
	text := string(command.text)
	if strings.Contains(text, "$?") || strings.Contains(text, "PIPESTATUS") || endsWith2.MatchString(text) {
		return // the command itself handles the guard's status
	}
	g := &guards{hookView: v, scope: newScope(v.Dir, "", pluginRoot(v))}
	if lost, how := g.lost(command.ast.Stmts); lost != "" {
		v.add(*v.report("status-lost", v.at("command"), "let the command end with the script's status",
			"%s refuses with status 2, and the command %s, so %s goes ahead", lost, how, v.where()))
	}
}

// guards finds the calls of scripts that refuse with status 2.
type guards struct {
	*hookView
	scope *shellScope
}

// lost returns the script whose exit status the statements hide, and describes how they hide it.
func (g *guards) lost(stmts []*syntax.Stmt) (script, how string) {
	exits := strings.Contains(string(g.scripts[0].text), "set -e")
	for i, s := range stmts {
		if script, how = g.hidden(s); script != "" {
			return script, how
		}
		if script = g.guard(s); script != "" && i < len(stmts)-1 && !exits {
			return script, "goes on after the script and ends with the status of another program"
		}
	}
	return "", ""
}

// hidden does the same as lost, for one statement.
func (g *guards) hidden(s *syntax.Stmt) (script, how string) {
	if s.Background {
		return g.guard(s), "does not wait for the script"
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.Block:
		return g.lost(cmd.Stmts)
	case *syntax.Subshell:
		return g.lost(cmd.Stmts)
	case *syntax.BinaryCmd:
		switch cmd.Op {
		case syntax.Pipe, syntax.PipeAll:
			if script = g.guard(cmd.X); script != "" && !strings.Contains(string(g.scripts[0].text), "pipefail") {
				return script, "ends with the status of the last program of the pipe"
			}
		case syntax.OrStmt:
			if script = g.guard(cmd.X); script != "" && succeeds(cmd.Y) {
				return script, "replaces that status with ||"
			}
		}
		if script, how = g.hidden(cmd.X); script == "" {
			script, how = g.hidden(cmd.Y)
		}
	}
	return script, how
}

// succeeds reports whether a statement never ends with status 2.
func succeeds(s *syntax.Stmt) bool {
	call := callOf(s)
	switch name(call) {
	case "true", ":", "echo", "printf", "false":
		return true
	case "exit":
		status := ""
		if len(call.Args) == 2 {
			status, _ = literal(call.Args[1])
		}
		return status == "0" || status == "1"
	}
	return false
}

// guard returns the script that a statement runs last and that refuses with status 2. It returns "" if there is no such
// script, or if the script can also refuse in another way.
func (g *guards) guard(s *syntax.Stmt) string {
	switch cmd := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.OrStmt {
			return ""
		}
		return g.guard(cmd.Y)
	case *syntax.CallExpr:
		texts, known := g.scope.words(cmd.Args)
		if len(texts) == 0 {
			return ""
		}
		c := programCall{words: texts, known: known, dir: g.Dir}.unwrapped()
		if len(c.words) == 0 {
			return ""
		}
		found := g.linter.scripts[c.file()]
		if found != nil && slices.Contains(g.scripts, found) && endsWith2.Match(comment.ReplaceAllFunc(found.text, blank)) &&
			!answersJSON(string(found.text)) && !dispatches(g.hookView, found) {
			return cli.ShortPath(found.path)
		}
	}
	return ""
}
