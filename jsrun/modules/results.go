package modules

import "slices"

// flags are the members of results of handlers that are yes or no, and members are all that
// xcsh reads.
var (
	flags   = []string{"block", "cancel", "isError", "skipConversationRestore"}
	members = slices.Concat(flags, []string{
		"compaction", "content", "context", "details", "message", "messages", "preserveData", "prompt", "reason",
		"summary", "systemPrompt",
	})
)
