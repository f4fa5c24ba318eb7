// Package pipeline is the engine: it fires events, runs the hooks that are
// configured for them, and merges their answers.
//
//	Fire → plan → spawn (pool or fold) → run one hook → parse → reduce → conclude → Result
//
// fire.go has this flow from top to bottom. Each event is a typed pipeline, [Event]. Its plan stage feeds parallel
// hooks to a bounded pool of package conc, and sequential hooks to a fold. The fold applies each hook's output to the
// input of the next hook, by applyHookOutputToInput (Chain of [Spec]). The event's [hook.Reducer] merges the answers as
// they stream in. The stages themselves are in package stages: plan, spawn, parse, reduce.
//
// The fire calls the other parts in one line each: observers (observer.go), policies with
// breakers, retries and limits (policing.go, enforce.go), failures (failure.go), answers that
// are not understood (unread.go), the background (background.go), exported variables (vars.go),
// the payload (input.go), the log (log.go).
//
// # Types
//
// A [System] is the process: limits, hooks in Go for all sessions, the log. A
// [Session] is one conversation of an agent: an id, a directory whose settings
// count, and hooks of its own. A [Dialect] is one hook system, with the
// properties that its events have in common. An [Event] is declared from a
// [Spec], once, in a package variable:
//
//	var BeforeDeploy *pipeline.Event[Deploy, Vote] = pipeline.Declare(dialect, pipeline.Spec[Deploy, Vote]{
//		Name:    "BeforeDeploy",
//		Can:     pipeline.CanBlock,
//		Subject: func(d *Deploy) *string { return &d.Service },
//		Reduce:  quorum,
//	})
//
// The fields of a Spec are the arguments of the stages. Nothing in the engine
// asks for the name of an event or of a dialect.
//
// # One fire
//
//	res, err := BeforeDeploy.Fire(ctx, session, &Deploy{Service: "shop"})
//	if err != nil {
//		return err // ctx ended before the hooks did
//	}
//	if res.Blocked() {
//		return errors.New(res.Reason)
//	}
//
// Fire looks up the hooks that match the subject of the input, runs them at the
// same time or one after the other, reads their answers, and merges them in the
// order of the plan. A hook that fails is a report with an error and a line in
// the log, but not an error of Fire, except where the event's [Rules] propagate
// it. The rules also decide whether such a failure blocks.
//
// [Event.Stream] returns the reports one by one, [Event.On] adds a hook in Go,
// [Event.Active] reports at little cost whether any hook could run, and
// [Event.FireJSON] is for programs that have JSON and no types.
//
// # Settings
//
// A [Load] reads the hooks of a directory. It runs when the first session of the
// directory is made; later sessions share the result, and [System.Reload] reads
// all directories again. A fire that has begun keeps the hooks it began with.
//
// # Concurrency and cost
//
// All methods may be called from many goroutines. Fire without hooks costs a few
// nanoseconds and allocates nothing; [Config].Workers limits the processes that
// run at the same time, over all sessions. A session has no goroutine.
// [System.Close] ends all running hooks and returns when they have ended.
package pipeline
