package lint

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// dispatches reports whether a script acts by the event or by its arguments, and perhaps refuses only for other hooks:
// either a hook in the foreground calls the script with other arguments or at another event, or the script contains
// none of this hook's arguments.
func dispatches(v *hookView, s *hookScript) bool {
	args, ok := v.argumentsOf(s)
	byEvent := mentionsWord(s, "hook_event_name")
	if !ok || !byEvent && (len(args) == 0 || !readsArguments(s)) {
		return false
	}
	for _, other := range v.views[:min(len(v.views), maxFound)] {
		if theirs, ok := other.argumentsOf(s); ok && other.h.Background == hook.Foreground &&
			(!slices.Equal(args, theirs) || byEvent && other.h.Event != v.h.Event) {
			return true
		}
	}
	if len(args) == 0 {
		return false
	}
	return !slices.ContainsFunc(args, func(arg string) bool { return bytes.Contains(s.text, []byte(arg)) })
}

// dispatchesByEvent reports whether a script acts by the event or by its arguments.
func dispatchesByEvent(s *hookScript) bool {
	return readsArguments(s) || mentionsWord(s, "hook_event_name") || mentionsWord(s, "hookEventName")
}

func mentionsWord(s *hookScript, word string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).Match(s.text)
}

// arguments matches code that reads the arguments of a program.
var arguments = lazyregexp.New(`\bargv\b|\bargparse\b|\bparseArgs\b|\$[1-9@*]|\$\{[1-9@*]`)

func readsArguments(s *hookScript) bool { return arguments.Match(s.text) }

// hasArguments reports whether a script gets arguments, or may get them.
func hasArguments(v *hookView, s *hookScript) bool {
	for _, c := range v.calls {
		if c.file() != s.path {
			continue
		}
		rest := len(c.words) - 1
		if _, _, args, ok := c.interpreted(); ok {
			rest = len(args)
		}
		if rest > 0 {
			return true
		}
	}
	return false
}
