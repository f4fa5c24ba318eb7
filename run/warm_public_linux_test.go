package run

import (
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/publichooks"
)

// Published hooks of Python and Node do the same cold and warm.
func TestPublicHooksAreTheSame(t *testing.T) {
	need(t, "python3", "/usr/bin/python3")
	need(t, "node", "/usr/bin/node")
	publichooks.Same(t, publichooks.Keeper{Direct: Direct, Keep: func(
		t *testing.T, argv []string, environ func(hook.Call) []string, dir string,
	) (publichooks.Kept, string) {
		w := &Warm{Log: quietLog}
		t.Cleanup(w.Close)
		warm := &Command{Argv: argv, Environ: environ}
		note := warm.SetWarm(w, WarmAuto, dir)
		return publichooks.Kept{
			Cold: &Command{Argv: argv, Environ: environ}, Warm: warm,
			Ran: w.ran.Load, Next: func() { awaitNextChild(t, w) }, Idle: w.starts.Wait,
		}, note
	}})
}
