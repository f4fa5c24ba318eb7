// Package faults proves that command hooks cannot hang, leak or fool the
// engine. It has tests alone: each makes real processes misbehave in one way,
// lets the whole engine run them as hooks, and then asks for four things: the
// outcome that the hook system documents, a failure that can be seen (the
// report, the log, [pipeline.System.FailedOpen]), an engine that goes on as if
// nothing had happened, and nothing that stays: no process, no zombie, no
// descriptor, no goroutine.
//
// Most of it needs Linux, whose /proc tells what is left. SNAPHOOK_SOAK=20000
// makes the last test fire so many events instead of a few hundred.
//
// [pipeline.System.FailedOpen]: https://pkg.go.dev/github.com/snaphook-go/snaphook/pipeline#System.FailedOpen
package faults
