package lint

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
)

var ruleGateExit1 = Rule{
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
}

// gateExit looks for refusals with status 1.
func gateExit(v *hookView) {
	if !v.gates() || v.blocksAt(1) {
		return
	}
	for _, s := range v.scripts {
		switch s.lang {
		case langShell:
			v.shellExit(s)
		case langPython, langNode:
			v.codeExit(s)
		}
	}
}

// blocksAt reports whether an exit status refuses, or is a failure that refuses.
func (v *hookView) blocksAt(status int) bool {
	exits := v.event.Rules.Exits
	if v.h.Exits != nil {
		exits = v.h.Exits
	}
	effect := exits.Of(&hook.Reply{Exit: status})
	return effect != exits.Of(&hook.Reply{Exit: 97}) || v.h.FailClosed || v.event.Rules.FailClosed
}

// refusing lists texts with which a script refuses in JSON.
var refusing = []string{
	`permissionDecision`, `"decision"`, `'decision'`, `\"decision\"`, `decision:`, `"continue"`, `\"continue\"`,
	`continue: false`, `decision =`, `decision=`,
}

func answersJSON(text string) bool {
	for _, word := range refusing {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// shellExit looks for an exit 1 after a message on standard error, in a script
// that has no other way to refuse.
func (v *hookView) shellExit(s *hookScript) {
	if s.ast == nil || answersJSON(string(s.text)) {
		return
	}
	w := &exitWalker{warners: functionsThatWarn(s.ast), said: calledWith(s.ast)}
	w.list(s.ast.Stmts, false)
	if w.two || len(w.ones) == 0 {
		return
	}
	for _, call := range w.ones[:min(len(w.ones), maxFound)] {
		v.add(*v.report("gate-exit-1", s.pos(call.Pos()), "write exit 2",
			"only exit status 2 refuses %s; after status 1 it goes ahead, with a warning", v.where()))
		if s.inline {
			break
		}
	}
}

// exitWalker records how a script can end.
type exitWalker struct {
	two     bool               // the script can end with status 2, or with an unknown status
	ones    []*syntax.CallExpr // calls of exit 1 after a message, in a branch
	warners map[string]bool    // functions of the script that write to standard error
	said    map[string]string  // texts passed to the script's functions, by function name

	tools map[*syntax.Stmt]bool // cached results of looksForTools
}

// refuses reports whether a script's function is used to refuse, judged by its name or by the texts
// passed to it. Other functions, such as die and usage, report problems of the script.
func (w *exitWalker) refuses(function string) bool {
	return isVerdict(function) || isVerdict(w.said[function])
}

// list visits statements that run one after another; branch means that they run only in some cases.
func (w *exitWalker) list(stmts []*syntax.Stmt, branch bool) {
	warned, text := false, ""
	for _, s := range stmts {
		if said, ok := w.warns(s); ok {
			warned, text = true, joined(text, said)
		}
		w.stmt(s, branch, warned, text)
	}
}

// maxSaid limits the length of messages that are kept, in bytes.
const maxSaid = 4096

// joined joins two messages. If they have more than maxSaid bytes together, it returns only the second.
func joined(a, b string) string {
	if len(a)+len(b) > maxSaid {
		return b
	}
	return a + " " + b
}

func (w *exitWalker) stmt(s *syntax.Stmt, branch, warned bool, text string) {
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.exit(cmd, branch && warned && !isTrouble(text))
	case *syntax.Block:
		w.inner(cmd.Stmts, branch, warned, text)
	case *syntax.Subshell:
		w.inner(cmd.Stmts, branch, warned, text)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			w.stmt(cmd.X, branch, false, "")
			w.stmt(cmd.Y, branch, false, "")
			return
		}
		w.stmt(cmd.X, branch, warned, text)
		trouble := w.looksForTools(cmd.X)
		if said, ok := w.warns(cmd.X); ok {
			warned, text = true, joined(text, said)
		}
		w.stmt(cmd.Y, !trouble, warned, text)
	case *syntax.IfClause:
		for b := cmd; b != nil; b = b.Else {
			w.list(b.Cond, false)
			trouble := len(b.Cond) == 1 && w.looksForTools(b.Cond[0])
			w.list(b.Then, !trouble)
		}
	case *syntax.CaseClause:
		for _, item := range cmd.Items {
			w.list(item.Stmts, true)
		}
	case *syntax.WhileClause:
		w.list(cmd.Cond, false)
		w.list(cmd.Do, branch)
	case *syntax.ForClause:
		w.list(cmd.Do, branch)
	case *syntax.FuncDecl:
		if body, ok := cmd.Body.Cmd.(*syntax.Block); ok {
			w.list(body.Stmts, w.refuses(cmd.Name.Value))
		}
	}
}

func (w *exitWalker) inner(stmts []*syntax.Stmt, branch, warned bool, text string) {
	for _, s := range stmts {
		if said, ok := w.warns(s); ok {
			warned, text = true, joined(text, said)
		}
		w.stmt(s, branch, warned, text)
	}
}

func (w *exitWalker) exit(c *syntax.CallExpr, refuses bool) {
	switch n := name(c); {
	case n == "exit" && len(c.Args) == 2:
		status, ok := literal(c.Args[1])
		switch {
		case !ok || status == "2":
			w.two = true
		case status == "1" && refuses:
			w.ones = append(w.ones, c)
		}
	case n == "exec" && len(c.Args) > 1, n == "return" && len(c.Args) == 2:
		status, ok := literal(c.Args[len(c.Args)-1])
		w.two = w.two || !ok || status == "2" || n == "exec"
	}
}

// warns reports whether a statement writes to standard error, and returns the text.
func (w *exitWalker) warns(s *syntax.Stmt) (text string, ok bool) {
	if s == nil {
		return "", false
	}
	for _, r := range s.Redirs {
		if target, lit := literal(r.Word); lit && (r.Op == syntax.DplOut && target == "2" || target == "/dev/stderr") {
			ok = true
		}
	}
	c := callOf(s)
	if w.warners[name(c)] {
		ok = true
	}
	if ok {
		return wordsOf(s), true
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.Block:
		for _, inner := range cmd.Stmts {
			if said, yes := w.warns(inner); yes {
				return said, true
			}
		}
	case *syntax.BinaryCmd:
		return w.warns(cmd.Y)
	}
	return "", false
}

// functionsThatWarn returns the functions of a script that write to standard error.
func functionsThatWarn(file *syntax.File) map[string]bool {
	found := map[string]bool{}
	for _, s := range file.Stmts {
		f, ok := s.Cmd.(*syntax.FuncDecl)
		if !ok {
			continue
		}
		body, ok := f.Body.Cmd.(*syntax.Block)
		if !ok {
			continue
		}
		w := &exitWalker{}
		for _, inner := range body.Stmts {
			if _, warns := w.warns(inner); warns {
				found[f.Name.Value] = true
			}
		}
	}
	return found
}
