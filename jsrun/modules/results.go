package modules

import (
	"slices"

	"github.com/snaphook-go/snaphook/events/xcsh"
)

// flags lists the boolean members of a handler's result; members lists all those that xcsh reads.
var (
	flags   = []string{"block", "cancel", "isError", "skipConversationRestore"}
	members = slices.Concat(flags, []string{
		"compaction", "content", "context", "details", "message", "messages", "preserveData", "prompt", "reason",
		"summary", "systemPrompt",
	})
)

// watched lists members of events, by the name of the event. If a handler changes one of them, its [xcsh.DynamicResult]
// reports the change.
var watched = func() map[string][]string {
	all := map[string][]string{}
	for _, e := range xcsh.Events() {
		if names := e.Watched(); len(names) > 0 {
			all[e.Name()] = names
		}
	}
	return all
}()
