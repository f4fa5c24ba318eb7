package xcsh_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
)

func fails(api *xcsh.API, with func() error) {
	xcsh.TurnStart.On(api, func(context.Context, *xcsh.TurnStartEvent, *xcsh.HookContext) error { return with() })
}

// Listeners are called in order, and cannot change a fire (rules X17, X18).
func TestListenersAreToldInTheirOrderAndCannotDisturb(t *testing.T) {
	m := start(t, xcsh.Config{})
	var told []string
	first := &xcsh.Listener{Failed: func(e xcsh.HookError) { told = append(told, "first "+e.Message); panic("listener") }}
	second := &xcsh.Listener{Failed: func(e xcsh.HookError) { told = append(told, "second "+e.Message) }}
	m.Listen(first)
	remove := m.Listen(second)
	m.Listen(first)
	var ran []string
	add(t, m, "a", func(api *xcsh.API) error {
		fails(api, func() error { return errors.New("one") })
		fails(api, func() error { panic("two") })
		says(api, &ran, "behind")
		return nil
	})
	turn(t, m)
	remove()
	m.Report(xcsh.HookError{Message: "the host's"})
	if want := []string{"first one", "second one", "first panic: two", "second panic: two", "first the host's"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if len(ran) != 1 {
		t.Errorf("ran %q behind the handlers that failed", ran)
	}
}

func TestAListenerThatPanicsLeavesASuccessfulToolAlone(t *testing.T) {
	m := start(t, xcsh.Config{})
	m.Listen(&xcsh.Listener{Failed: func(xcsh.HookError) { panic("listener") }})
	runs := 0
	add(t, m, "a", func(api *xcsh.API) error {
		xcsh.ToolResult.On(api, func(context.Context, *xcsh.ToolResultEvent, *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
			runs++
			return nil, errors.New("observer broke")
		})
		return nil
	})
	got, err := xcsh.WrapTool(m, "t", xcsh.OutputShape[input](), gives("out"))(t.Context(), "1", input{}, nil)
	if err != nil || content(got) != "out" || runs != 1 {
		t.Errorf("%v, %v after %d runs of the handler", got, err, runs)
	}
}

func TestTheErrorOfAToolCallGoesToItsCallerAlone(t *testing.T) {
	m := start(t, xcsh.Config{})
	told := errorsOf(m)
	own := errors.New("boom")
	var ran []string
	add(t, m, "a", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			return nil, own
		})
		xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			ran = append(ran, "behind")
			return nil, nil
		})
		return nil
	})
	if _, err := xcsh.ToolCall.Fire(t.Context(), m, &xcsh.ToolCallEvent{}); err != own {
		t.Errorf("the error is %v, want the handler's own", err)
	}
	if len(*told) > 0 || len(ran) > 0 {
		t.Errorf("told %q, ran %q", *told, ran)
	}
}

// Only the extension runtime reports stacks (rule X47).
func TestStacksAreTheExtensionRuntimes(t *testing.T) {
	for _, extensions := range []bool{false, true} {
		m := start(t, xcsh.Config{Extensions: extensions})
		var stack string
		m.Listen(&xcsh.Listener{Failed: func(e xcsh.HookError) { stack = e.Stack }})
		add(t, m, "a", func(api *xcsh.API) error { fails(api, func() error { panic("here") }); return nil })
		turn(t, m)
		if got := strings.Contains(stack, "TestStacksAreTheExtensionRuntimes"); got != extensions {
			t.Errorf("extensions %v: the stack is %q", extensions, stack)
		}
	}
}

func TestAGateThatIsGivenUpIsNamed(t *testing.T) {
	m := start(t, xcsh.Config{})
	add(t, m, "slow", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(ctx context.Context, _ *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		return nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := xcsh.ToolCall.Fire(ctx, m, &xcsh.ToolCallEvent{ToolName: "bash"})
	if err == nil || err.Error() != "slow: context deadline exceeded" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
