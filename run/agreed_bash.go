//go:build unix

package run

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// bashText rewrites a bash script so that bash -c, with the script as its argument, does the same as bash with the
// file. In a file BASH_SOURCE[0] equals $0; in an argument it is empty, and a script that only works where both are
// equal would do nothing. ok is false for a script that reads more about its callers.
func bashText(script string) (text string, ok bool) {
	if !strings.Contains(script, "BASH_SOURCE") {
		return script, !asksMore(script)
	}
	file, err := bash.Parse(script)
	if err != nil {
		return "", false
	}
	var found []span
	for node := range bash.Nodes(file) {
		if v, is := node.(*syntax.ParamExp); is && v.Param != nil && v.Param.Value == "BASH_SOURCE" && isFirst(v.Index) {
			at := int(v.Param.Pos().Offset())
			found = append(found, span{at, end(script, at)})
		}
	}
	slices.SortFunc(found, func(a, b span) int { return a.start - b.start })
	var out strings.Builder
	done := 0
	for _, at := range found {
		if at.start < done || !strings.HasPrefix(script[at.start:], "BASH_SOURCE") {
			return "", false
		}
		out.WriteString(script[done:at.start] + "0")
		done = at.end
	}
	out.WriteString(script[done:])
	text = out.String()
	return text, !asksMore(text)
}

// asksMore reports whether a script may read values other than BASH_SOURCE[0] that bash sets only for files.
func asksMore(script string) bool {
	for _, word := range [...]string{
		"BASH_SOURCE", "FUNCNAME", "BASH_LINENO", "BASH_ARG", "BASH_EXECUTION_STRING", "caller", "$-", "${-",
	} {
		if strings.Contains(script, word) {
			return true
		}
	}
	return false
}

// isFirst reports whether an index selects the first element.
func isFirst(index syntax.ArithmExpr) bool {
	if index == nil {
		return true
	}
	word, ok := index.(*syntax.Word)
	return ok && word.Lit() == "0"
}

// end returns the offset after BASH_SOURCE and its index.
func end(script string, start int) int {
	at := min(start+len("BASH_SOURCE"), len(script))
	if strings.HasPrefix(script[at:], "[0]") && start > 1 && script[start-1] == '{' {
		return at + len("[0]")
	}
	return at
}
