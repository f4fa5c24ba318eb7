package xcsh_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/wire"
)

func TestEventsOfTheHostsOwnAreToldToWhoeverListens(t *testing.T) {
	m := start(t, xcsh.Config{Dir: "/proj"})
	failed := errorsOf(m)
	var saw []string
	says := func(who string, err error) xcsh.DynamicHandler {
		return func(_ context.Context, event wire.Object, hc *xcsh.HookContext) (xcsh.DynamicResult, error) {
			saw = append(saw, who+" "+hc.Dir+" "+string(event))
			copy(event[2:], "lost") // changes only the handler's own copy
			return xcsh.DynamicResult{Value: jsontext.Value(`{"cancel":true}`)}, err
		}
	}
	var second *xcsh.API
	var leave func()
	add(t, m, "a", func(api *xcsh.API) error {
		xcsh.OnDynamic(api, "deployed", says("a1", errors.New("lost its way")))
		xcsh.OnDynamic(api, "deployed", func(context.Context, wire.Object, *xcsh.HookContext) (xcsh.DynamicResult, error) {
			xcsh.OnDynamic(api, "deployed", says("late", nil))
			xcsh.OnDynamic(second, "deployed", says("b2", nil))
			leave()
			panic("fell")
		})
		leave = xcsh.OnDynamic(api, "deployed", says("gone", nil))
		xcsh.OnDynamic(api, "undeployed", says("other", nil))
		xcsh.OnDynamic(api, "turn_start", says("other", nil))
		return nil
	})
	add(t, m, "b", func(api *xcsh.API) error {
		second = api
		xcsh.OnDynamic(api, "deployed", says("b1", nil))
		return nil
	})
	if err := m.Announce(t.Context(), "deployed", wire.Object(`{"to":"prod","type":"x"}`)); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, who := range []string{"a1", "late", "b1", "b2"} {
		want = append(want, who+` /proj {"type":"deployed","to":"prod"}`)
	}
	if !slices.Equal(saw, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(saw, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{"a deployed lost its way", "a deployed panic: fell"}; !slices.Equal(*failed, want) {
		t.Errorf("reported %q, want %q", *failed, want)
	}
}

func TestOnlyEventsOfTheHostsOwnCanBeAnnounced(t *testing.T) {
	m := start(t, xcsh.Config{})
	add(t, m, "gate", func(api *xcsh.API) error {
		xcsh.OnDynamic(api, "mine", nil)
		xcsh.ToolCall.On(api, func(context.Context, *xcsh.ToolCallEvent, *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			t.Error("a gate was asked, and cannot block")
			return nil, nil
		})
		return nil
	})
	for name, event := range map[string]string{"tool_call": `{"toolName":"bash","input":{}}`, "mine": `[]`, "mine ": `{`} {
		if err := m.Announce(t.Context(), name, wire.Object(event)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s %s: the error is %v, want one that names it", name, event, err)
		}
	}
	for _, event := range []string{``, `{}`} {
		if err := m.Announce(t.Context(), "mine", wire.Object(event)); err != nil {
			t.Errorf("%q: %v", event, err)
		}
	}
}
