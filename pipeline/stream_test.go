package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// naps returns a hook that answers after a while, or ends a second after its context has ended.
func naps(d time.Duration, gone *atomic.Int64) runner {
	return func(ctx context.Context, c hook.Call) (hook.Reply, error) {
		defer gone.Add(1)
		select {
		case <-time.After(d):
			return hook.Reply{Stdout: []byte(`{"reason":"` + c.Hook.Command + `"}`)}, nil
		case <-ctx.Done():
			testkit.Sleep(time.Second)
			return hook.Reply{}, ctx.Err()
		}
	}
}

func three(gone *atomic.Int64) pipeline.Config {
	return pipeline.Config{Load: []pipeline.Load{loads(
		configured("Call", "slow", naps(3*time.Second, gone)), configured("Call", "quick", naps(time.Second, gone)), configured("Call", "middle", naps(2*time.Second, gone)),
	)}}
}

func TestAStreamGivesReportsAsHooksFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gone atomic.Int64
		_, s := start(t, three(&gone))
		stream := event.Stream(t.Context(), s, &call{Tool: "write"})
		for range 2 { // each iteration is a fire
			began, got, started := time.Now(), []string{}, map[string]bool{}
			for r := range stream {
				if r.Started {
					started[r.Hook.Command] = time.Since(began) == 0 && len(got) == 0 && r.Reply == nil
					continue
				}
				got = append(got, r.Output.Reason+" "+time.Since(began).String())
			}
			if words := strings.Join(got, ", "); words != "quick 1s, middle 2s, slow 3s" {
				t.Errorf("reports %s", words)
			}
			if !started["slow"] || !started["quick"] || !started["middle"] {
				t.Errorf("started %v; want all three before the first report", started)
			}
		}
	})
}

func TestAStreamThatIsLeftCancelsAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gone atomic.Int64
		sys, s := start(t, three(&gone))
		began := time.Now()
		for r := range event.Stream(t.Context(), s, &call{Tool: "write"}) {
			if r.Output.Reason == "quick" {
				break
			}
		}
		if gone.Load() != 3 || time.Since(began) != 2*time.Second || sys.FailedOpen() != 0 {
			t.Errorf("%d hooks have gone after %v, %d failed open; want 3 after 2s, none", gone.Load(), time.Since(began), sys.FailedOpen())
		}
	})
}

func TestAStreamHasACopyOfTheInput(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	event.On(s, "reader", func(_ context.Context, c call) (output, error) { return output{Reason: c.Tool}, nil })
	in := call{Tool: "write"}
	stream := event.Stream(t.Context(), s, &in)
	in.Tool = "changed"
	for r := range stream {
		if !r.Started && r.Output.Reason != "write" {
			t.Errorf("the hook saw %q", r.Output.Reason)
		}
	}
	for range guarded.Stream(t.Context(), s, &in) {
		t.Error("a report of an event without hooks")
	}
}

func TestCloseCancelsFiresAndWaitsForThem(t *testing.T) {
	for _, e := range []*pipeline.Event[call, edit]{event, chain, guarded} {
		synctest.Test(t, func(t *testing.T) {
			var gone atomic.Int64
			name := e.Info().Name
			sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured(name, "a", naps(time.Hour, &gone)), configured(name, "b", naps(time.Hour, &gone)))}})
			done := make(chan *hook.Result[edit], 1)
			go func() { done <- fireClosed(t, e, s) }()
			synctest.Wait()
			began := time.Now()
			if err := sys.Close(); err != nil || gone.Load() == 0 || time.Since(began) != time.Second {
				t.Errorf("%s: closed after %v, %d hooks gone, err %v", name, time.Since(began), gone.Load(), err)
			}
			res := <-done
			for _, r := range res.Reports {
				if !errors.Is(r.Err, hook.ErrClosed) {
					t.Errorf("%s: %v, want a closed system", name, r.Err)
				}
			}
			res = fireClosed(t, e, s)
			if len(res.Reports) == 0 || !errors.Is(res.Reports[0].Err, hook.ErrClosed) {
				t.Errorf("%s: a fire after Close has the reports %+v, decision %q", name, res.Reports, res.Decision)
			}
			if _, err := sys.NewSession(t.Context(), pipeline.SessionConfig{}); !errors.Is(err, hook.ErrClosed) {
				t.Errorf("%s: a session after Close: %v", name, err)
			}
			if err := sys.Close(); err != nil {
				t.Errorf("%s: closed again: %v", name, err)
			}
		})
	}
}
