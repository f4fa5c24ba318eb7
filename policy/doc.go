// Package policy reads overlays: rules that an operator sets for hooks, in addition to the settings files of the hook
// systems. It computes the rules for each hook: the action when it fails, whether its answer counts, and its time
// limits.
//
//	{"hooks": [{"match": {"command": "*guard.sh"}, "onFailure": "closed", "timeout": "5s"}]}
//
// An [Overlay] is one file, .snaphook.json, or its equivalent in Go. Each [Rule] matches hooks by name, command, event
// or source. Overlays have three levels: machine, user and project. A higher level can lock members. A [Source] finds
// overlays, and its Load returns a [Set]. [Set.Apply] computes the [hook.EffectivePolicy] of one hook. Programs set
// Policy in the configuration of package snaphook or pipeline, and do not need these functions.
//
// Each mistake in a file is a [settings.Problem] with line and column. It makes the whole set unusable, except for
// the misspelt names that [Set.Misspelt] finds. A Set may be used from many goroutines at once.
package policy
