package modules

import (
	"context"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
)

// boundContext is the value to which the functions of a ctx are bound.
type boundContext struct {
	*xcsh.HookContext
	m       *boundModule
	control *xcsh.CommandContext // of a command; nil for a handler
}

// view describes the ctx of handlers.
var view = extendedView(&jsrun.Object{
	Sync: map[string]jsrun.Func{
		"isIdle":            asks((*xcsh.HookContext).IsIdle),
		"hasQueuedMessages": asks((*xcsh.HookContext).HasQueuedMessages),
		// the name of hasQueuedMessages in the extension runtime
		"hasPendingMessages": asks((*xcsh.HookContext).HasQueuedMessages),
		"abort":              jsrun.On(abort),
	},
	Getters: map[string]jsrun.Func{"model": jsrun.On(model)},
	Objects: map[string]*jsrun.Object{"ui": ui, "sessionManager": session, "modelRegistry": models},
})

// asks returns a function of a ctx that takes no arguments and returns a value of the host.
func asks[T any](f func(*xcsh.HookContext) T) jsrun.Func {
	return jsrun.On(func(_ context.Context, s *boundContext, _ jsrun.Args) (any, error) { return f(s.HookContext), nil })
}

func abort(_ context.Context, s *boundContext, _ jsrun.Args) (any, error) {
	s.Abort()
	return nil, nil
}

func model(_ context.Context, s *boundContext, _ jsrun.Args) (any, error) {
	if m := s.Model(); !m.IsEmpty() {
		return m, nil
	}
	return nil, nil
}

// orNone returns the answer, or undefined if there is none.
func orNone[T any](answer T, ok bool) any {
	if !ok {
		return nil
	}
	return answer
}

// textOrNone returns the text, or undefined if it is empty.
func textOrNone(text string) any { return orNone(text, text != "") }

// textOrNull returns the text, or null if it is empty.
func textOrNull(text string) any { return orNull(text, text != "") }

// orNull returns the answer, or null if there is none.
func orNull[T any](answer T, ok bool) any {
	if !ok {
		return jsrun.Value("null")
	}
	return answer
}
