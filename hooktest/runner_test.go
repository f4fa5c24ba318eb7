package hooktest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// inProcess is a correct runner, whose hook is a function.
func inProcess(ctx context.Context, call hook.Call) (reply hook.Reply, err error) {
	ctx, cancel := call.Limit(ctx)
	defer cancel()
	if err := context.Cause(ctx); err != nil {
		return reply, err
	}
	answer, err := Answer(ctx, call.Payload)
	if len(answer) > 1<<20 {
		return hook.Reply{Stdout: answer[:1<<20], Truncated: hook.Stdout}, nil
	}
	return hook.Reply{Stdout: answer}, err
}

type runnerFunc func(context.Context, hook.Call) (hook.Reply, error)

func (f runnerFunc) Run(ctx context.Context, call hook.Call) (hook.Reply, error) { return f(ctx, call) }

func TestACorrectRunnerPasses(t *testing.T) {
	Runner(t, runnerFunc(inProcess))
	Runner(t, &run.Command{Argv: []string{"sh", "-c", Script}})
}

func TestABrokenRunnerFails(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 5 * time.Second
	release := make(chan struct{})
	var left sync.WaitGroup
	t.Cleanup(func() { close(release); left.Wait() })
	var shared []byte
	var mu sync.Mutex
	for name, tt := range map[string]struct {
		run  runnerFunc
		want string
	}{
		"cuts the payload": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			call.Payload = call.Payload[:min(len(call.Payload), 64<<10)]
			return inProcess(ctx, call)
		}, "65537 bytes"},
		"writes to the payload": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			given := bytes.Clone(call.Payload)
			call.Payload[0] = ' '
			return inProcess(ctx, hook.Call{Payload: given, Timeout: call.Timeout})
		}, "was written to"},
		"ignores the timeout": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			ctx, cancel := context.WithCancel(ctx)
			left.Go(func() { <-release; cancel() })
			call.Timeout = 0
			return inProcess(ctx, call)
		}, "with a Timeout of 200ms"},
		"ignores its context": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			if bytes.Contains(call.Payload, []byte(`"hang","number":1`)) {
				left.Add(1)
				defer left.Done()
				<-release
			}
			return inProcess(ctx, call)
		}, "after the call's context has ended"},
		"calls a timeout a failure": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			reply, err := inProcess(ctx, call)
			if err != nil {
				err = errors.New("it failed")
			}
			return reply, err
		}, "want a *hook.TimeoutError"},
		"calls the end of its context an answer": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			reply, err := inProcess(ctx, call)
			if ctx.Err() != nil {
				err = nil
			}
			return reply, err
		}, "want its cause"},
		"starts when its context has ended": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			if ctx.Err() != nil {
				return hook.Reply{}, nil
			}
			return inProcess(ctx, call)
		}, "want an error at once"},
		"keeps everything": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			ctx, cancel := call.Limit(ctx)
			defer cancel()
			answer, err := Answer(ctx, call.Payload)
			return hook.Reply{Stdout: answer}, err
		}, "want a limit"},
		"hides that output was cut": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			reply, err := inProcess(ctx, call)
			reply.Truncated = 0
			return reply, err
		}, "Truncated does not say so"},
		"mixes calls up": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			mu.Lock()
			shared = call.Payload
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			call.Payload = shared
			mu.Unlock()
			return inProcess(ctx, call)
		}, "used from 16 goroutines"},
		"leaks a goroutine": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			left.Go(func() { <-release })
			return inProcess(ctx, call)
		}, "goroutines"},
		"leaks a file when its context ends": {func(ctx context.Context, call hook.Call) (hook.Reply, error) {
			reply, err := inProcess(ctx, call)
			if err != nil {
				if f, err := os.Open(os.DevNull); err == nil {
					t.Cleanup(func() { f.Close() })
				}
			}
			return reply, err
		}, "open files"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, tt.want, func(t testing.TB) { Runner(t, tt.run) })
		})
	}
}

func TestAnUnboundedRunnerDeclaresIt(t *testing.T) {
	Runner(t, runnerFunc(func(ctx context.Context, call hook.Call) (hook.Reply, error) {
		ctx, cancel := call.Limit(ctx)
		defer cancel()
		if err := context.Cause(ctx); err != nil {
			return hook.Reply{}, err
		}
		answer, err := Answer(ctx, call.Payload)
		return hook.Reply{Stdout: answer}, err
	}), Unbounded("it is a function of this test"))
}
