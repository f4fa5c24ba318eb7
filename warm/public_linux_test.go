package warm

import (
	"sync/atomic"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/publichooks"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
)

// Published scripts of bash and dash do the same in this process and in their shell.
func TestPublicHooksAreTheSame(t *testing.T) {
	needPrograms(t)
	publichooks.Same(t, publichooks.Keeper{Direct: run.Direct, Keep: func(
		t *testing.T, argv []string, environ func(hook.Call) []string, dir string,
	) (publichooks.Kept, string) {
		ran := new(atomic.Uint64)
		w := &run.Warm{Log: testkit.Quiet, Tools: counting{Tools(), ran}}
		t.Cleanup(w.Close)
		warm := &run.Command{Argv: argv, Environ: environ}
		note := warm.SetWarm(w, run.WarmBash, dir)
		return publichooks.Kept{Cold: &run.Command{Argv: argv, Environ: environ}, Warm: warm, Ran: ran.Load}, note
	}})
}
