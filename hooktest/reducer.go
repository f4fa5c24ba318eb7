package hooktest

import (
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/snaphook-go/snaphook/hook"
)

// Reducer checks the properties that the engine expects of every reducer. The answers have common members, and values
// of gen; nil means [Values]:
//
//   - the same answers in the same order have the same result: also later, with any delays between
//     them, and after other merges;
//   - a block among the answers blocks, unless [LosesBlocks];
//   - a stop among the answers that the reducer takes stops, unless [LosesStops]. The engine adds stops to
//     the result of a Spec's Reduce: check the method Reduce of the event, and not the function;
//   - answers that the engine made never override a denial;
//   - returning before the answers run out cancels the hooks that still run, and their missing
//     answers change nothing;
//   - answers are not written to, nor is the spare capacity of their slices;
//   - without answers nothing is blocked, asked or reported, unless [DecidesAlone]: the result is
//     the zero Output, or allows.
//
// With a *testing.T the reducer runs in a synctest bubble, in which answers are minutes apart; do not call it inside
// another bubble. With any other testing.TB answers are milliseconds apart.
func Reducer[T any](t testing.TB, reduce hook.Reducer[T], gen *rapid.Generator[T], but ...Exception) {
	t.Helper()
	c := reducerCheck[T]{reduce: reduce, gen: orValues(gen), but: declared(t, but)}
	if t, ok := t.(*testing.T); ok {
		c.pause, c.limit = pauses(1000, 61*time.Second+13), 365*24*time.Hour
		synctest.Test(t, func(t *testing.T) { c.all(t) })
		return
	}
	c.pause, c.limit = pauses(300, time.Millisecond), patience
	c.all(t)
}

// pauses returns a function that sleeps for d, at most left times. Without the limit, shrinking a failure would take
// minutes, and the check of all properties would exceed rapid's limit of a day.
func pauses(left int, d time.Duration) func() {
	return func() {
		if left--; left > 0 {
			time.Sleep(d)
		}
	}
}

// check runs a property in rapid. It hides two things that make rapid panic: that the test has already failed and, in a
// bubble, the method Deadline.
func check(t testing.TB, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(&afresh{TB: t}, property)
}

// afresh is a testing.TB that starts without a failure, even if its test has failed.
type afresh struct {
	testing.TB
	failed bool
}

// Errorf fails the test.
func (a *afresh) Errorf(format string, args ...any) {
	a.TB.Helper()
	a.failed = true
	a.TB.Errorf(format, args...)
}

// Failed reports whether Errorf has been called.
func (a *afresh) Failed() bool { return a.failed }

type reducerCheck[T any] struct {
	reduce hook.Reducer[T]
	gen    *rapid.Generator[T]
	but    map[exception]bool
	pause  func()
	limit  time.Duration // time limit for the hooks of one fire
}

func (c *reducerCheck[T]) all(t testing.TB) {
	t.Helper()
	c.withoutAnswers(t)
	check(t, c.check)
}

func (c *reducerCheck[T]) withoutAnswers(t testing.TB) {
	t.Helper()
	got := c.merge(t, nil, nil).out
	if c.but[decidesAlone] {
		return
	}
	said := got
	said.Set, said.Raw = 0, nil
	if said.Decision == hook.Allow || said.Decision == hook.Approve {
		said.Decision = hook.Undecided
	}
	if !reflect.ValueOf(said).IsZero() {
		t.Errorf("without answers the result is %+v; want the zero Output, or declare DecidesAlone", got)
	}
}

// check checks all properties with one list of answers.
func (c *reducerCheck[T]) check(t *rapid.T) {
	outs := rapid.SliceOfN(outputs(c.gen), 0, 6).Draw(t, "answers")
	first := c.merge(t, outs, nil)
	c.merge(t, rapid.SliceOfN(outputs(c.gen), 0, 2).Draw(t, "answers of another fire"), nil)
	later := c.merge(t, outs, c.pause)
	if !same(&first.out, &later.out) || first.taken != later.taken {
		t.Fatalf("the same answers have different results, at another time or after other merges:\n%+v, after %d answers\n%+v, after %d",
			first.out, first.taken, later.out, later.taken)
	}
	c.keepsBlocks(t, outs, &first.out)
	c.keepsStops(t, outs[:first.taken], &first.out)
	c.keepsDenials(t, outs, &first.out)
	if first.taken < len(outs) {
		c.cancels(t, outs, first)
	}
}

func (c *reducerCheck[T]) keepsBlocks(t *rapid.T, outs []hook.Output[T], got *hook.Output[T]) {
	if c.but[losesBlocks] || got.Decision.Blocks() {
		return
	}
	if i := slices.IndexFunc(outs, blocks[T]); i >= 0 {
		c.fail(t, "answer %d blocks, and the result does not: its decision is %q", i, got.Decision)
	}
}

