package lint

import "strings"

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
			shellExit(v, s)
		case langPython, langNode:
			codeExit(v, s)
		}
	}
}

// shellExit looks for an exit 1 after a message on standard error, in a script
// that has no other way to refuse.
func shellExit(v *hookView, s *hookScript) {
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

// codeExit looks for a refusal with status 1 in Python or JavaScript: an exit(1) after a message on
// standard error in the same block.
func codeExit(v *hookView, s *hookScript) {
	text := string(s.text)
	if answersJSON(text) || hasArguments(v, s) {
		return // a script that refuses in JSON, or a program with sub-commands, may end with 1 for other reasons
	}
	all := tokens(text, s.lang)
	var ones []codeToken
	for i := range all {
		status, ok := exitAt(all, i, s.lang)
		switch {
		case !ok:
		case status != "1" && status != "0":
			return // the status is neither 0 nor 1, or is known only at run time
		case status == "1" && len(ones) < maxFound && refusesAt(all, i, s.lang):
			ones = append(ones, all[i])
		}
	}
	for _, one := range ones[:min(len(ones), maxFound)] {
		v.add(*v.report("gate-exit-1", s.position(one.at), "end with status 2",
			"only exit status 2 refuses %s; after status 1 it goes ahead, with a warning", v.where()))
	}
}

// refusesAt reports whether the exit at i follows a message on standard error in its block, and the
// block does not handle an error.
func refusesAt(all []codeToken, i int, l lang) bool {
	start := lineOf(all, i)
	if all[start].indent <= 0 && l == langPython {
		return false // the exit is not in a branch
	}
	said, warned := "", false
	for line, lines := start, 0; line >= 0 && lines < 50; lines++ {
		text, warns := warnsIn(all, line, i)
		warned = warned || warns
		said = joined(said, text)
		before := lineOf(all, line-1)
		if line == 0 || before < 0 {
			return false
		}
		if all[before].indent < all[start].indent {
			return warned && !isTrouble(said) && !handles(all[before:line], l)
		}
		line = before
	}
	return false
}

// warnsIn reports whether tokens of a line write to standard error, and returns the text.
func warnsIn(all []codeToken, from, to int) (text string, warns bool) {
	var b strings.Builder
	for i := from; i < len(all) && (i == from || all[i].indent < 0) && i-from < 400; i++ {
		if all[i].str {
			b.WriteString(all[i].value() + " ")
		}
		if i <= to && (has(all, i, "sys", ".", "stderr") || has(all, i, "console", ".", "error") ||
			has(all, i, "console", ".", "warn") || has(all, i, "process", ".", "stderr")) {
			warns = true
		}
	}
	return b.String(), warns
}

// handles reports whether a line begins an error handler, or tests for the presence of something.
func handles(line []codeToken, l lang) bool {
	return mentions(line, "except", "catch", "exists", "existsSync", "which", "argv", "ImportError", "isatty", "isTTY") ||
		l == langNode && mentions(line, "err", "error")
}
