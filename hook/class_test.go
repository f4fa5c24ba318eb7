package hook_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

type noRunner struct{}

func (noRunner) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, nil }

func TestEveryFailureHasOneClass(t *testing.T) {
	outside := &hook.Hook{Identity: hook.Identity{Event: "e", Command: "c"}, Runner: noRunner{}}
	inside := &hook.Hook{Identity: hook.Identity{Event: "e", Command: "c"}}
	exit := func(r hook.Reply) error { return &hook.ExitError{Reply: &r} }
	tests := map[string]struct {
		hook *hook.Hook // nil: the bare error
		err  error
		want hook.Class
	}{
		"no failure":                        {nil, nil, ""},
		"an unknown error of a runner":      {outside, errors.New("x"), hook.ClassSpawn},
		"no such program":                   {outside, fmt.Errorf("start: %w", syscall.ENOENT), hook.ClassMissing},
		"a program that may not start":      {outside, fmt.Errorf("start: %w", syscall.EAGAIN), hook.ClassSpawn},
		"an error of a hook in Go":          {inside, errors.New("x"), hook.ClassExit},
		"a missing file of a hook in Go":    {inside, fs.ErrNotExist, hook.ClassExit},
		"a bare error":                      {nil, errors.New("x"), hook.ClassExit},
		"status 1":                          {outside, exit(hook.Reply{Exit: 1}), hook.ClassExit},
		"status 126":                        {outside, exit(hook.Reply{Exit: 126}), hook.ClassMissing},
		"status 127":                        {outside, exit(hook.Reply{Exit: 127}), hook.ClassMissing},
		"a signal":                          {outside, exit(hook.Reply{Exit: -1, Signal: syscall.SIGKILL}), hook.ClassCrash},
		"an exit without a reply":           {outside, &hook.ExitError{}, hook.ClassExit},
		"a panic":                           {inside, &hook.PanicError{Value: 1}, hook.ClassCrash},
		"its own time":                      {outside, &hook.TimeoutError{After: time.Second}, hook.ClassTimeout},
		"a deadline":                        {inside, context.DeadlineExceeded, hook.ClassTimeout},
		"time that a runner puts elsewhere": {outside, &hook.ClassError{Class: hook.ClassHTTP, Err: &hook.TimeoutError{}}, hook.ClassTimeout},
		"the caller's end":                  {outside, context.Canceled, hook.ClassCancelled},
		"the caller's end, with a cause":    {outside, fmt.Errorf("%w: %w", context.Canceled, errors.New("esc")), hook.ClassCancelled},
		"the system's end":                  {outside, hook.ErrClosed, hook.ClassCancelled},
		"a flood":                           {outside, &hook.TooLargeError{Kept: 1}, hook.ClassOversize},
		"a type that cannot be run":         {inside, hook.ErrUnsupported, hook.ClassSpawn},
		"what a runner knows":               {outside, &hook.ClassError{Class: hook.ClassModel, Err: errors.New("x")}, hook.ClassModel},
		"a full queue":                      {outside, &hook.QueueError{After: time.Second}, hook.ClassQueue},
		"an open breaker":                   {outside, &hook.BreakerError{Failures: 5, For: time.Second}, hook.ClassBreaker},
		"an entry that cannot be used":      {outside, &hook.ClassError{Class: hook.ClassInvalid, Err: errors.New("x")}, hook.ClassInvalid},
		"a worker that is not there":        {outside, &hook.ClassError{Class: hook.ClassRemote, Err: errors.New("x")}, hook.ClassRemote},
		"an untrusted project":              {outside, hook.ErrUntrusted, hook.ClassUntrusted},
	}
	seen := map[hook.Class]bool{}
	for name, test := range tests {
		err := test.err
		if test.hook != nil {
			err = &hook.Error{Hook: test.hook, Err: err}
		}
		got := hook.ClassOf(err)
		if got != test.want {
			t.Errorf("%s: class %q, want %q", name, got, test.want)
		}
		seen[got] = true
	}
	for _, class := range hook.Classes() {
		if !seen[class] && class != hook.ClassHTTP && class != hook.ClassOutput { // only runners and decoders return these two
			t.Errorf("no case is of class %q", class)
		}
	}
}

func TestAClassedErrorSaysWhatItsErrorSays(t *testing.T) {
	inner := errors.New("answered 500")
	err := &hook.ClassError{Class: hook.ClassHTTP, Err: inner}
	if err.Error() != inner.Error() || !errors.Is(err, inner) {
		t.Errorf("got %q, want the text and the chain of %q", err, inner)
	}
}
