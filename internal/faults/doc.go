// Package faults tests that command hooks cannot hang, leak or fool the engine. It contains only tests: each
// runs real processes as hooks that misbehave in one way, and then checks four things: the outcome is the
// documented one; the failure is visible in the report, the log and [pipeline.System.FailedOpen]; the engine
// continues normally; and no process, zombie, descriptor or goroutine is left.
//
// Most tests need Linux, whose /proc lists processes and descriptors. With SNAPHOOK_SOAK=20000 the last test
// fires 20000 events instead of a few hundred.
//
// [pipeline.System.FailedOpen]: https://pkg.go.dev/github.com/snaphook-go/snaphook/pipeline#System.FailedOpen
package faults
