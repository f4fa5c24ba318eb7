package claude

import (
	"cmp"
	"strings"

	"github.com/snaphook-go/snaphook/pipeline"
)

// toolWords holds a system's words for a tool.
type toolWords struct {
	name string            // "": the same as in Claude Code
	args map[string]string // maps Claude Code's names of arguments to the system's; missing: the same name
}

// ProfileOf returns the profile of a session.
func ProfileOf(s *pipeline.Session) Profile {
	if r, ok := s.Setting(readingKey{}).(*reading); ok && r.profile != nil {
		return r.profile.name
	}
	return ClaudeCode
}

// Tool returns the profile's name of a tool of Claude Code, such as Bash or mcp__server__tool. If the profile has no
// name for it, Tool returns Claude Code's name.
func (p Profile) Tool(name string) string {
	facts, err := profileNamed(p)
	if err != nil || facts == nil {
		return name
	}
	if server, isMCP := strings.CutPrefix(name, "mcp__"); isMCP && facts.bare {
		return server
	}
	return cmp.Or(facts.tools[name].name, name)
}

// Argument returns the profile's name of an argument of a tool. Both are given by their names in Claude Code.
func (p Profile) Argument(tool, name string) string {
	facts, err := profileNamed(p)
	if err != nil || facts == nil {
		return name
	}
	return cmp.Or(facts.tools[tool].args[name], name)
}
