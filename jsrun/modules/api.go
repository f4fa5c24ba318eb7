package modules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/wire"
)

// pi is the object that a factory receives.
var pi = extended(&jsrun.Object{
	Sync: map[string]jsrun.Func{
		"on":                      jsrun.On(on),
		"sendMessage":             jsrun.On(sendMessage),
		"appendEntry":             jsrun.On(appendEntry),
		"registerCommand":         jsrun.On(registerCommand),
		"registerMessageRenderer": jsrun.On(registerRenderer),
	},
	Around:  map[string]string{"registerMessageRenderer": drawn},
	Async:   map[string]jsrun.Func{"exec": jsrun.On(exec)},
	Objects: map[string]*jsrun.Object{"logger": logger},
	Missing: map[string]string{
		"pi": "pi.pi is not available: the host offers modules no package of its own",
	},
})

var logger = &jsrun.Object{Sync: map[string]jsrun.Func{
	"error": logging(slog.LevelError),
	"warn":  logging(slog.LevelWarn),
	"debug": logging(slog.LevelDebug),
}}

func sendMessage(_ context.Context, m *boundModule, args jsrun.Args) (any, error) {
	var message xcsh.CustomMessage
	if err := args.Decode(0, &message); err != nil {
		return nil, err
	}
	var opt struct {
		TriggerTurn jsrun.Value `json:"triggerTurn"`
		DeliverAs   string      `json:"deliverAs"`
	}
	if args.Value(1).Kind() == '{' { // older modules pass a boolean, which is ignored
		if err := args.Decode(1, &opt); err != nil {
			return nil, err
		}
	}
	return nil, m.api.SendMessage(
		message,
		xcsh.SendOptions{TriggerTurn: jsrun.Truthy(opt.TriggerTurn), DeliverAs: opt.DeliverAs},
	)
}

func appendEntry(_ context.Context, m *boundModule, args jsrun.Args) (any, error) {
	if data := args.Value(1); data != nil {
		return nil, m.api.AppendEntry(args.String(0), data)
	}
	return nil, m.api.AppendEntry(args.String(0), nil)
}

// errNoExec is the error of pi.exec if modules may not run programs.
var errNoExec = errors.New("pi.exec is not available: the host does not let modules run programs")

func exec(ctx context.Context, m *boundModule, args jsrun.Args) (any, error) {
	if m.exec == nil {
		return nil, errNoExec
	}
	var list []string
	var opt struct {
		Timeout float64 `json:"timeout"`
		Cwd     string  `json:"cwd"`
	}
	if err := errors.Join(args.Decode(1, &list), args.Decode(2, &opt)); err != nil {
		return nil, err
	}
	part := m.room.Part()
	r, err := m.exec(m.api, ctx, args.String(0), list, xcsh.ExecOptions{
		Timeout: milliseconds(opt.Timeout), Dir: opt.Cwd, Room: part,
	})
	if err != nil || len(r.Stdout)+len(r.Stderr) < large {
		part.Close()
		return r, err
	}
	return m.inTurn(ctx, r, part.Close), nil
}

// ExecRoom limits the captured output of all programs that one module runs at the same time, in bytes. The rest is
// dropped, and the result reports this.
const ExecRoom = 32 << 20

// large is the size, in bytes, from which results are passed to JavaScript one at a time, because they take up to six
// times the memory there.
const large = 64 << 10

// inTurn waits for its turn and returns a large result. If the call is aborted, or the module is closed, while inTurn
// waits, it drops the output.
func (m *boundModule) inTurn(ctx context.Context, r xcsh.ExecResult, release func()) any {
	select {
	case m.way <- struct{}{}:
		return jsrun.Sent{Value: r, Done: func() { <-m.way; release() }}
	case <-ctx.Done():
		release()
		r.Stdout, r.Stderr, r.Truncated = "", "", true
		return r
	}
}

// milliseconds converts n to a duration; 0 if n is too large.
func milliseconds(n float64) time.Duration {
	if n *= float64(time.Millisecond); n < math.MaxInt64 {
		return time.Duration(n)
	}
	return 0
}

// logging logs a message, with the members of an object as attributes.
func logging(level slog.Level) jsrun.Func {
	return jsrun.On(func(ctx context.Context, m *boundModule, args jsrun.Args) (any, error) {
		var attrs []slog.Attr
		if v := args.Value(1); v.Kind() == '{' {
			for name, value := range wire.Object(v).Members() {
				attrs = append(attrs, slog.String(name, jsrun.Args{value}.String(0)))
			}
		}
		m.api.Logger().LogAttrs(ctx, level, args.String(0), attrs...)
		return nil, nil
	})
}

// RenderTime limits the time of a renderer of messages. The host waits for the renderer. A host function must not
// render on the goroutine on which a module calls it.
const RenderTime = time.Second

// RenderWidth is the width that components are given to draw themselves. The host lays out the
// lines.
const RenderWidth = 80

// drawn wraps the renderers of messages: in place of a component, which cannot leave the engine, the wrapped renderer
// returns the lines of the component.
var drawn = fmt.Sprintf(`call => {
	const draw = made => typeof made?.then === "function" ? made.then(draw) : typeof made?.render === "function" ? made.render(%d) : made;
	return (type, render) => call(type, typeof render === "function" ? (...args) => draw(render(...args)) : render);
}`, RenderWidth)

var shown = &jsrun.Object{Sync: themeFuncs(func(theme xcsh.Theme) xcsh.Theme { return theme })}

func registerRenderer(_ context.Context, m *boundModule, args jsrun.Args) (any, error) {
	handle, err := args.Handle(1)
	if err != nil {
		return nil, err
	}
	renderer, known := m.register("renderer "+args.String(0), handle)
	if known {
		return nil, nil
	}
	m.api.RegisterMessageRenderer(
		args.String(0),
		func(message xcsh.CustomMessage, expanded bool, theme xcsh.Theme) string {
			ctx, cancel := context.WithTimeout(context.Background(), RenderTime)
			defer cancel()
			text, err := m.render(ctx, renderer, message, expanded, theme)
			if err != nil {
				m.api.Logger().
					Error("a renderer failed", slog.String("customType", message.CustomType), slog.String("error", m.named(err).Error()))
			}
			return text
		},
	)
	return nil, nil
}

// render returns the text, or the joined lines, of a renderer for a message.
func (m *boundModule) render(
	ctx context.Context,
	h *function,
	message xcsh.CustomMessage,
	expanded bool,
	theme xcsh.Theme,
) (string, error) {
	v, err := m.call(ctx, h, message, map[string]bool{"expanded": expanded}, shown.Bind(theme, nil))
	if err != nil {
		return "", err
	}
	return lines(v)
}
