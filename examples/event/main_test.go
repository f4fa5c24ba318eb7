package main

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
)

func Example() {
	main()
	// Output:
	// blocked true "1 of 2 votes", replicas 3, 2 hooks
	// blocked false "", replicas 3, 3 hooks
}

func TestBeforeDeploy(t *testing.T) {
	// A fire without hooks allocates nothing.
	hooktest.Idle(t, BeforeDeploy, Deploy{Service: "shop"})
	// The reducer loses no block and no stop, changes no answer, and does not depend on time.
	hooktest.Reducer(t, BeforeDeploy.Reduce, nil, hooktest.DecidesAlone("without two votes a deploy is denied"))
	// The next input depends only on the previous input and the answer.
	hooktest.Chain(t, BeforeDeploy, nil, nil)
	// Both types survive JSON, including big numbers.
	hooktest.Codec(t, BeforeDeploy, hooktest.DropsUnknown("both sides are the program's own types"))
}

func BenchmarkBeforeDeploy(b *testing.B) {
	hooktest.Benchmark(b, BeforeDeploy, Deploy{Service: "shop"})
}

// The engine merges the common members, as docs/your-own-event.md describes: no reducer has to.
func TestTheEngineKeepsTheCommonMembersOfAllAnswers(t *testing.T) {
	says := func(o hook.Output[Review]) hooktest.Option {
		return hooktest.On(BeforeDeploy, "says "+o.Message, func(context.Context, Deploy) (hook.Output[Review], error) { return o, nil })
	}
	s := hooktest.Session(t,
		says(hook.Output[Review]{Stop: true, StopReason: "frozen", Message: "one", Context: "c1", Specific: Review{Votes: 1}}),
		says(hook.Output[Review]{Suppress: true, Message: "two", Context: "c2", Specific: Review{Votes: 1}}),
	)
	res, err := BeforeDeploy.Fire(t.Context(), s, &Deploy{Service: "shop"})
	if err != nil || res.Blocked() || !res.Stop || res.StopReason != "frozen" || !res.Suppress ||
		res.Message != "one\ntwo" || res.Context != "c1\nc2" || res.Specific.Votes != 2 {
		t.Errorf("%+v, %v; want a stop, and the texts of both", res.Output, err)
	}
}