func (c *reducerCheck[T]) keepsStops(t *rapid.T, taken []hook.Output[T], got *hook.Output[T]) {
	if c.but[losesStops] || got.Stop {
		return
	}
	if i := slices.IndexFunc(taken, func(o hook.Output[T]) bool { return o.Stop }); i >= 0 {
		c.fail(t, "answer %d stops the agent, and the result does not; "+
			"check the Reduce of an event, around which the engine keeps stops, or use reducers.KeepCommon", i)
	}
}

// keepsDenials checks that answers made by the engine do not override a denial.
func (c *reducerCheck[T]) keepsDenials(t *rapid.T, outs []hook.Output[T], got *hook.Output[T]) {
	at := slices.IndexFunc(outs, blocks[T])
	if at < 0 || !got.Decision.Blocks() {
		return
	}
	at = rapid.IntRange(at+1, len(outs)).Draw(t, "place of the answer that is made up")
	more := slices.Insert(slices.Clone(outs), at, assumed[T]().Draw(t, "made up"))
	if with := c.merge(t, more, nil).out; !with.Decision.Blocks() {
		c.fail(t, "an answer that the engine made up, at %d, lifts a denial: the decision is %q, without it %q",
			at, with.Decision, got.Decision)
	}
}

func blocks[T any](o hook.Output[T]) bool { return o.Decision.Blocks() }

// same reports whether two results are deeply equal.
func same[T any](a, b *hook.Output[T]) bool { return reflect.DeepEqual(a, b) }

// merged is a result with the number of answers that the reducer has read.
type merged[T any] struct {
	out   hook.Output[T]
	taken int
}

// failer has the methods that tests and properties of rapid share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// fail reports a failure. It removes the pauses from the runs that follow, because rapid has only seconds to
// shrink the failure.
func (c *reducerCheck[T]) fail(t failer, format string, args ...any) {
	t.Helper()
	c.pause = func() {}
	t.Fatalf(format, args...)
}

// merge calls the reducer with a copy of outs. pause, if not nil, is called before each answer.
func (c *reducerCheck[T]) merge(t failer, outs []hook.Output[T], pause func()) (m merged[T]) {
	t.Helper()
	mine, before := roomyCopy(outs), roomyCopy(outs)
	within := 0
	m.out = c.reduce(func(yield func(hook.Output[T]) bool) {
		within++
		defer func() { within-- }()
		for i, o := range mine {
			if pause != nil {
				pause()
			}
			m.taken = max(m.taken, i+1)
			if !yield(o) {
				return
			}
		}
	})
	if within > 0 {
		c.fail(t, "the reducer returned while it was taking answers, after %d of %d: nothing cancels the rest; "+
			"call the stop function of iter.Pull, or use a for loop", m.taken, len(outs))
	}
	if wrote(mine, before) {
		c.fail(t, "an answer was written to:\nbefore %+v\nafter  %+v", before, mine)
	}
	return m
}

// outputs draws answers of three kinds: from programs, with a Set; from functions, with an empty Set; and made by the
// engine.
func outputs[T any](gen *rapid.Generator[T]) *rapid.Generator[hook.Output[T]] {
	said := rapid.Custom(func(t *rapid.T) (o hook.Output[T]) {
		o.Decision = decisions.Draw(t, "decision")
		o.Reason, o.StopReason = texts.Draw(t, "reason"), texts.Draw(t, "stop reason")
		o.Message, o.Context = texts.Draw(t, "message"), texts.Draw(t, "context")
		o.Stop = rapid.IntRange(0, 3).Draw(t, "stop") == 3
		o.Suppress = rapid.IntRange(0, 3).Draw(t, "suppress") == 3
		own := rapid.Bool().Draw(t, "own part")
		if own {
			o.Specific = gen.Draw(t, "specific")
		}
		if rapid.Bool().Draw(t, "of a program") {
			o.Set = hook.SetAnswer | o.Common() | hook.Fields(rapid.Uint16Range(0, 1<<9-1).Draw(t, "spelled out"))
			if !own {
				o.Set &^= hook.SetSpecific
			}
		}
		return o
	})
	return rapid.OneOf(said, said, said, assumed[T]())
}

// assumed draws the engine's answers for plain text, and for a failed hook.
func assumed[T any]() *rapid.Generator[hook.Output[T]] {
	return rapid.Custom(func(t *rapid.T) hook.Output[T] {
		return hook.Output[T]{
			Decision: rapid.SampledFrom([]hook.Decision{hook.Allow, hook.Undecided}).Draw(t, "assumed"),
			Message:  texts.Draw(t, "message"), Set: hook.SetAnswer, Synthetic: true,
		}
	})
}
