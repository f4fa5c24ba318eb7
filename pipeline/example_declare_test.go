package pipeline_test

import (
	"context"
	"fmt"
	"iter"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Release is the input of the event's hooks, and Vote is their answer.
type (
	Release struct{ Version string }
	Vote    struct{ Yes int }
)

// company is the hook system that the event belongs to.
var company = &pipeline.Dialect{Name: "company"}

// BeforeRelease fires before a version is released.
var BeforeRelease *pipeline.Event[Release, Vote] = pipeline.Declare(company, pipeline.Spec[Release, Vote]{
	Name:    "BeforeRelease",
	Doc:     "before a version is released",
	Can:     pipeline.CanBlock,
	Subject: func(r *Release) *string { return &r.Version },
	Reduce:  quorum,
})

// quorum allows the action once the hooks have given two votes for the action.
func quorum(outs iter.Seq[hook.Output[Vote]]) (all hook.Output[Vote]) {
	for o := range outs {
		if all.Specific.Yes += o.Specific.Yes; all.Specific.Yes >= 2 {
			return all
		}
	}
	all.Decision, all.Reason = hook.Deny, fmt.Sprintf("%d of 2 votes", all.Specific.Yes)
	return all
}

func ExampleDeclare() {
	ctx := context.Background()
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	session, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "1"})
	if err != nil {
		panic(err)
	}
	yes := func(context.Context, Release) (hook.Output[Vote], error) {
		return hook.Output[Vote]{Specific: Vote{Yes: 1}}, nil
	}

	BeforeRelease.On(sys, "on-call", yes)
	res, _ := BeforeRelease.Fire(ctx, session, &Release{"1.4.0"})
	fmt.Println(res.Blocked(), res.Reason)

	BeforeRelease.On(sys, "release manager", yes)
	res, _ = BeforeRelease.Fire(ctx, session, &Release{"1.4.0"})
	fmt.Println(res.Blocked(), res.Specific.Yes)
	// Output:
	// true 1 of 2 votes
	// false 2
}
