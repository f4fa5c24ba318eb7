package pipeline_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestAHookThatWouldPassItsCallersDeadlineDoesNotStart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how commands use processors")
	}
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		h := configured("Call", "h", runner(func(ctx context.Context, _ hook.Call) (hook.Reply, error) {
			runs.Add(1)
			time.Sleep(100 * time.Millisecond)
			return hook.Reply{}, ctx.Err()
		}))
		_, ses := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}, Workers: 1})
		fire(t, event, ses, call{Tool: "t"})
		go func() { _, _ = event.Fire(context.Background(), ses, &call{Tool: "t"}) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer cancel()
		res, err := event.Fire(ctx, ses, &call{Tool: "t"})
		if !errors.Is(err, context.DeadlineExceeded) || !res.Blocked() || runs.Load() != 2 {
			t.Errorf("%d runs, blocked %v, %v; want the third not to start, and to block", runs.Load(), res.Blocked(), err)
		}
	})
}
