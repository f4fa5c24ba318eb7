package run

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// Shell returns the Argv of a [Command] that runs script as the hook systems do: with bash, with /bin/sh on a machine
// without bash, and with PowerShell on Windows. It looks for bash in the engine's PATH, at most once a second. Argv[0]
// is the bare name "bash", which is the script's $0; the Command searches for it again.
func Shell(script string) []string {
	if runtime.GOOS == "windows" {
		return []string{"powershell.exe", "-NoProfile", "-Command", script + powershellStatus}
	}
	if programs.find(os.Getenv("PATH"), "bash", lookPath) == "" {
		return []string{"/bin/sh", "-c", script}
	}
	return []string{"bash", "-c", script}
}

// QuoteVars puts double quotes around each unquoted $NAME of a bash script, for the given names. A name is the text
// after the dollar: NAME, or {NAME}. The shell takes the value from its environment. The quotes make the value one
// word, whatever its characters: white space and patterns have no meaning in it, and the shell executes no part of it
// (L20).
//
// QuoteVars changes neither longer names nor other forms of a name. Quoted text, arithmetic and the text of a
// here-document stay as they are. A script that bash could not parse, or that [CheckScript] rejects, is returned
// unchanged.
func QuoteVars(script string, names ...string) string {
	if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(script, "$"+name) }) {
		return script
	}
	file, err := bash.Parse(script)
	if err != nil {
		return script
	}
	var quoted strings.Builder
	done := 0
	for _, at := range bareVars(file, script, names) {
		quoted.WriteString(script[done:at.start] + `"` + script[at.start:at.end] + `"`)
		done = at.end
	}
	quoted.WriteString(script[done:])
	if _, err := bash.Parse(quoted.String()); err != nil {
		return script
	}
	return quoted.String()
}

// CheckScript returns an error for a script that cannot be used: one of more than 128 KiB, with which no shell can be
// started, or with more than 8192 brackets, which a parser might not be able to follow.
func CheckScript(script string) error { return bounded.Shell(script) }

type span struct{ start, end int }

// bareVars returns the positions of the variables to quote, in the order of the script.
func bareVars(file *syntax.File, script string, names []string) (found []span) {
	visit := func(node syntax.Node, around bash.SyntaxContext) (bash.SyntaxContext, bool) {
		if word, ok := node.(*syntax.Word); ok && around.Bare {
			for _, part := range word.Parts {
				if at, ok := variable(part, script, names); ok && !(around.Backtick && escaped(script, at.start)) {
					found = append(found, at)
				}
			}
		}
		return around.Inside(node), true
	}
	bash.Walk(file, bash.SyntaxContext{Bare: true}, visit)
	slices.SortFunc(found, func(a, b span) int { return a.start - b.start })
	return found
}

// variable returns the position of a variable that is written as one of the names.
func variable(part syntax.WordPart, script string, names []string) (at span, ok bool) {
	v, ok := part.(*syntax.ParamExp)
	if !ok || v.Param == nil {
		return at, false
	}
	at = span{int(v.Pos().Offset()), int(v.End().Offset())}
	// A line continuation or an escape inside the name is not supported.
	ok = at.start >= 0 && at.start < at.end && at.end <= len(script) && script[at.start] == '$' &&
		slices.Contains(names, script[at.start+1:at.end])
	return at, ok
}

// escaped reports whether a backslash or a dollar before the variable could change the meaning of its dollar, or of the
// added quote, when the text is parsed again.
func escaped(script string, start int) bool {
	return start > 0 && (script[start-1] == '\\' || script[start-1] == '$')
}
