// Package policy reads the demands of an operator on hooks, beyond the settings files of the hook
// systems, and decides which of them apply to a hook: the action when it fails, whether its answer
// counts, how long it may run and wait.
//
//	{"hooks": [{"match": {"command": "*guard.sh"}, "onFailure": "closed", "timeout": "5s"}]}
//
// An [Overlay] is one file, .snaphook.json, or its equivalent in Go; each [Rule] matches hooks by name,
// command, event or source. Overlays have three levels, of which a higher one can lock members:
// machine, user and project. A [Source] finds them, and its Load returns a [Set]. [Set.Apply] computes the
// [hook.Policy] of one hook. Programs set Policy in the configuration of package snaphook or pipeline
// and need none of these functions.
//
// Each mistake in a file is a [settings.Problem] with line and column, and makes the whole set unusable.
// A Set may be used from many goroutines at once.
package policy
