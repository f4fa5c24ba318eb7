package jsrun

import (
	"strconv"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// UnavailableError reports that JavaScript used a global that modules lack, but other runtimes have, such as Node.js or
// browsers.
type UnavailableError struct {
	Name  string // such as "fetch" or "process.env"
	Place string // file, line and column, such as "gate.ts:3:12"; may be empty
	Err   *Error // the engine's exception
}

// Error names the position, the global, and the replacement.
func (e *UnavailableError) Error() string {
	if e.Place == "" {
		return e.Reason()
	}
	return e.Place + ": " + e.Reason()
}

// Reason returns the error without the position.
func (e *UnavailableError) Reason() string {
	global, _, _ := strings.Cut(e.Name, ".")
	return e.Name + " is not available: " + foreign[global]
}

// Unwrap returns the engine's exception, as the module could catch it.
func (e *UnavailableError) Unwrap() error { return e.Err }

// orInNode ends messages about causes that do not exist in Node or Bun.
const orInNode = "; or run the module in Node or Bun, with --js node or the Loader's Runtime"

const (
	noRuntime = "a module runs in an engine of its own, without Node.js, Bun or Deno; use what the host's API object offers, such as exec" + orInNode
	noNetwork = "a module has no network of its own; use what the host's API object offers, such as exec" + orInNode
)

// foreign maps the globals that authors expect to the advice for each.
var foreign = map[string]string{
	"process": "a module has no environment, unless its host grants it, and no arguments or processes of its own; use what the host's API object and its context offer, such as exec and cwd" + orInNode,
	"Buffer":  "use Uint8Array with TextEncoder and TextDecoder, and atob and btoa for base64",
	"Intl":    "the engine knows no languages but that of JavaScript itself",
	"require": "write import, which finds files by a relative path",
	"global":  "write globalThis",
	"Bun":     noRuntime, "Deno": noRuntime, "Worker": noRuntime,
	"fetch": noNetwork, "WebSocket": noNetwork, "XMLHttpRequest": noNetwork, "EventSource": noNetwork,
	"Request": noNetwork, "Response": noNetwork, "Headers": noNetwork,
}

// notDefined matches the engine's message for an undefined name.
var notDefined = lazyregexp.New(`^'?(([\w$]+)(?:\.[\w$]+)*)'? is not defined$`)

// explained rewrites an exception whose message hides the cause: a called value that is not a function, or a missing
// global.
func (b *bundle) explained(e *Error, stack string) error {
	switch e.Name {
	case "TypeError":
		if callee := b.callee(stack); e.Message == "not a function" && callee != "" {
			e.Message = callee + " is not a function"
		}
	case "ReferenceError":
		m := notDefined.FindStringSubmatch(e.Message)
		if m == nil {
			break
		}
		e.Message = m[1] + " is not defined"
		if foreign[m[2]] != "" {
			return &UnavailableError{Name: m[1], Place: e.position(), Err: e}
		}
	}
	return e
}

// position returns the position of the error, if the first line of its stack has one.
func (e *Error) position() string {
	line, _, _ := strings.Cut(e.Stack, "\n")
	if m := frame.FindStringSubmatch(line); m != nil {
		return m[1] + ":" + m[2] + ":" + m[3]
	}
	return ""
}

// called matches a name with its members at the end of a text.
var called = lazyregexp.New(`[A-Za-z_$][\w$]*(?:\??\.#?[A-Za-z_$][\w$]*)*$`)

// callee returns the expression that is called in the first line of the engine's stack. The position in that line is
// the parenthesis before the arguments. Empty means unknown.
func (b *bundle) callee(stack string) string {
	line, _, _ := strings.Cut(stack, "\n")
	m := frame.FindStringSubmatch(line)
	if m == nil || m[1] != b.name {
		return ""
	}
	row, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	lines := strings.Split(b.code, "\n")
	if row < 1 || row > len(lines) {
		return ""
	}
	text := []rune(lines[row-1])
	if column < 1 || column > len(text) || text[column-1] != '(' {
		return ""
	}
	name := called.FindString(string(text[:column-1]))
	if name == "TypeError" { // the module created the error itself
		return ""
	}
	return name
}
