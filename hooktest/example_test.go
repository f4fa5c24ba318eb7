package hooktest_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
)

// Release is the input of the event's hooks, and Vote is their answer.
type (
	Release struct {
		Version string `json:"version"`
	}
	Vote struct {
		Yes int `json:"yes,omitzero"`
	}
)

var company = &pipeline.Dialect{Name: "hooktest-company"}

// BeforeRelease fires before a version is released.
var BeforeRelease *pipeline.Event[Release, Vote] = pipeline.Declare(company, pipeline.Spec[Release, Vote]{
	Name: "BeforeRelease", Doc: "before a version is released", Can: pipeline.CanBlock,
	Subject: func(r *Release) *string { return &r.Version }, Reduce: votes,
})

// votes adds up the votes; one hook that blocks is enough.
func votes(outs iter.Seq[hook.Output[Vote]]) (all hook.Output[Vote]) {
	for o := range outs {
		if o.Decision.Blocks() {
			return o
		}
		all.Specific.Yes += o.Specific.Yes
	}
	return all
}

// Testing your own event takes four lines.
func TestBeforeRelease(t *testing.T) {
	hooktest.Idle(t, BeforeRelease, Release{Version: "1.4.0"})
	hooktest.Reducer(t, BeforeRelease.Reduce, nil)
	hooktest.Chain(t, BeforeRelease, nil, nil)
	hooktest.Codec(t, BeforeRelease, hooktest.DropsUnknown("nobody else makes releases"))
}

func TestAHookOfTheProgram(t *testing.T) {
	freeze := func(_ context.Context, r Release) (o hook.Output[Vote], err error) {
		if strings.HasSuffix(r.Version, "-beta") {
			o.Decision, o.Reason = hook.Deny, "no betas this week"
		}
		return o, nil
	}
	s := hooktest.Session(t, hooktest.On(BeforeRelease, "freeze", freeze))
	res, err := BeforeRelease.Fire(t.Context(), s, &Release{Version: "2.0-beta"})
	if err != nil || !res.Blocked() {
		t.Errorf("got %+v, %v; want betas to be denied", res, err)
	}
}

func BenchmarkBeforeRelease(b *testing.B) {
	hooktest.Benchmark(b, BeforeRelease, Release{Version: "1.4.0"})
}

func ExampleIdle() {
	t := report{} // your *testing.T
	hooktest.Idle(t, BeforeRelease, Release{Version: "1.4.0"})
	// Output:
}

func ExampleReducer() {
	t := report{} // your *testing.T
	last := func(outs iter.Seq[hook.Output[Vote]]) (all hook.Output[Vote]) {
		for o := range outs {
			all = o
		}
		return all
	}
	hooktest.Reducer(t, last, nil)
	// Output: the test fails
}

func ExampleRunner() {
	t := report{dir: "/tmp"} // your *testing.T
	hooktest.Runner(t, &run.Command{Argv: run.Bash(hooktest.Script)})
	// Output:
}

// report takes the place of a *testing.T, and prints failures.
type report struct {
	testing.TB
	dir string
}

func (r report) Helper()                   {}
func (r report) Name() string              { return "Example" }
func (r report) Failed() bool              { return false }
func (r report) Cleanup(func())            {}
func (r report) TempDir() string           { return r.dir }
func (r report) Log(...any)                {}
func (r report) Logf(string, ...any)       {}
func (r report) Errorf(string, ...any)     { fmt.Println("the test fails") }
func (r report) Error(...any)              { fmt.Println("the test fails") }
func (r report) Fatalf(s string, _ ...any) { panic("the test fails: " + s) }
func (r report) FailNow()                  {}
