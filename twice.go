package snaphook

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// readTwice returns a problem for each settings file whose hooks run in several dialects. This happens because Cursor
// and Copilot also read the files of Claude Code.
func readTwice(hooks []*hook.Hook) (problems []settings.Problem) {
	dialects := map[string][]string{} // by file
	for _, h := range hooks {
		if file := h.Position.File; h.Skip == "" && file != "" && !slices.Contains(dialects[file], h.Dialect) {
			dialects[file] = append(dialects[file], h.Dialect)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(dialects)) {
		if len(dialects[file]) < 2 {
			continue
		}
		problems = append(problems, settings.Problem{Position: hook.Position{File: file}, Message: fmt.Sprintf(
			"the hooks of this file run more than once, in %s: set Alone in the Settings of each dialect that only imports the file",
			strings.Join(dialects[file], ", "))})
	}
	return problems
}
