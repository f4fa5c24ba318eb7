// Package faults tests that command hooks cannot hang, leak or fool the engine. It contains only tests. Most run real
// processes as hooks that misbehave in one way, and then check four things: the outcome is the documented one; the
// failure is visible in the report, the log and [pipeline.System.FailedOpen]; the engine continues normally; and no
// process, zombie, descriptor or goroutine is left.
//
// All tests need Linux, whose /proc lists processes and descriptors. With SNAPHOOK_SOAK=20000 TestASoakEndsAsItBegan
// fires 20000 events instead of a few hundred.
//
// [pipeline.System.FailedOpen]: https://pkg.go.dev/github.com/snaphook-go/snaphook/pipeline#System.FailedOpen
package faults
