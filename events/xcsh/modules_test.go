package xcsh_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// says subscribes a handler that records in ran that it ran.
func says(api *xcsh.API, ran *[]string, name string) (remove func()) {
	return xcsh.TurnStart.On(api, func(context.Context, *xcsh.TurnStartEvent, *xcsh.HookContext) error {
		*ran = append(*ran, name)
		return nil
	})
}

func turn(t *testing.T, m *xcsh.Modules) { xcsh.TurnStart.Fire(t.Context(), m, &xcsh.TurnStartEvent{}) }

// Modules run in the order in which they were loaded (rule X14).
func TestModulesRunInTheOrderInWhichTheyWereLoaded(t *testing.T) {
	m := start(t, xcsh.Config{})
	var ran []string
	var early *xcsh.API
	add(t, m, "z", func(api *xcsh.API) error { early = api; says(api, &ran, "z1"); says(api, &ran, "z2"); return nil })
	add(t, m, "a", func(api *xcsh.API) error { says(api, &ran, "a1"); return nil })
	remove := says(early, &ran, "z3")
	turn(t, m)
	if want := []string{"z1", "z2", "z3", "a1"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	ran = nil
	remove()
	remove()
	turn(t, m)
	if want := []string{"z1", "z2", "a1"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q once z3 was removed, want %q", ran, want)
	}
}

// A handler can be subscribed during a fire (rule X3).
func TestAHandlerCanBeSubscribedInTheMiddleOfAFire(t *testing.T) {
	m := start(t, xcsh.Config{})
	var ran []string
	add(t, m, "a", func(api *xcsh.API) error {
		xcsh.TurnStart.On(api, func(context.Context, *xcsh.TurnStartEvent, *xcsh.HookContext) error {
			ran = append(ran, "a")
			says(api, &ran, "late")
			return nil
		})
		return nil
	})
	add(t, m, "b", func(api *xcsh.API) error { says(api, &ran, "b"); return nil })
	turn(t, m)
	if want := []string{"a", "late", "b"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
}

// A module that fails leaves no registrations (rules X1, X38).
func TestNothingStaysOfAModuleThatFails(t *testing.T) {
	for name, fail := range map[string]func() error{
		"an error": func() error { return errors.New("no license") },
		"a panic":  func() error { panic("no license") },
	} {
		m := start(t, xcsh.Config{})
		var ran []string
		var kept *xcsh.API
		err := m.Add("a.ts", func(api *xcsh.API) error {
			kept = api
			says(api, &ran, "a")
			api.RegisterCommand(xcsh.Command{Name: "x"})
			api.RegisterMessageRenderer("t", nil)
			return fail()
		})
		says(kept, &ran, "too late")
		kept.RegisterCommand(xcsh.Command{Name: "x"})
		turn(t, m)
		_, command := m.Command("x")
		_, renderer := m.Renderer("t")
		failed := new(xcsh.LoadError)
		if !errors.As(err, &failed) || failed.Path != "a.ts" || !strings.HasPrefix(failed.Err.Error(), "Failed to load hook: ") || !strings.HasSuffix(failed.Err.Error(), "no license") {
			t.Errorf("%s: the error is %v", name, err)
		}
		if len(ran) > 0 || command || renderer || len(m.Paths()) > 0 {
			t.Errorf("%s: of the module stays: handlers %q, command %v, renderer %v, paths %q", name, ran, command, renderer, m.Paths())
		}
	}
}

func TestCloseTakesEverythingAway(t *testing.T) {
	m := start(t, xcsh.Config{})
	var ran []string
	add(t, m, "a", func(api *xcsh.API) error { says(api, &ran, "a"); return nil })
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	turn(t, m)
	if len(ran) > 0 || m.Has("turn_start") || xcsh.TurnStart.Active(m) {
		t.Errorf("ran %q, has %v", ran, m.Has("turn_start"))
	}
}

// A module can subscribe to any name (rule X2).
func TestAnyNameCanBeSubscribedTo(t *testing.T) {
	m := start(t, xcsh.Config{})
	add(t, m, "a", func(api *xcsh.API) error {
		xcsh.OnDynamic(api, "no_such_event", nil)
		return nil
	})
	if !m.Has("no_such_event") || m.Has("turn_start") {
		t.Errorf("has %+v", m.Infos())
	}
}

// Each handler gets its own copy of the event (rule X12).
func TestEachHandlerHasACopyOfItsOwn(t *testing.T) {
	m := start(t, xcsh.Config{})
	leaf, before := "leaf", `{"text":"aaaa","type":"text"}`
	spoil := func(b []byte) {
		for i := range b {
			b[i] = '!'
		}
	}
	add(t, m, "a", func(api *xcsh.API) error {
		for range 2 {
			xcsh.ToolResult.On(api, func(_ context.Context, e *xcsh.ToolResultEvent, _ *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
				if string(e.Content[0].Object) != before || string(e.Input) != `{"a":1}` || string(e.Details) != "[2]" {
					t.Errorf("a handler sees %s", e.Content[0])
				}
				spoil(e.Content[0].Object)
				spoil(e.Input)
				spoil(e.Details)
				e.Content[0] = xcsh.TextPart("other")
				return nil, nil
			})
			xcsh.SessionBeforeTree.On(api, func(_ context.Context, e *xcsh.SessionBeforeTreeEvent, _ *xcsh.HookContext) (*xcsh.SessionBeforeTreeResult, error) {
				if *e.Preparation.OldLeafID != "leaf" || e.Preparation.EntriesToSummarize[0].Text("id") != "1" {
					t.Errorf("a handler sees %+v", e)
				}
				*e.Preparation.OldLeafID = "spoiled"
				spoil(e.Preparation.EntriesToSummarize[0].Object)
				return nil, nil
			})
			xcsh.Context.On(api, func(_ context.Context, e *xcsh.ContextEvent, _ *xcsh.HookContext) (*xcsh.ContextResult, error) {
				if e.Messages[0].Role() != "user" {
					t.Errorf("a handler sees %s", e.Messages[0])
				}
				spoil(e.Messages[0].Object)
				return nil, nil
			})
		}
		return nil
	})
	result := xcsh.ToolResultEvent{Input: wire.Object(`{"a":1}`), Content: []xcsh.Part{{Object: wire.Object(before)}}, Details: []byte("[2]")}
	tree := xcsh.SessionBeforeTreeEvent{Preparation: xcsh.TreePreparation{OldLeafID: &leaf, EntriesToSummarize: []xcsh.Entry{{Object: wire.Object(`{"id":"1"}`)}}}}
	messages := xcsh.ContextEvent{Messages: []xcsh.Message{{Object: wire.Object(`{"role":"user"}`)}, {}}}
	_, err1 := xcsh.ToolResult.Fire(t.Context(), m, &result)
	_, err2 := xcsh.SessionBeforeTree.Fire(t.Context(), m, &tree)
	_, err3 := xcsh.Context.Fire(t.Context(), m, &messages)
	if err := errors.Join(err1, err2, err3); err != nil || string(result.Content[0].Object) != before || leaf != "leaf" || messages.Messages[0].Role() != "user" {
		t.Errorf("%v: the caller's event is now %s, %s, %s", err, result.Content[0], leaf, messages.Messages[0])
	}
}

func TestHandlersHaveNoTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := start(t, xcsh.Config{})
		add(t, m, "a", func(api *xcsh.API) error {
			xcsh.ToolCall.On(api, func(ctx context.Context, _ *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
				if _, limited := ctx.Deadline(); limited {
					t.Error("the context has a deadline")
				}
				time.Sleep(10 * time.Hour)
				return &xcsh.ToolCallResult{Block: true}, nil
			})
			return nil
		})
		if r, err := xcsh.ToolCall.Fire(t.Context(), m, &xcsh.ToolCallEvent{}); err != nil || r == nil || !r.Block {
			t.Errorf("the answer after ten hours is %+v, %v", r, err)
		}
	})
}

