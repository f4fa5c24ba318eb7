package lint

import "strings"

// codeExit looks for a refusal with status 1 in Python or JavaScript: an exit(1) after a message on
// standard error in the same block.
func (v *hookView) codeExit(s *hookScript) {
	text := string(s.text)
	if answersJSON(text) || v.hasArguments(s) {
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

// exitAt returns the status of a call that ends the program; "?" if it is not a number.
func exitAt(all []codeToken, i int, l lang) (status string, ok bool) {
	open := -1
	switch {
	case l == langPython && (has(all, i, "sys", ".", "exit", "(") || has(all, i, "os", ".", "_exit", "(")):
		open = i + 3
	case l == langPython && (has(all, i, "exit", "(") || has(all, i, "quit", "(") || has(all, i, "SystemExit", "(")):
		if i > 0 && (all[i-1].text == "." || all[i-1].text == "def") {
			return "", false
		}
		open = i + 1
	case l == langNode && has(all, i, "process", ".", "exit", "("):
		open = i + 3
	case l == langNode && has(all, i, "process", ".", "exitCode", "="):
		if i+4 < len(all) {
			return statusOf(all[i+4]), true
		}
	}
	if open < 0 || open+2 >= len(all) {
		return "", false
	}
	switch {
	case all[open+1].text == ")":
		return "0", true
	case all[open+2].text != ")":
		return "?", true
	}
	return statusOf(all[open+1]), true
}

func statusOf(t codeToken) string {
	if !t.str && t.text != "" && strings.Trim(t.text, "0123456789") == "" {
		return t.text
	}
	return "?"
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

// lineOf returns the first token of the line that contains token i.
func lineOf(all []codeToken, i int) int {
	for ; i >= 0; i-- {
		if all[i].indent >= 0 {
			return i
		}
	}
	return -1
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
