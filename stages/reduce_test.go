package stages_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// report returns the report of hook i, whose answer is word, or which has no answer if word is "".
func report(i int, word string) *hook.Report[string] {
	r := &hook.Report[string]{Hook: &hook.Hook{Identity: hook.Identity{Name: fmt.Sprint(i)}}, Index: i, Answered: word != "", Output: hook.Output[string]{Specific: word}}
	if strings.HasPrefix(word, "no") {
		r.Output.Decision = hook.Deny
	}
	return r
}

// room allocates reports for n hooks.
func room(n int) []hook.Report[string] { return make([]hook.Report[string], n) }

func join(outs iter.Seq[hook.Output[string]]) (all hook.Output[string]) {
	for o := range outs {
		all.Specific += o.Specific
	}
	return all
}

func notCalled(t *testing.T) func() {
	return func() { t.Helper(); t.Error("the hooks were cancelled") }
}

func TestReduceMergesInPlanOrder(t *testing.T) {
	reports := []*hook.Report[string]{report(0, "a"), report(1, ""), report(2, "b"), report(3, "c"), report(4, "d")}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		random.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
		res, err := stages.Reduce(slices.Values(reports), room(5), join, notCalled(t))
		if err != nil || res.Specific != "abcd" || !res.Answered || len(res.Reports) != 5 {
			t.Fatalf("got %q, said %v, %d reports, err %v", res.Specific, res.Answered, len(res.Reports), err)
		}
		for i, r := range res.Reports {
			if r.Index != i {
				t.Fatalf("report %d is of hook %d", i, r.Index)
			}
		}
	}
}

func TestReduceGivesAnAnswerAsSoonAsThoseBeforeItAreThere(t *testing.T) {
	var log []string
	reports := func(yield func(*hook.Report[string]) bool) {
		for _, r := range []*hook.Report[string]{report(2, "c"), report(0, "a"), report(3, "d"), report(1, "b")} {
			log = append(log, "report "+r.Output.Specific)
			if !yield(r) {
				t.Error("the reports were not read to their end")
			}
		}
	}
	merge := func(outs iter.Seq[hook.Output[string]]) (all hook.Output[string]) {
		for o := range outs {
			log = append(log, "answer "+o.Specific)
		}
		return all
	}
	if _, err := stages.Reduce(reports, room(4), merge, notCalled(t)); err != nil {
		t.Error(err)
	}
	want := "report c|report a|answer a|report d|report b|answer b|answer c|answer d"
	if got := strings.Join(log, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReduceLeavesOutHooksThatNeverStarted(t *testing.T) {
	res, err := stages.Reduce(slices.Values([]*hook.Report[string]{report(0, "a"), report(2, "c")}), room(5), join, notCalled(t))
	if err != nil || len(res.Reports) != 2 || res.Reports[1].Index != 2 {
		t.Errorf("reports %+v, err %v", res.Reports, err)
	}
	if res.Specific != "ac" {
		t.Errorf("the answer is %q, want %q", res.Specific, "ac")
	}
}

func TestReduceOfSilence(t *testing.T) {
	res, err := stages.Reduce(slices.Values([]*hook.Report[string]{report(0, ""), report(1, "")}), room(2), join, notCalled(t))
	if err != nil || res.Answered || len(res.Reports) != 2 {
		t.Errorf("said %v, %d reports, err %v", res.Answered, len(res.Reports), err)
	}
}

func TestReduceCancelsAndCollectsWhenTheReducerReturnsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		each := func(ctx context.Context, i int, h *hook.Hook, _ int) *hook.Report[string] {
			r := report(i, fmt.Sprint(i))
			select {
			case <-time.After(time.Duration(i+1) * time.Second):
			case <-ctx.Done():
				r.Err = context.Cause(ctx)
			}
			return r
		}
		first := func(outs iter.Seq[hook.Output[string]]) (all hook.Output[string]) {
			for o := range outs {
				return o
			}
			return all
		}
		start := time.Now()
		res, err := stages.Reduce(stages.Spawn[int, string]{Plan: hooks(5), In: 0, Each: each}.Parallel(ctx, cancel, 5), room(5), first, func() { cancel(hook.ErrNotNeeded) })
		if err != nil || res.Specific != "0" || len(res.Reports) != 5 || time.Since(start) != time.Second {
			t.Errorf("got %q, %d reports after %v, err %v; want 5 after 1s", res.Specific, len(res.Reports), time.Since(start), err)
		}
		for _, r := range res.Reports[1:] {
			if !errors.Is(r.Err, hook.ErrNotNeeded) {
				t.Errorf("hook %d: %v, want a hook that is not needed", r.Index, r.Err)
			}
		}
	})
}

