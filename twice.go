package snaphook

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// warnTwice reports a problem for each settings file whose hooks run in several dialects. This happens because Cursor
// and Copilot also read the files of Claude Code.
func (s *Session) warnTwice() {
	dialects := map[string][]string{} // by file
	for _, h := range s.ses.Hooks() {
		if file := h.Position.File; h.Skip == "" && file != "" && !slices.Contains(dialects[file], h.Dialect) {
			dialects[file] = append(dialects[file], h.Dialect)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(dialects)) {
		if len(dialects[file]) < 2 {
			continue
		}
		p := settings.Problem{Position: hook.Position{File: file}, Message: fmt.Sprintf(
			"the hooks of this file run more than once, in %s: set Alone in the Settings of each dialect that only imports the file",
			strings.Join(dialects[file], ", "))}
		s.problems = append(s.problems, p)
		s.hooks.log.Warn("hooks run more than once", slog.String("session", s.cfg.ID), slog.String("problem", p.String()))
	}
}
