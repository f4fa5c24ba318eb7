package claude

// Traits holds facts about an event that its declaration lacks, for tools that explain it.
type Traits struct {
	Types []string // the types of hooks that it runs: command, http, mcp_tool, prompt, agent

	// ReasonFor names the reader of the text of a hook that exited with status 2: "model", "user", or "" if it is only
	// logged.
	ReasonFor string
}

// About returns the traits of an event by its name, such as PreToolUse; ok is false if there is no such event.
func About(event string) (about Traits, ok bool) {
	t := table[event]
	if t == nil {
		return about, false
	}
	about.Types = t.kinds.names()
	about.ReasonFor = map[audience]string{model: "model", user: "user"}[t.reason]
	return about, true
}
