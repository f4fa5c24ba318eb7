package hooktest

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Chain checks the inputs that follow each other in a sequential plan:
//
//   - the same input and answer give the same next input;
//   - inputs and answers are not written to, nor is the input that the caller fired;
//   - a silent hook changes nothing.
//
// It fires the event with hooks in Go, one after another. Inputs and answers come from the generators; nil means
// [Values]. Inputs that the event rejects are skipped.
func Chain[In, Out any](
	t testing.TB,
	event *pipeline.Event[In, Out],
	inputs *rapid.Generator[In],
	answers *rapid.Generator[Out],
) {
	t.Helper()
	said := outputs(orValues(answers))
	ins := orValues(inputs)
	c := &chainCheck[In, Out]{event: event}
	c.s = open(t, []Option{
		On(event, "first", c.first, inSequence), On(event, "second", c.second, inSequence), On(event, "third", c.third, inSequence),
	})
	refused, fired := 0, 0
	check(t, func(t *rapid.T) {
		if c.fire(t, ins.Draw(t, "input"), said.Draw(t, "answer")) {
			fired++
		} else {
			refused++
		}
	})
	if fired == 0 {
		t.Errorf("the event refuses all %d inputs: write a generator for them", refused)
	}
}

func inSequence(h *hook.Hook, _ *pipeline.Info) { h.Sequential = true }

type chainCheck[In, Out any] struct {
	event *pipeline.Event[In, Out]
	s     *pipeline.Session

	answer hook.Output[Out]
	given  In // input of the hook that answers
	next   In // input of the second hook
	last   In // input of the third hook; the second is silent
	ran    int
}

func (c *chainCheck[In, Out]) first(_ context.Context, in In) (hook.Output[Out], error) {
	c.given, c.ran = in, 1
	return c.answer, nil
}

func (c *chainCheck[In, Out]) second(_ context.Context, in In) (o hook.Output[Out], err error) {
	c.next, c.ran = in, 2
	return o, nil
}

func (c *chainCheck[In, Out]) third(_ context.Context, in In) (o hook.Output[Out], err error) {
	c.last, c.ran = in, 3
	return o, nil
}

// fire fires an input twice, or once if the event rejects it or the answer ends the chain; the first hook gives the
// same answer both times.
func (c *chainCheck[In, Out]) fire(t *rapid.T, in In, answer hook.Output[Out]) (accepted bool) {
	answer.Synthetic = false
	original, said := roomyCopy(in), roomyCopy(answer)
	in, c.answer = roomyCopy(in), answer
	if answer = roomyCopy(answer); !c.run(t, &in, answer) {
		return false
	}
	switch ran, next := c.ran, c.next; {
	case wrote(in, original):
		t.Fatalf("the caller's input was written to:\nbefore %+v\nafter  %+v", original, in)
	case wrote(answer, said):
		t.Fatalf("the answer was written to:\nbefore %+v\nafter  %+v", said, answer)
	case ran < 3:
		return true // the answer ended the chain
	case !reflect.DeepEqual(c.last, next):
		t.Fatalf("a hook that said nothing changed the input:\nbefore %+v\nafter  %+v", next, c.last)
	default:
		again := roomyCopy(original)
		if c.run(t, &again, roomyCopy(said)); !reflect.DeepEqual(c.next, next) || c.ran != ran {
			t.Fatalf("the same input and answer have different next inputs:\n%+v\n%+v", next, c.next)
		}
	}
	return true
}

func (c *chainCheck[In, Out]) run(t *rapid.T, in *In, answer hook.Output[Out]) (accepted bool) {
	c.answer, c.ran = answer, 0
	_, err := c.event.Fire(t.Context(), c.s, in)
	if c.ran == 0 {
		return false
	}
	if err != nil {
		t.Fatalf("the fire: %v", err)
	}
	return true
}
