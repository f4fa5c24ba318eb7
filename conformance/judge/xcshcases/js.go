package xcshcases

import (
	_ "embed" // the module's text
	"strings"
)

//go:embed module.js
var module string

// GenerateJS returns the text of an ECMAScript module that does what a hook is
// described to do. What it did, it tells by pi.logger.debug, in lines that begin
// with "xcsh-trace ": the log of the modules has to pass them on as they are.
// It needs setTimeout for handlers with a delay, and nothing else of its host.
func GenerateJS(h Hook) string {
	return strings.Replace(module, "__HOOK__", string(toJSON(h)), 1)
}
