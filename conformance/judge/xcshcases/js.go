package xcshcases

import (
	_ "embed" // the module's text
	"strings"
)

//go:embed module.js
var module string

// GenerateJS returns the text of an ECMAScript module with the actions of a hook. The module
// records them by pi.logger.debug, in lines that begin with "xcsh-trace ": the logger of the
// modules has to pass these on unchanged. From its host it needs only setTimeout, for handlers with
// a delay.
func GenerateJS(h Hook) string {
	return strings.Replace(module, "__HOOK__", string(toJSON(h)), 1)
}
