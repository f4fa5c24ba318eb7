package xcshcases

import (
	_ "embed" // the module's text
	"strings"
)

//go:embed module.js
var module string

// GenerateJS returns the text of an ECMAScript module with the actions of a hook. It records them
// by pi.logger.debug, in lines that begin with "xcsh-trace ": the log of the modules has to pass
// them on unchanged. Of its host it needs setTimeout, for handlers with a delay, and nothing
// else.
func GenerateJS(h Hook) string {
	return strings.Replace(module, "__HOOK__", string(toJSON(h)), 1)
}
