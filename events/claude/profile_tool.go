package claude

import (
	"cmp"
	"strings"

	"github.com/snaphook-go/snaphook/pipeline"
)

// toolWords are a system's words for a tool.
type toolWords struct {
	name string            // "": that of Claude Code
	args map[string]string // by the names in Claude Code; one that is missing has the same name
}

// ProfileOf returns the profile that counts in a session.
func ProfileOf(s *pipeline.Session) Profile {
	if r, ok := s.Setting(readingKey{}).(*reading); ok && r.profile != nil {
		return r.profile.name
	}
	return ClaudeCode
}

// Tool returns the name that a tool of Claude Code, such as Bash or mcp__server__tool, has in the system
// of the profile. Where the system has no word of its own it is the same.
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

// Argument returns the name that an argument of a tool, both by their names in Claude Code, has in the
// system of the profile.
func (p Profile) Argument(tool, name string) string {
	facts, err := profileNamed(p)
	if err != nil || facts == nil {
		return name
	}
	return cmp.Or(facts.tools[tool].args[name], name)
}
