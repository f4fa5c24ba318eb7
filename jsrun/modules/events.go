package modules

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/wire"
)

// Grace is the time for a handler that is called after its context has ended. Handlers are called even then, because
// the action that they guard may still go ahead.
const Grace = 5 * time.Second

// interruptible describes an event with a signal.
var interruptible = &jsrun.Object{Signal: "signal"}

var signalled = map[string]bool{"session_before_compact": true, "session_before_tree": true}

func on(_ context.Context, m *boundModule, args jsrun.Args) (any, error) {
	handle, err := args.Handle(1)
	if err != nil {
		return nil, err
	}
	name := args.String(0)
	handler, known := m.register("on "+name, handle)
	if known {
		return nil, nil
	}
	xcsh.OnDynamic(
		m.api,
		name,
		func(ctx context.Context, event wire.Object, hc *xcsh.HookContext) (xcsh.DynamicResult, error) {
			return m.handle(ctx, handler, signalled[name], jsontext.Value(event), hc)
		},
	)
	return nil, nil
}

// handle calls a handler. If the context has ended before the call, the handler's requests to the host end at once, but
// handle waits for the handler's answer, at most as long as Grace.
func (m *boundModule) handle(
	ctx context.Context,
	h *function,
	signal bool,
	event jsontext.Value,
	hc *xcsh.HookContext,
) (xcsh.DynamicResult, error) {
	waiting := ctx
	if ctx.Err() != nil {
		var cancel func()
		waiting, cancel = context.WithTimeoutCause(context.WithoutCancel(ctx), Grace, context.Cause(ctx))
		defer cancel()
	}
	var first any = event
	if signal {
		first = interruptible.Bind(nil, event).In(ctx)
	}
	answer, err := m.call(waiting, h, first, view.Bind(&boundContext{HookContext: hc, m: m}, facts(hc)).In(ctx))
	own, touched := jsrun.Split(answer)
	return xcsh.DynamicResult{
		Value: jsontext.Value(own), Changed: wire.Object(touched.Changed), Assigned: touched.Assigned,
	}, m.failure(err)
}

// facts returns the constant properties of a ctx.
func facts(hc *xcsh.HookContext) jsontext.Value {
	b := strconv.AppendBool([]byte(`{"hasUI":`), hc.HasUI)
	b = append(append(b, `,"cwd":`...), wire.Quote(hc.Dir)...)
	return append(b, '}')
}

// failure converts an error of the module for xcsh: an exception keeps its own message, and a
// failure of the engine names the module.
func (m *boundModule) failure(err error) error {
	thrown := new(jsrun.Error)
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*jsrun.UnavailableError)):
		return err
	case !errors.As(err, &thrown) || thrown.Name == "InternalError":
		return m.named(err)
	case thrown.NonError:
		return &xcsh.Thrown{Value: thrown.Message}
	}
	return thrown
}

func (m *boundModule) named(err error) error { return fmt.Errorf("%s: %w", m.api.Path(), err) }

// lines returns a text, or the joined list of lines.
func lines(v jsrun.Value) (string, error) {
	if v.Kind() != '[' {
		return jsrun.Args{v}.String(0), nil
	}
	var list []string
	err := jsrun.Args{v}.Decode(0, &list)
	return strings.Join(list, "\n"), err
}
