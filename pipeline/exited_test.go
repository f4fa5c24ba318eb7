package pipeline_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// A hook in Go that ends its goroutine, as t.FailNow does in a test's hook, has failed: the fire
// goes on, and the hook's report has the error.
func TestAHookThatEndsItsGoroutineHasFailed(t *testing.T) {
	exits := func(context.Context, call) (hook.Output[edit], error) { runtime.Goexit(); panic("unreachable") }
	for name, others := range map[string][]*hook.Hook{
		"among functions":  nil,
		"beside a command": {configured("Call", "h", func(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, nil })},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(others...)}})
			left := make(chan struct{})
			event.On(s, "waits", func(ctx context.Context, _ call) (hook.Output[edit], error) {
				<-left
				return hook.Output[edit]{}, nil
			})
			event.On(s, "exits", func(ctx context.Context, in call) (hook.Output[edit], error) {
				defer close(left)
				return exits(ctx, in)
			})
			done := make(chan *hook.Result[edit], 1)
			go func() {
				defer close(done)
				res, err := event.Fire(context.Background(), s, &call{Tool: "write"})
				if err != nil {
					t.Error(err)
				}
				done <- res
			}()
			select {
			case res := <-done:
				if res == nil {
					t.Fatal("the fire has ended without a result")
				}
				failed := 0
				for _, r := range res.Reports {
					if r.Hook.Name == "exits" && r.Err != nil && hook.ClassOf(r.Err) == hook.ClassCrash {
						failed++
					}
				}
				if failed != 1 || res.FailedOpen() != 1 || len(res.Reports) != 2+len(others) {
					t.Errorf("%d reports: %+v; want one that says it", len(res.Reports), res.Reports)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the fire hangs")
			}
		})
	}
}
