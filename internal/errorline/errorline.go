// Package errorline finds the line that names the error in the standard error of a failed program.
package errorline

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// Of returns the line of stderr that names the error, without white space around it: the exception below a traceback of
// Python, the error below a source line and its carets as Node, Bun and Python print it, or the message of a panic of
// Rust. For any other text it returns the first line that is not a warning of a runtime, or the first line if all are
// warnings. It returns "" if stderr is white space. It takes time in proportion to the length of stderr.
func Of(stderr string) string {
	lines := strings.Split(stderr, "\n")
	for _, find := range []func([]string) string{exception, belowCarets, belowPlace, panicMessage, firstOf} {
		if line := strings.TrimSpace(find(lines)); line != "" {
			return line
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	return strings.TrimSpace(line)
}

const tracebackHead = "Traceback (most recent call last):"

// exception returns the line below the frames of the last traceback: the first line that is
// indented no deeper than the head of the traceback. It skips the tracebacks inside an exception
// group, which have a "|" in their margin.
func exception(lines []string) string {
	for head := len(lines) - 1; head >= 0; head-- {
		if !strings.Contains(lines[head], tracebackHead) {
			continue
		}
		column := marginOf(lines[head])
		if strings.Contains(lines[head][:column], "|") {
			continue
		}
		if text := lines[head][column:]; !strings.HasPrefix(text, "Traceback") && !strings.HasPrefix(text, "Exception Group") {
			column = 0 // the head is the end of a log line, and the frames below it have no margin
		}
		for _, line := range lines[head+1:] {
			if strings.TrimSpace(line) != "" && marginOf(line) <= column {
				return line[marginOf(line):]
			}
		}
		return ""
	}
	return ""
}

// marginOf returns the number of bytes before the text of a line; exception groups draw lines there.
func marginOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t|+-")) }

// carets matches the line that marks a place in the source line above it.
var carets = lazyregexp.New(`^\s*[~^]*\^[~^]*\s*$`)

// belowCarets returns the first line with text below the first line of carets.
func belowCarets(lines []string) string {
	for i, line := range lines {
		if !strings.ContainsRune(line, '^') || !carets.MatchString(line) {
			continue
		}
		for _, below := range lines[i+1:] {
			if strings.TrimSpace(below) != "" {
				return below
			}
		}
		return ""
	}
	return ""
}

var (
	place      = lazyregexp.New(`^(node:|file:|/|[A-Za-z]:\\|<|\[)\S*:\d+\s*$`)
	namedError = lazyregexp.New(`^(Uncaught )?([A-Z]\w*)?(Error|Exception)\b`)
)

// belowPlace returns the first line that begins with the name of an error, if the text begins with a position
// in a script: Node prints no carets below text that is not JavaScript, such as JSON.
func belowPlace(lines []string) string {
	if !place.MatchString(firstOf(lines)) {
		return ""
	}
	for _, line := range lines {
		if namedError.MatchString(line) {
			return line
		}
	}
	return ""
}

// panicMessage returns the line below the position of a panic of Rust.
func panicMessage(lines []string) string {
	for i, line := range lines[:len(lines)-1] {
		if strings.HasPrefix(line, "thread '") && strings.Contains(line, " panicked at ") && strings.HasSuffix(strings.TrimSpace(line), ":") {
			return lines[i+1]
		}
	}
	return ""
}

// warning matches lines that a runtime or a shell prints before a program runs: they do not explain its
// failure.
var warning = lazyregexp.New(`^(\(node:\d+\) |\(Use .node --trace-|Warning: |warning: |(ba)?sh: warning: |WARNING: |WARN |npm warn |npm WARN |# \S+$)`)

// firstOf returns the first line that is not a warning.
func firstOf(lines []string) string {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" && !warning.MatchString(line) {
			return line
		}
	}
	return ""
}
