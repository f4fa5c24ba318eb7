package pipeline_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// The user gets one question at a time, from all hooks together.
func TestOneQuestionAtATimeIsPutToTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asking, most atomic.Int64
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(questioner("Call", "a"), questioner("Call", "b"), questioner("Chain", "c"))}}, pipeline.SessionConfig{
			MayAsk: func(*hook.Hook) bool { return true },
			Ask: func(_ context.Context, h *hook.Hook, q hook.Question) (string, bool) {
				most.Store(max(most.Load(), asking.Add(1)))
				time.Sleep(10 * time.Second)
				asking.Add(-1)
				return "key of " + h.Command + q.ID, true
			},
		})
		began := time.Now()
		var all sync.WaitGroup
		all.Go(func() {
			if res := fire(t, event, s, call{Tool: "write"}); res.Reason != "key of a1\nkey of b1" {
				t.Errorf("answers %q", res.Reason)
			}
		})
		all.Go(func() {
			if res := fire(t, chain, s, call{Tool: "write"}); res.Reason != "key of c1" {
				t.Errorf("answer %q", res.Reason)
			}
		})
		all.Wait()
		if most.Load() != 1 || time.Since(began) != 30*time.Second {
			t.Errorf("%d questions at the same time, all done after %v; want 1, 30s", most.Load(), time.Since(began))
		}
	})
}

// questioner returns a hook that answers with the user's answer as its reason.
func questioner(event, command string) *hook.Hook {
	return configured(event, command, func(ctx context.Context, c hook.Call) (hook.Reply, error) {
		key := "may not ask"
		if c.Ask != nil {
			var ok bool
			if key, ok = c.Ask(ctx, hook.Question{ID: "1", Message: "which?"}); !ok {
				key = "no answer"
			}
		}
		return hook.Reply{Stdout: []byte(`{"reason":"` + key + `"}`)}, nil
	})
}

func TestAQuestionThatWaitsEndsWithTheHookThatAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		impatient, patient := questioner("Call", "impatient"), questioner("Call", "patient")
		asks := impatient.Runner.(runner)
		impatient.Timeout, impatient.Runner = 5*time.Second, runner(func(ctx context.Context, c hook.Call) (hook.Reply, error) {
			time.Sleep(time.Second) // another question has been put to the user meanwhile
			return asks(ctx, c)
		})
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(impatient, patient)}}, pipeline.SessionConfig{
			MayAsk: func(*hook.Hook) bool { return true },
			Ask: func(_ context.Context, h *hook.Hook, _ hook.Question) (string, bool) {
				asked = append(asked, h.Command)
				time.Sleep(30 * time.Second)
				return h.Command, true
			},
		})
		began := time.Now()
		res := fire(t, event, s, call{Tool: "write"})
		if took := time.Since(began); res.Reason != "no answer\npatient" || took != 30*time.Second || res.Reports[0].Elapsed != 5*time.Second {
			t.Errorf("answers %q after %v and %v; want none from the first hook after 5s", res.Reason, res.Reports[0].Elapsed, took)
		}
		if len(asked) != 1 {
			t.Errorf("the user was asked by %q, want one question", asked)
		}
	})
}

func TestAHookAsksOnlyIfItMay(t *testing.T) {
	ask := func(context.Context, *hook.Hook, hook.Question) (string, bool) { return "yes", true }
	may := func(ok bool) func(*hook.Hook) bool { return func(*hook.Hook) bool { return ok } }
	for name, test := range map[string]struct {
		host pipeline.SessionConfig
		want string
	}{
		"no host":        {pipeline.SessionConfig{}, "may not ask"},
		"no user to ask": {pipeline.SessionConfig{Interactive: true, MayAsk: may(true)}, "may not ask"},
		"nothing allows": {pipeline.SessionConfig{Ask: ask}, "may not ask"},
		"it may not":     {pipeline.SessionConfig{Ask: ask, MayAsk: may(false)}, "may not ask"},
		"it may":         {pipeline.SessionConfig{Ask: ask, MayAsk: may(true)}, "yes"},
		"no answer":      {pipeline.SessionConfig{Ask: func(context.Context, *hook.Hook, hook.Question) (string, bool) { return "x", false }, MayAsk: may(true)}, "no answer"},
	} {
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(questioner("Call", "a"))}}, test.host)
		if res := fire(t, event, s, call{Tool: "write"}); res.Reason != test.want {
			t.Errorf("%s: the hook was told %q, want %q", name, res.Reason, test.want)
		}
	}
}
