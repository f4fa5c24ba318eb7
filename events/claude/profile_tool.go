package claude

import "github.com/snaphook-go/snaphook/pipeline"

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
