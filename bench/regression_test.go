//go:build !race

package bench

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
)

// kept is the variable in which leakyFire stores its input.
var kept any

// leakyFire is Fire with a mistake: after the guard, in code that never runs without hooks, it
// stores the input itself in an interface. This costs every caller an allocation, also without
// hooks.
func leakyFire(ctx context.Context, ses *pipeline.Session, in *llxprt.BeforeToolInput) (*hook.Result[llxprt.BeforeToolOutput], error) {
	if llxprt.BeforeTool.Active(ses) {
		kept = in
	}
	return llxprt.BeforeTool.Fire(ctx, ses, in)
}

// compilingFire is Fire with another mistake: it compiles the matcher each time.
func compilingFire(ctx context.Context, ses *pipeline.Session, in *llxprt.BeforeToolInput) (*hook.Result[llxprt.BeforeToolOutput], error) {
	if m, note := match.Tool("^mcp__server__(read|write)_.*$"); note == "" && m.Match(in.Name) {
		kept = m
	}
	return llxprt.BeforeTool.Fire(ctx, ses, in)
}

func TestTheGatesCatchAnInputThatLeaks(t *testing.T) {
	testkit.Timed(t)
	ses := session(t, off)
	allocations(place{what: "a leaking input"}, 0, func() {
		leakyFire(context.Background(), ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
	}).mustFail(t)
	if err := staysOnTheStack(compilerOutput(t), "regression_test.go"); err == nil {
		t.Error("the compiler's output is taken for good, although the input of leakyFire escapes")
	}
}

func TestTheGatesCatchAMatcherThatIsCompiledForEachFire(t *testing.T) {
	testkit.Timed(t)
	ses := session(t, unmatched(10))
	allocations(place{what: "a matcher compiled for each fire"}, 0, func() {
		compilingFire(context.Background(), ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
	}).mustFail(t)
}
