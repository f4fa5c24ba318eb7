//go:build !race

package bench

import (
	"context"
	"encoding/json" //nolint:depguard // the JSON library of the engine that is compared
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/stages"
)

func TestNothingIsAllocatedWhileNoHookRuns(t *testing.T) {
	ctx := context.Background()
	for at, text := range map[place]string{{"W0", "FireIdle"}: off, {"W1", "FireUnmatched10"}: unmatched(10)} {
		ses := session(t, text)
		allocations(at, 0, func() {
			llxprt.BeforeTool.Fire(ctx, ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
		}).test(t)
		allocations(place{at.work, at.what + ", Active"}, 0, func() { llxprt.BeforeTool.Active(ses) }).test(t)
	}
}

// Limits of allocations. A fire that runs two or more commands in parallel allocates at most
// mostForTheFire, and mostForEachHook for each command.
const (
	mostForEachHook = 15
	mostForTheFire  = 41
	mostForOneInGo  = 11
	mostForAGate    = 11

	mostForOneCommand = 42
)

func TestAllocationsOfRunningHooksAreBounded(t *testing.T) {
	var counts []float64
	for n := 1; n <= 8; n++ {
		ses := session(t, commands("", variants(n, answer)...))
		least := math.Inf(1) // the lowest count: a run that refills a pool, which other tests have emptied, allocates more
		for range 3 {
			least = min(least, testing.AllocsPerRun(10, func() {
				if err := fireOnce(ses); err != nil {
					t.Error(err)
				}
			}))
		}
		counts = append(counts, least)
	}
	counted(place{"W2", "commands, allocations with one of them"}, counts[0], mostForOneCommand).test(t)
	for n := 2; n <= 8; n++ { // begins with two hooks: a fire of one hook does not stream reports
		counted(place{"W2", fmt.Sprintf("commands, allocations with %d of them", n)}, int(counts[n-1]), mostForTheFire+n*mostForEachHook).test(t)
	}
	place{"W2", "commands, allocations with 1 to 8 of them"}.note(fmt.Sprint(counts))

	ses := session(t, off)
	silent(ses)
	allocations(place{what: "FireGo"}, mostForOneInGo, func() { fireOnce(ses) }).test(t)
}

// The gates on commands fail if a hook allocates more than the limit.
func TestTheGateSeesAHookThatAllocatesMore(t *testing.T) {
	counted(place{what: "a hook that allocates more"}, 3+mostForTheFire+2*mostForEachHook, mostForTheFire+2*mostForEachHook).mustFail(t)
}

func TestMergingIsOnePass(t *testing.T) {
	outs, all := outputs(1000), reports(1000)
	answers := func() { llxprt.AfterTool.Reduce(slices.Values(outs)) }
	allocations(place{"W7", "Reduce1000"}, 12, answers).test(t)
	stage := func() { stages.Reduce(all, room(1000), llxprt.AfterTool.Reduce, func() {}) }
	allocations(place{"W7", "ReduceReports1000, the whole stage"}, 32, stage).test(t)
	place{"W7", "Reduce1000, time"}.note(typical(1, answers))
	place{"W7", "ReduceReports1000, time"}.note(typical(1, stage))
}

// The cost of a cached plan is one look-up, however many hooks there are.
func TestUnmatchedFireIsFlatInTheNumberOfHooks(t *testing.T) {
	testkit.Timed(t)
	few, lots := session(t, unmatched(10)), session(t, unmatched(1000))
	at := place{"W1", "FireUnmatched1000, ratio to FireUnmatched10"}
	compared(at, 1.5, 21, many, timed(func() { fires(lots) }), timed(func() { fires(few) })).test(t)
}

// mostForIdle limits the time of an idle fire, as a multiple of a look-up in a small map in the same run. An idle fire
// takes 4 ns on a machine on which a look-up takes 6.7 ns.
const mostForIdle = 0.6

func TestIdleFireIsCheaperThanAMapLookup(t *testing.T) {
	testkit.Timed(t)
	ses := session(t, off)
	at := place{"W0", "FireIdle, ratio to a look-up in a map"}
	compared(at, mostForIdle, 21, many, timed(func() { fires(ses) }), lookups()).test(t)
	place{"W0", "Active, time"}.note(typical(many, func() { asks(ses) }))
}

// lookups returns a function that measures many look-ups of names.
func lookups() func() time.Duration {
	plans := map[string]int{"read_file": 1, "write_file": 2, "replace": 3, "glob": 4, "run_shell_command": 5, "web_fetch": 6, "list_directory": 7, "memory": 8, "todo": 9}
	names := []string{"read_file", "write_file", "glob", "memory"}
	sum := 0
	return timed(func() {
		for i := range many {
			sum += plans[names[i&3]]
		}
	})
}

// An event without hooks costs nothing more if other dialects have hooks.
func TestIdleFireIsAsCheapInASessionOfThreeDialects(t *testing.T) {
	testkit.Timed(t)
	all := allDialects(t).idle()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fire := all[name]
		at := place{"W0", "FireIdle of " + name + " beside two other dialects"}
		allocations(at, 0, func() { fire(1) }).test(t)
		at.what += ", ratio to a look-up in a map"
		compared(at, mostForIdle, 21, many, timed(func() { fire(many) }), lookups()).test(t)
	}
}

const mostForGateToDecoding = 1.25

// A Go gate takes about as long as decoding its event from JSON, which an engine whose hooks read JSON has to do for
// each call. Which of the two is faster depends on the machine.
func TestAGateInGoCostsAboutWhatDecodingItsEventCosts(t *testing.T) {
	testkit.Timed(t)
	d := allDialects(t)
	fire := func() {
		if res, err := xcsh.ToolCall.Fire(context.Background(), d.modules, &bashCall); res != nil || err != nil {
			t.Errorf("the gate answers %v, %v; want it to let the call pass", res, err)
		}
	}
	fires, decodes := times(1000, fire), times(1000, func() { must(json.Unmarshal([]byte(bashCallJSON), new(map[string]any))) })
	at := place{"", "FireGate, ratio to decoding the event"}
	compared(at, mostForGateToDecoding, 21, 1000, timed(fires), timed(decodes)).test(t)
	allocations(place{"", "FireGate"}, mostForAGate, fire).test(t)
	compared(place{"", "three gates"}, mostForGateToDecoding, 5, 1000, timed(times(3000, fire)), timed(decodes)).mustFail(t)
}

// times returns a function that calls f n times.
func times(n int, f func()) func() {
	return func() {
		for range n {
			f()
		}
	}
}

// many is the number of repetitions of operations that take nanoseconds.
const many = 200_000

func fires(ses *pipeline.Session) {
	ctx := context.Background()
	for range many {
		llxprt.BeforeTool.Fire(ctx, ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
	}
}

func asks(ses *pipeline.Session) {
	for range many {
		if llxprt.BeforeTool.Active(ses) {
			panic("active without hooks")
		}
	}
}

func TestSessionsAreSmall(t *testing.T) {
	gate{at: place{what: "SessionIdle, bytes"}, most: 1536, measure: func() float64 { return sessionBytes(t, 20_000) }}.test(t)
}
