package within_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/request"
)

// host is a model, an agent and a caller of tools that answers after a wait.
type host func(context.Context) error

func (h host) Generate(ctx context.Context, _ judge.ModelRequest) (string, error) {
	return `{"ok":true}`, h(ctx)
}

func (h host) RunAgent(ctx context.Context, _ judge.AgentRequest) (string, error) {
	return `{"ok":true}`, h(ctx)
}

func (h host) CallTool(ctx context.Context, _ request.ToolRequest) (request.ToolAnswer, error) {
	return request.ToolAnswer{}, h(ctx)
}

func nothing(judge.Verdict) hook.Reply { return hook.Reply{} }

func TestHostsKeepToTheTimeout(t *testing.T) {
	gone := errors.New("gone")
	polite := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	deaf := func(context.Context) error { testkit.Sleep(time.Minute); return nil }
	for _, tt := range []struct {
		name    string
		wait    func(context.Context) error
		timeout time.Duration
		cancel  bool // after a second
		want    error
		took    time.Duration
	}{
		{"a host that watches its context", polite, 30 * time.Second, false, &hook.TimeoutError{After: 30 * time.Second}, 30 * time.Second},
		{"a host that answers too late", deaf, 30 * time.Second, false, &hook.TimeoutError{After: 30 * time.Second}, time.Minute},
		{"a host that answers in time", deaf, 2 * time.Minute, false, nil, time.Minute},
		{"no timeout", deaf, 0, false, nil, time.Minute},
		{"the caller gives up", polite, 30 * time.Second, true, gone, time.Second},
	} {
		runners := map[string]hook.Runner{
			"model": &judge.Judge{Answer: nothing, Model: host(tt.wait)},
			"agent": &judge.Judge{Answer: nothing, Agent: host(tt.wait)},
			"tool":  &request.Tool{Caller: host(tt.wait)},
		}
		for kind, runner := range runners {
			t.Run(tt.name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					if tt.cancel {
						time.AfterFunc(time.Second, func() { cancel(gone) })
					}
					start := time.Now()
					_, err := runner.Run(ctx, hook.Call{Payload: []byte("{}"), Timeout: tt.timeout})
					if took := time.Since(start); took != tt.took || !cmp.Equal(err, tt.want, sameText) {
						t.Errorf("err = %v after %v, want %v after %v", err, took, tt.want, tt.took)
					}
				})
			})
		}
	}
}

var sameText = cmp.Comparer(func(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
})
