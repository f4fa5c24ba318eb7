package hooktest

import (
	"fmt"
	"iter"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
)

// own is an event's part of an answer, with a slice, a map and a pointer that a reducer could write through.
type own struct {
	Text  string
	Paths []string
	Tags  map[string]string
	Link  *string
}

type (
	answers = iter.Seq[hook.Output[own]]
	answer  = hook.Output[own]
)

// blockWins is a correct reducer. It ignores stops, because the engine adds them to the result. Each reducer below
// violates one property.
func blockWins(outs answers) (all answer) {
	for o := range outs {
		if o.Decision.Blocks() {
			all.Decision = o.Decision
		}
		all.Specific.Paths = append(all.Specific.Paths, o.Specific.Paths...)
	}
	return all
}

var memory int

func TestABrokenReducerFails(t *testing.T) {
	stops := []func(){}
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	for name, tt := range map[string]struct {
		reduce hook.Reducer[own]
		want   string
	}{
		"loses a block that comes before an allow": {func(outs answers) (all answer) {
			for o := range outs {
				if o.Decision != "" && !o.Synthetic {
					all.Decision = o.Decision
				}
			}
			return all
		}, "and the result does not"},
		"loses a block when it returns early": {func(outs answers) (all answer) {
			for o := range outs {
				if o.Stop {
					return o
				}
				if o.Decision.Blocks() {
					all = o
				}
			}
			return all
		}, "and the result does not"},
		"sorts what it was given": {func(outs answers) answer {
			for o := range outs {
				if len(o.Specific.Paths) > 1 {
					o.Specific.Paths[0], o.Specific.Paths[1] = o.Specific.Paths[1], o.Specific.Paths[0]
				}
			}
			return blockWins(outs)
		}, "an answer was written to"},
		"appends to what it was given": {func(outs answers) (all answer) {
			for o := range outs {
				paths := append(all.Specific.Paths, o.Specific.Paths...)
				if all.Specific.Paths == nil {
					paths = o.Specific.Paths
				}
				all.Specific.Paths = paths
				if o.Decision.Blocks() {
					all.Decision = o.Decision
				}
			}
			return all
		}, "an answer was written to"},
		"adds to a map that it was given": {func(outs answers) (all answer) {
			for o := range outs {
				if all.Specific.Tags == nil {
					all.Specific.Tags = o.Specific.Tags
				} else {
					maps.Copy(all.Specific.Tags, o.Specific.Tags)
				}
				if o.Decision.Blocks() {
					all.Decision = o.Decision
				}
			}
			return all
		}, "an answer was written to"},
		"writes through a pointer": {func(outs answers) answer {
			for o := range outs {
				if o.Specific.Link != nil {
					*o.Specific.Link += "!"
				}
			}
			return blockWins(outs)
		}, "an answer was written to"},
		"says when it was": {func(outs answers) answer {
			all := blockWins(outs)
			for range outs {
				all.Message = fmt.Sprint("at ", time.Now().UnixNano())
			}
			return all
		}, "different results"},
		"does not wait for slow answers": {func(outs answers) (all answer) {
			start := time.Now()
			for o := range outs {
				if time.Since(start) < 500*time.Microsecond || o.Decision.Blocks() {
					all.Context += o.Context + "."
				}
				if o.Decision.Blocks() {
					all.Decision = o.Decision
				}
			}
			return all
		}, "different results"},
		"remembers earlier fires": {func(outs answers) answer {
			all := blockWins(outs)
			for range outs {
				memory++
				all.Message = fmt.Sprint(memory)
			}
			return all
		}, "different results"},
		"does not cancel the rest": {func(outs answers) answer {
			next, stop := iter.Pull(outs)
			stops = append(stops, stop)
			for {
				o, ok := next()
				if !ok || o.Decision.Blocks() {
					return o
				}
			}
		}, "nothing cancels the rest"},
		"lets an assumed answer lift a denial": {func(outs answers) (all answer) {
			for o := range outs {
				if o.Synthetic || o.Decision.Blocks() {
					all.Decision = o.Decision
				}
			}
			return all
		}, "decision is"},
		"denies when nobody answers": {func(outs answers) answer {
			all := blockWins(outs)
			if all.Decision == "" {
				all.Decision = hook.Deny
			}
			return all
		}, "declare DecidesAlone"},
		"panics": {func(outs answers) answer {
			for o := range outs {
				_ = o.Specific.Tags["a"][1:]
			}
			return blockWins(outs)
		}, "panic"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, tt.want, func(t testing.TB) { Reducer(t, reducers.KeepCommon(tt.reduce), nil) })
		})
	}
}

func TestAReducerThatLosesAStopFails(t *testing.T) {
	wantFailure(t, "stops the agent, and the result does not", func(t testing.TB) { Reducer(t, blockWins, nil) })
}

func TestACorrectReducerPasses(t *testing.T) {
	for name, test := range map[string]func(testing.TB){
		"written by hand":        func(t testing.TB) { Reducer(t, reducers.KeepCommon(blockWins), nil) },
		"with values of its own": func(t testing.TB) { Reducer(t, reducers.KeepCommon(blockWins), rapid.Just(own{Text: "a"})) },
		"BlockWins":              func(t testing.TB) { Reducer(t, reducers.BlockWins[own](nil), nil) },
		"Replace, which loses": func(t testing.TB) {
			Reducer(t, reducers.Replace[own](nil), nil, LosesBlocks("the last word counts"), LosesStops("the same"))
		},
		"one that ends at a block": func(t testing.TB) { Reducer(t, reducers.LastWhole[own](nil), nil, LosesStops("there are none")) },
		"one that hears nothing": func(t testing.TB) {
			Reducer(t, reducers.Ignore[own], nil, LosesBlocks("a notification"), LosesStops("a notification"))
		},
		"one that decides, declared": func(t testing.TB) {
			Reducer(t, reducers.KeepCommon(quorum), nil, DecidesAlone("two hooks have to vote"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			test(t)
			if got := failures(t, test); got != "" {
				t.Errorf("without a fake clock: %s", got)
			}
		})
	}
}

// quorum denies a call that a hook blocks or that fewer than two hooks allow.
func quorum(outs answers) answer {
	votes := 0
	for o := range outs {
		if o.Decision.Blocks() {
			return answer{Decision: hook.Deny}
		}
		if o.Decision == hook.Allow && !o.Synthetic {
			votes++
		}
	}
	if votes < 2 {
		return answer{Decision: hook.Deny}
	}
	return answer{}
}

func TestAnExceptionIsForOnePromiseAlone(t *testing.T) {
	lifts := func(outs answers) (all answer) {
		for o := range outs {
			if o.Decision != "" {
				all.Decision = o.Decision
			}
		}
		return all
	}
	wantFailure(t, "lifts a denial", func(t testing.TB) { Reducer(t, reducers.KeepCommon(lifts), nil, LosesBlocks("the last word counts")) })
}
