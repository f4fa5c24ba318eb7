// Package stages implements the four stages of a fire, as generic functions over the types of
// package hook. The stages know nothing of events, sessions or settings; package pipeline passes them
// the fields of an event's Spec.
//
//	Plan     selects hooks by their matchers and drops duplicates     plan.go
//	Spawn    runs the planned hooks                                   spawn.go
//	           Parallel: on a bounded pool of package conc; a channel
//	           says which report is ready
//	           Fold: one after the other; each hook gets the output of
//	           the one before it (applyHookOutputToInput)
//	Parse    reads the Reply of a hook into its Output                parse.go
//	Reduce   puts answers in plan order and merges them, as they      reduce.go
//	         arrive, with the event's hook.Reducer
//
// Spawn yields reports as an iterator and Reduce consumes it: the stages of one fire run at the
// same time, and a Reducer that returns early cancels the hooks that still run.
package stages
