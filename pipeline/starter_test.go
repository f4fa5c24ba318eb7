package pipeline_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
	"github.com/snaphook-go/snaphook/pipeline"
)

// kept is a command. If starts is set, each call starts a process; otherwise the process already runs.
type kept struct {
	runner
	starts bool
}

func (k kept) StartsProcess() bool { return k.starts }

type wrapped struct{ hook.Runner }

func (w wrapped) Unwrap() hook.Runner { return w.Runner }

// Commands wait for each other only if they start processes. The engine assumes that each new process needs a whole
// processor, because it does not know the actual share.
func TestCommandsThatStartNoProcessDoNotWait(t *testing.T) {
	if !processor.Known {
		t.Skip("commands wait on Linux alone")
	}
	fires := 4 * runtime.GOMAXPROCS(0)
	for name, tt := range map[string]struct {
		starts bool
		least  time.Duration
	}{
		"they start processes": {true, 2 * time.Millisecond},
		"they start none":      {false, time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := kept{func(context.Context, hook.Call) (hook.Reply, error) {
				time.Sleep(time.Millisecond)
				return hook.Reply{}, nil
			}, tt.starts}
			h := configured("Call", "a", nil)
			h.Runner = wrapped{r}
			_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}})
			began := time.Now()
			var all sync.WaitGroup
			for range fires {
				all.Go(func() { fire(t, event, s, call{}) })
			}
			all.Wait()
			if took := time.Since(began); took != tt.least {
				t.Errorf("%s: %d fires took %v, want %v", name, fires, took, tt.least)
			}
		})
	}
}