func TestReduceRunsTheHooksOfAReducerThatIgnoresThem(t *testing.T) {
	ignore := func(iter.Seq[hook.Output[string]]) hook.Output[string] { return hook.Output[string]{Specific: "mine"} }
	res, err := stages.Reduce(slices.Values([]*hook.Report[string]{report(1, "b"), report(0, "a")}), room(2), ignore, notCalled(t))
	if err != nil || res.Specific != "mine" || len(res.Reports) != 2 || !res.Answered {
		t.Errorf("got %q, %d reports, said %v, err %v", res.Specific, len(res.Reports), res.Answered, err)
	}
}

func TestReduceLetsAReducerRangeTwice(t *testing.T) {
	twice := func(outs iter.Seq[hook.Output[string]]) hook.Output[string] {
		return hook.Output[string]{Specific: join(outs).Specific + "|" + join(outs).Specific}
	}
	res, err := stages.Reduce(slices.Values([]*hook.Report[string]{report(1, "b"), report(0, "a"), report(2, "")}), room(3), twice, notCalled(t))
	if err != nil || res.Specific != "ab|ab" {
		t.Errorf("got %q, err %v", res.Specific, err)
	}
}

func TestReduceLosesNoGuardToAReducerThatPanics(t *testing.T) {
	during := func(outs iter.Seq[hook.Output[string]]) (all hook.Output[string]) {
		for range outs {
			panic("oh")
		}
		return all
	}
	after := func(outs iter.Seq[hook.Output[string]]) (all hook.Output[string]) {
		join(outs)
		panic("oh")
	}
	before := func(iter.Seq[hook.Output[string]]) hook.Output[string] { panic("oh") }
	tests := map[string]struct {
		reports []*hook.Report[string]
		want    string
	}{
		"a block before the panic":           {[]*hook.Report[string]{report(0, "no 0"), report(1, "b")}, "no 0"},
		"a block that comes after the panic": {[]*hook.Report[string]{report(0, "a"), report(1, "b"), report(2, "no 2")}, "no 2"},
		"the first of two, in plan order":    {[]*hook.Report[string]{report(2, "no 2"), report(0, "a"), report(1, "no 1")}, "no 1"},
		"no block":                           {[]*hook.Report[string]{report(0, "a")}, ""},
	}
	for name, test := range tests {
		for when, merge := range map[string]hook.Reducer[string]{"before": before, "during": during, "after": after} {
			t.Run(name+", "+when+" the answers", func(t *testing.T) {
				res, err := stages.Reduce(slices.Values(test.reports), room(3), merge, notCalled(t))
				var panicked *hook.PanicError
				if !errors.As(err, &panicked) || panicked.Value != "oh" || !strings.Contains(string(panicked.Stack), "reduce_test.go") {
					t.Errorf("err %v, want the panic and where it was", err)
				}
				if res.Specific != test.want || res.Blocked() != (test.want != "") || len(res.Reports) != len(test.reports) {
					t.Errorf("got %q, %d reports; want %q and all", res.Specific, len(res.Reports), test.want)
				}
			})
		}
	}
}
