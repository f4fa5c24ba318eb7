package pipeline

import (
	"strconv"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

func TestBreakersOfUnusedDirectoriesAreFew(t *testing.T) {
	var all breakers
	at := func(i int) Workspace { return Workspace{Dir: "/" + strconv.Itoa(i)} }
	for i := range 3 * mostUnused {
		one := all.of(at(i), "h")
		one.set(policy.Breaker{Failures: 1, For: time.Hour})
		all.of(at(i), "works")
		if i%2 == 0 {
			(&policyState{breaker: one}).done(false, &hook.ClassError{Class: hook.ClassSpawn})
		}
		all.release(at(i))
		if kept := len(all.all[at(i)]); kept != 1-i%2 {
			t.Fatalf("%d breakers of directory %d are kept, want those that count failures", kept, i)
		}
	}
	if len(all.all) != mostUnused || len(all.unused) != mostUnused {
		t.Errorf("breakers of %d directories are kept, %d of them unused; want %d", len(all.all), len(all.unused), mostUnused)
	}
	last := at(3*mostUnused - 2)
	if one := all.of(last, "h"); !one.stopped || len(all.unused) != mostUnused-1 {
		t.Errorf("the breaker is open: %v; %d directories are unused", one.stopped, len(all.unused))
	}
}
