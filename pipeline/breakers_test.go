package pipeline

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

// Breakers without a hook are kept if they count failures, up to a limit.
func TestBreakersThatNoHookUsesAreFew(t *testing.T) {
	var all breakers
	at := Workspace{Dir: "/w"}
	failure := &hook.ClassError{Class: hook.ClassSpawn}
	used := all.of(at, "in use")
	for i := range 3 * mostFailing {
		one := all.of(at, strconv.Itoa(i))
		one.set(policy.Breaker{Failures: 1, For: time.Hour})
		if i%2 == 0 {
			(&policyState{breaker: one}).done(false, failure)
		}
		if i%200 == 199 {
			runtime.GC()
		}
	}
	if len(all.failing) != mostFailing || len(all.all) > 3*mostFailing {
		t.Errorf("%d breakers are kept of %d that are known; want %d, and few more", len(all.failing), len(all.all), mostFailing)
	}
	last := strconv.Itoa(3*mostFailing - 2)
	runtime.GC()
	if one := all.of(at, last); !one.stopped {
		t.Error("the last breaker that has opened is closed")
	}
	if all.of(at, "in use") != used {
		t.Error("a hook has got another breaker than the one it uses")
	}
	runtime.KeepAlive(used)
}

// A breaker that has closed goes with its hooks.
func TestABreakerThatHasClosedIsNotKept(t *testing.T) {
	var all breakers
	one := all.of(Workspace{Dir: "/w"}, "h")
	one.set(policy.Breaker{Failures: 2, For: time.Hour})
	k := &policyState{breaker: one}
	if k.done(false, &hook.ClassError{Class: hook.ClassSpawn}); len(all.failing) != 1 {
		t.Errorf("%d breakers are kept after a failure, want 1", len(all.failing))
	}
	if k.done(false, nil); len(all.failing) != 0 {
		t.Errorf("%d breakers are kept after a success, want none", len(all.failing))
	}
}
