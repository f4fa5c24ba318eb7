// Package hook declares the basic types of the engine: a hook, its input, its answer, its report,
// and the result of a fire. It depends only on the standard library.
//
// # One hook
//
// A [Hook] is one configured hook: its source, the inputs that it matches, and either a [Runner],
// for hooks outside the process, or a [Func], for hooks in Go. A Func takes the event's input and
// returns an [Output]:
//
//	func freeze(ctx context.Context, in Deploy) (hook.Output[Review], error) {
//		if in.Env == "production" {
//			return hook.Output[Review]{Decision: hook.Deny, Reason: "no deploys today"}, nil
//		}
//		return hook.Output[Review]{}, nil // no opinion
//	}
//
// The zero Output is silence: the action goes ahead unchanged. An error, a panic, or a timeout is
// the failure of this hook alone; the event's rules decide whether it blocks.
//
// A Runner returns a [Reply] in terms of a process, for every transport: an exit status and two
// streams. [Exits] maps each status to the way the Reply is read, and [Text] is the meaning of
// plain text where an answer was expected.
//
// # All hooks of a fire
//
// A [Result] is the outcome of the hooks of one fire: the merged Output, and a [Report] for each
// hook that was started. Three questions are different:
//
//   - [Result.Blocked] is policy: may the action go ahead?
//   - [Result.OK] is health: did every hook work?
//   - [Result.FailedOpen] counts the hooks that failed while the action went ahead. A host that
//     must not go on without its guards checks this number.
//
// A [Reducer] merges the answers. It is a loop over an iterator, which yields them in the order of
// the plan and never in the order in which hooks end: the same hooks return the same answer every
// time.
//
// # Errors
//
// The error of a report is an [Error], which names the hook, around its cause: [TimeoutError],
// [ExitError], [TooLargeError], [PanicError], or one of the variables such as [ErrClosed].
// [ClassOf] sorts them into a few classes, for policies and for metrics.
//
// # Concurrency and cost
//
// A Hook is shared by all fires and must not change once it is registered. Its Func, Runner,
// [Matcher] and [Condition] are called from many goroutines at once. The types are plain data,
// without locks and goroutines.
package hook
