package modules

import (
	"context"
	"errors"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
)

// ui describes ctx.ui. Functions that wait for the user return a promise.
var ui = extendedUI(&jsrun.Object{
	Async: map[string]jsrun.Func{
		"select":  jsrun.On(choose),
		"confirm": jsrun.On(confirm),
		"input":   jsrun.On(input),
		"editor":  jsrun.On(editor),
		"custom":  jsrun.On(custom),
	},
	Sync: map[string]jsrun.Func{
		"notify":        shows(func(ui xcsh.UI, args jsrun.Args) { ui.Notify(args.String(0), args.String(1)) }),
		"setEditorText": shows(func(ui xcsh.UI, args jsrun.Args) { ui.SetEditorText(args.String(0)) }),
		"setStatus":     shows(setStatus),
		"getEditorText": asks(func(hc *xcsh.HookContext) string { return hc.UI.EditorText() }),
	},
	Objects: map[string]*jsrun.Object{"theme": {Sync: themeFuncs(func(s *boundContext) xcsh.Theme { return s.UI.Theme() })}},
})

func choose(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	var options []string
	if err := args.Decode(1, &options); err != nil {
		return nil, err
	}
	return orNone(s.UI.Select(ctx, args.String(0), options)), nil
}

func confirm(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	return s.UI.Confirm(ctx, args.String(0), args.String(1)), nil
}

func input(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	return orNone(s.UI.Input(ctx, args.String(0), args.String(1))), nil
}

func editor(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	return orNone(s.UI.Editor(ctx, args.String(0), args.String(1))), nil
}

var errNoCustom = errors.New(
	"ctx.ui.custom is not available: components cannot be passed to the host; use select, confirm, input or editor",
)

func custom(_ context.Context, s *boundContext, _ jsrun.Args) (any, error) {
	if s.HasUI {
		return nil, errNoCustom
	}
	return nil, nil
}

func setStatus(ui xcsh.UI, args jsrun.Args) {
	if v := args.Value(1); v == nil || v.Kind() == 'n' {
		ui.ClearStatus(args.String(0))
		return
	}
	ui.SetStatus(args.String(0), args.String(1))
}

// shows returns a function of ctx.ui that returns nothing.
func shows(f func(xcsh.UI, jsrun.Args)) jsrun.Func {
	return jsrun.On(func(_ context.Context, s *boundContext, args jsrun.Args) (any, error) {
		f(s.UI, args)
		return nil, nil
	})
}

// themeFuncs returns the functions of a theme: fg and bg, which use the colours of the host's theme,
// and styles, which leave a text as it is.
func themeFuncs[T any](of func(T) xcsh.Theme) map[string]jsrun.Func {
	colours := func(f func(theme xcsh.Theme, colour, text string) string) jsrun.Func {
		return jsrun.On(func(_ context.Context, this T, args jsrun.Args) (any, error) {
			return f(of(this), args.String(0), args.String(1)), nil
		})
	}
	funcs := map[string]jsrun.Func{"fg": colours(xcsh.Theme.Fg), "bg": colours(xcsh.Theme.Bg)}
	for _, style := range []string{"bold", "italic", "underline", "inverse", "strikethrough"} {
		funcs[style] = func(_ context.Context, _ any, args jsrun.Args) (any, error) { return args.String(0), nil }
	}
	return funcs
}
