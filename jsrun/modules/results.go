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

	// changes are the members of events that count when a handler changes them in place. A change
	// of the input of a tool_call counts nowhere.
	changes = map[string][]string{"tool_result": {"content", "details"}, "context": {"messages"}}
)
