// Package run runs hooks that are processes. [Command] is a [hook.Runner]; package request has
// the runners that send a request to a server or call a tool, and package judge has the runners
// that ask a model or an agent.
//
// # Processes
//
// A [Command] starts a program, writes the input to its standard input, and reads its output:
//
//	r := &run.Command{Argv: run.Shell("./guard.sh --strict")}
//	reply, err := r.Run(ctx, hook.Call{Dir: dir, Payload: payload, Timeout: time.Minute})
//
// A program that fails is a Reply, with any exit status. An error means that there is no answer:
// the program could not be started, or its time was over.
//
// When the time is over, the whole process group gets SIGTERM, and SIGKILL after [Grace]. Run
// waits for the process and not for its pipes: a child in the background that holds standard
// output open delays nothing. Run keeps output up to [MaxStdout] and [MaxStderr], and reads and
// discards the rest; therefore no program blocks on a full pipe.
//
// [Shell] and [Bash] run a text in bash, [PowerShell] in PowerShell. [Direct] recognises texts that
// are one plain call of a program: these start without a shell, in less than half the time.
// [QuoteVars] makes variables safe that hold any characters.
//
// # Security
//
// A command is never built from a payload.
//
// # Concurrency and cost
//
// A Runner may be used from many goroutines. A process costs about a millisecond, most of it the
// system's; on Linux one goroutine watches both streams and the process. When Run returns, no
// process or goroutine that it started is left, except processes that a hook has deliberately put
// into the background.
package run
