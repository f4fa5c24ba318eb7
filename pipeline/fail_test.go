package pipeline_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestAHookThatFailsCostsItsOwnAnswerOnly(t *testing.T) {
	broken := errors.New("broken")
	tests := map[string]struct {
		hook hook.Func[call, edit]
		want func(error) bool
	}{
		"a panic":           {func(context.Context, call) (output, error) { panic("oh") }, func(err error) bool { var p *hook.PanicError; return errors.As(err, &p) && p.Value == "oh" }},
		"a panic with nil":  {func(context.Context, call) (output, error) { panic(nil) }, func(err error) bool { var p *hook.PanicError; return errors.As(err, &p) }},
		"an error":          {func(context.Context, call) (output, error) { return output{Decision: hook.Deny}, broken }, func(err error) bool { return errors.Is(err, broken) }},
		"a function of nil": {nil, func(err error) bool { var p *hook.PanicError; return errors.As(err, &p) }},
		"a timeout of its own": {func(context.Context, call) (output, error) { return output{}, context.DeadlineExceeded }, func(err error) bool {
			var to *hook.TimeoutError
			return errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &to)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			sys, s := start(t, pipeline.Config{})
			event.On(s, "bad", test.hook)
			event.On(s, "good", allow)
			guarded.On(s, "bad", test.hook)

			res := fire(t, event, s, call{Tool: "write"})
			var of *hook.Error
			if !test.want(res.Reports[0].Err) || !errors.As(res.Reports[0].Err, &of) || of.Hook.Name != "bad" || res.Reports[1].Err != nil {
				t.Errorf("errors %v and %v", res.Reports[0].Err, res.Reports[1].Err)
			}
			if res.Blocked() || res.OK() || res.Decision != hook.Allow || res.FailedOpen() != 1 || sys.FailedOpen() != 1 {
				t.Errorf("decision %q, OK %v, failed open %d; want allow, a failed hook", res.Decision, res.OK(), sys.FailedOpen())
			}
			res = fire(t, guarded, s, call{Tool: "write"})
			if !res.Blocked() || !strings.Contains(res.Reason, `Guarded hook "bad"`) || sys.FailedOpen() != 1 {
				t.Errorf("fails closed: decision %q, reason %q, failed open %d", res.Decision, res.Reason, sys.FailedOpen())
			}
		})
	}
}

func TestTheCallersEndIsTheErrorOfTheFire(t *testing.T) {
	because := errors.New("the user pressed Escape")
	for _, e := range []*pipeline.Event[call, edit]{event, chain} {
		synctest.Test(t, func(t *testing.T) {
			var outcomes []pipeline.Outcome
			name := e.Info().Name
			_, s := start(t, pipeline.Config{
				Load:    []pipeline.Load{loads(configured(name, "quick", prints(0, `{"reason":"quick"}`)), configured(name, "slow", hangs), configured(name, "last", hangs))},
				Workers: 2,
				Observe: []pipeline.Observer{pipeline.HookEnds(func(_ context.Context, ev *pipeline.Evaluation) {
					if ev.Hook.Label() == "slow" {
						outcomes = append(outcomes, ev.Outcome)
					}
				})},
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(because) })
			res, err := e.Fire(ctx, s, &call{Tool: "write"})
			if !errors.Is(err, context.Canceled) || !res.Blocked() || !strings.HasPrefix(res.Reason, "quick\n") {
				t.Fatalf("%s: result %+v, err %v; want what was known, a denial, and the context's error", name, res, err)
			}
			if slow := res.Reports[1].Err; !errors.Is(slow, because) || !errors.Is(slow, context.Canceled) {
				t.Errorf("%s: the slow hook's error is %v; want the reason, as a cancellation", name, slow)
			}
			if !slices.Equal(outcomes, []pipeline.Outcome{pipeline.Cancelled}) {
				t.Errorf("%s: outcomes %v, want cancelled", name, outcomes)
			}
		})
	}
}

// firstOf is an event whose reducer takes the first answer.
var firstOf = pipeline.Declare(dialect, pipeline.Spec[call, edit]{
	Name:  "FirstOf",
	Rules: pipeline.Rules{FailClosed: true},
	Reduce: func(outs iter.Seq[output]) (all output) {
		for o := range outs {
			return o
		}
		return all
	},
})

func TestHooksThatAreNotNeededHaveNotFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("FirstOf", "slow", hangs))}})
		firstOf.On(s, "quick", func(context.Context, call) (output, error) { return output{Reason: "quick"}, nil })
		firstOf.On(s, "slow", func(ctx context.Context, _ call) (output, error) { <-ctx.Done(); return output{}, ctx.Err() })
		began := time.Now()
		res := fire(t, firstOf, s, call{})
		if res.Reason != "quick" || res.Blocked() || sys.FailedOpen() != 0 || time.Since(began) != 0 {
			t.Errorf("reason %q, decision %q, failed open %d after %v", res.Reason, res.Decision, sys.FailedOpen(), time.Since(began))
		}
		for _, r := range res.Reports[1:] {
			if !errors.Is(r.Err, hook.ErrNotNeeded) || r.Answered {
				t.Errorf("%s: said %v, err %v; want a hook that is not needed", r.Hook.Label(), r.Answered, r.Err)
			}
		}
	})
}

func TestAHookWithoutAWayToRunSaysSo(t *testing.T) {
	plugin := configured("Call", "plugin", nil)
	plugin.Runner = nil
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(plugin)}})
	if res := fire(t, event, s, call{Tool: "x"}); !errors.Is(res.Reports[0].Err, hook.ErrUnsupported) || res.Blocked() {
		t.Errorf("err %v, decision %q", res.Reports[0].Err, res.Decision)
	}
}

var list = pipeline.Declare(dialect, pipeline.Spec[[]int, edit]{Name: "List"})

func TestAnInputThatIsNoObjectReachesNoHookOutside(t *testing.T) {
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("List", "1", prints(0, "{}")), configured("List", "2", prints(0, "{}")))}})
	res, err := list.Fire(t.Context(), s, &[]int{1})
	if wrong := new(hook.InputError); !errors.As(err, &wrong) || len(res.Reports) > 0 || !strings.Contains(err.Error(), "the input of test.List: *[]int does not encode to a JSON object") {
		t.Errorf("%d reports, err %v", len(res.Reports), err)
	}
}

// moody is an input whose encoding panics.
type moody struct{}

func (moody) MarshalJSON() ([]byte, error) { panic("oh") }

var moods = pipeline.Declare(dialect, pipeline.Spec[moody, edit]{Name: "Moody"})

func TestAnInputThatCannotBeEncodedIsAnErrorBeforeAnyHookRuns(t *testing.T) {
	for n := range 3 {
		sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads([]*hook.Hook{configured("Moody", "1", prints(0, "")), configured("Moody", "2", prints(0, ""))}[:n]...)}})
		ran := 0
		moods.On(s, "own", func(context.Context, moody) (output, error) { ran++; return output{}, nil })
		res, err := moods.Fire(t.Context(), s, &moody{})
		var panicked *hook.PanicError
		if outside := n > 0; errors.As(err, &panicked) != outside || res.Blocked() != outside || (ran == 0) != outside || sys.FailedOpen() > 0 {
			t.Errorf("%d hooks outside: %d in Go ran, decision %q, err %v", n, ran, res.Decision, err)
		}
	}
}
