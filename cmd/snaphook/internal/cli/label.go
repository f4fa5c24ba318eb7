package cli

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// MaxLabel limits the length of a command in lists, in characters.
const MaxLabel = 72

// projectDir matches the variable of the project's directory before a path, with the quotes around the
// variable or around the path.
var projectDir = lazyregexp.New(`"\$\{?(?:CLAUDE|GEMINI|LLXPRT)_PROJECT_DIR\}?"/([\w./-]+)` +
	`|"\$\{?(?:CLAUDE|GEMINI|LLXPRT)_PROJECT_DIR\}?/([\w./-]+)"` +
	`|\$\{?(?:CLAUDE|GEMINI|LLXPRT)_PROJECT_DIR\}?/([\w./-]+)`)

// Label returns a command in the form that lists show: its first line, with the paths of the project's files relative
// to the project. It cuts the middle out of a line of more than most characters.
func Label(command string, most int) string {
	line, _, more := strings.Cut(strings.TrimSpace(command), "\n")
	line = projectDir.ReplaceAllString(line, "$1$2$3")
	if more {
		line += "…"
	}
	return CutMiddle(OneLine(line), most)
}

// CutMiddle replaces the middle of a text that is longer than limit characters by an ellipsis: a command often begins
// with the name of a program, and ends with the name of a file.
func CutMiddle(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	head := (limit - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-1-head):])
}

// SkipText returns the reason why a hook did not run: the kind and its detail, or only the detail if the detail begins
// with the kind.
func SkipText(kind, detail string) string {
	switch {
	case detail == "":
		return kind
	case strings.HasPrefix(detail, kind):
		return detail
	}
	return kind + ": " + detail
}
