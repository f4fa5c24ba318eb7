// Package xcsh is the hook system of xcsh and pi. Hooks run inside the host. They are modules, whose factory subscribes
// handlers to 25 events, each with its own rule for conflicts and for errors (docs/spec/xcsh.md).
//
// [Modules] holds the modules of a session. A [Factory] is a module in Go; a [ModuleLoader] loads modules in other
// languages. A host fires the events, wraps its tools with [WrapTool], and passes its functions in a [Host].
//
//	m := xcsh.New(ses, xcsh.Config{})
//	m.Add("gate", func(api *xcsh.API) error {
//		xcsh.ToolCall.On(api, guard) // a func(context.Context, *ToolCallEvent, *HookContext) (*ToolCallResult, error)
//		return nil
//	})
//
// Handlers run one after another on the goroutine of the fire: in the order of modules, and for each module in the
// order of registration. They have no time limit; ctx is the caller's. The host may fire from several goroutines in
// parallel; a handler can then run twice at once.
package xcsh

import (
	"time"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the hook runtime, which docs/spec/xcsh.md describes; Extensions is the extension
// runtime, with other rules for three of the events. [Config] selects the runtime.
var (
	Dialect    = dialect("xcsh")
	Extensions = dialect("xcsh-extension")
)

func dialect(name string) *pipeline.Dialect {
	return &pipeline.Dialect{
		Name:      name,
		Unit:      time.Millisecond,
		Rules:     pipeline.Rules{Sequential: true, Unstoppable: true, Live: true, Timeout: -1},
		Base:      base,
		BaseNames: []string{"session_id", "transcript_path", "cwd", "type"},
	}
}

// base appends the member that every event has.
func base(dst []byte, event string, _ time.Time) []byte {
	return append(append(dst, `,"type":`...), wire.Quote(event)...)
}