func TestACancelledContextReachesHandlersThatRunAllTheSame(t *testing.T) {
	m := start(t, xcsh.Config{})
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("the user has gone")
	var saw []error
	note := func(ctx context.Context) { saw = append(saw, context.Cause(ctx)) }
	add(t, m, "a", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(ctx context.Context, _ *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			note(ctx)
			cancel(gone)
			<-ctx.Done()
			return nil, nil
		})
		xcsh.ToolCall.On(api, func(ctx context.Context, _ *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			note(ctx)
			return &xcsh.ToolCallResult{Block: true, Reason: "still on guard"}, nil
		})
		return nil
	})
	r, err := xcsh.ToolCall.Fire(ctx, m, &xcsh.ToolCallEvent{})
	if err != nil || r == nil || r.Reason != "still on guard" || len(saw) != 2 || saw[0] != nil || !errors.Is(saw[1], gone) {
		t.Errorf("answer %+v, %v; the handlers saw %v", r, err, saw)
	}
}

func TestWithTheSystemClosedAToolCallFailsClosed(t *testing.T) {
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet})
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	m := xcsh.New(ses, xcsh.Config{Log: quiet})
	add(t, m, "gate", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			t.Error("the gate runs")
			return nil, nil
		})
		return nil
	})
	sys.Close()
	if _, err := xcsh.ToolCall.Fire(t.Context(), m, &xcsh.ToolCallEvent{}); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}

func TestModulesAreSafeForManyGoroutines(t *testing.T) {
	m := start(t, xcsh.Config{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				add(t, m, "a", func(api *xcsh.API) error {
					xcsh.TurnStart.On(api, func(_ context.Context, _ *xcsh.TurnStartEvent, hc *xcsh.HookContext) error {
						hc.IsIdle()
						return io.EOF
					})
					return nil
				})
				turn(t, m)
				m.Initialize(xcsh.Host{})
				m.Listen(&xcsh.Listener{Failed: func(xcsh.HookError) {}})()
			}
		})
	}
	all.Wait()
	if n := len(m.Paths()); n != 200 {
		t.Errorf("%d modules, want 200", n)
	}
}
