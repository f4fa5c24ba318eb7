package hooktest

import (
	"bytes"
	"context"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience limits the wait for goroutines that should end at once.
var patience = 10 * time.Second

// leakPatience is the time after which a remaining goroutine is a leak.
const leakPatience = 2 * time.Second

const label = "hooktest"

var (
	labels  atomic.Int64
	watched sync.Map // testing.TB: tests with a leak check
)

// checkLeaks fails the test for goroutines that remain after its cleanup. It recognises them by a profiler label, which
// goroutines inherit from their creator.
func checkLeaks(t testing.TB) {
	if _, twice := watched.LoadOrStore(t, true); twice {
		return
	}
	end := mark()
	t.Cleanup(func() {
		watched.Delete(t)
		if left := end(0); left != "" {
			t.Errorf("goroutines are left:\n%s", left)
		}
	})
}

// mark labels the goroutines that the caller starts from now on. end removes the label. If more than most labelled
// goroutines still exist after leakPatience, it returns their stacks; otherwise "".
func mark() (end func(most int) (left string)) {
	id := strconv.FormatInt(labels.Add(1), 10)
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(label, id)))
	return func(most int) string {
		pprof.SetGoroutineLabels(context.Background())
		for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			stacks, n := labelled(id)
			if n <= most {
				return ""
			}
			if time.Since(start) > leakPatience {
				return stacks
			}
		}
	}
}

// labelled returns the stacks of the goroutines with a label, and their number.
func labelled(id string) (stacks string, n int) {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // writing to a Buffer cannot fail
	var found []string
	for stack := range strings.SplitSeq(profile.String(), "\n\n") {
		if !strings.Contains(stack, strconv.Quote(label)+":"+strconv.Quote(id)) || belongsToProcess(stack) {
			continue
		}
		stack = stack[max(0, strings.LastIndex(stack[:strings.Index(stack, " @ ")+1], "\n")+1):]
		count, _, _ := strings.Cut(stack, " @ ")
		times, _ := strconv.Atoi(strings.TrimSpace(count))
		n += max(1, times)
		found = append(found, stack)
	}
	return strings.Join(found, "\n\n"), n
}

// processWide lists functions whose goroutines belong to the process, not to a test: they start with the first caller
// and outlive its test. One receives signals, which package testing needs for fuzzing; another is the clock of regexp2,
// which ends some time after the last match.
var processWide = []string{
	"os/signal.signal_recv", "os/signal.loop", "runtime.ensureSigM", "github.com/dlclark/regexp2/v2.runClock",
}

// belongsToProcess reports whether the goroutine with this stack is one of processWide.
func belongsToProcess(stack string) bool {
	return slices.ContainsFunc(processWide, func(f string) bool { return strings.Contains(stack, f+"+0x") })
}
