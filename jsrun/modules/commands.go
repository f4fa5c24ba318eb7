package modules

import (
	"context"
	"errors"
	"maps"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
)

// control describes the ctx of commands.
var control = commandView()

// commandView returns view with the functions that only commands have.
func commandView() *jsrun.Object {
	o := *view
	o.Async = maps.Clone(view.Async)
	if o.Async == nil {
		o.Async = map[string]jsrun.Func{}
	}
	o.Async["waitForIdle"] = jsrun.On(waitForIdle)
	o.Async["newSession"] = jsrun.On(newSession)
	o.Async["branch"] = jsrun.On(branch)
	o.Async["fork"] = jsrun.On(branch) // the name of branch in the extension runtime
	o.Async["navigateTree"] = jsrun.On(navigateTree)
	lend(o.Async, "ctx.", apiOfSeen, map[string]string{"reload": fails, "switchSession": fails})
	return &o
}

func registerCommand(_ context.Context, m *boundModule, args jsrun.Args) (any, error) {
	var c struct {
		Description string       `json:"description"`
		Handler     jsrun.Handle `json:"handler"`
	}
	if err := args.Decode(1, &c); err != nil {
		return nil, err
	}
	if c.Handler == 0 {
		return nil, errors.New("the command " + args.String(0) + " has no handler")
	}
	handler, known := m.register("command "+args.String(0), c.Handler)
	if known {
		return nil, nil
	}
	m.api.RegisterCommand(
		xcsh.Command{
			Name:        args.String(0),
			Description: c.Description,
			Run: func(ctx context.Context, rest string, cc *xcsh.CommandContext) error {
				_, err := m.call(
					ctx,
					handler,
					rest,
					control.Bind(&boundContext{HookContext: &cc.HookContext, m: m, control: cc}, facts(&cc.HookContext)),
				)
				return m.failure(err)
			},
		},
	)
	return nil, nil
}

func waitForIdle(ctx context.Context, s *boundContext, _ jsrun.Args) (any, error) {
	return nil, s.control.WaitForIdle(ctx)
}

// outcome encodes the result of a change of the session.
func outcome(cancelled bool, err error) (any, error) {
	return map[string]bool{"cancelled": cancelled}, err
}

func newSession(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	var opt struct {
		ParentSession string       `json:"parentSession"`
		Setup         jsrun.Handle `json:"setup"`
	}
	if err := args.Decode(0, &opt); err != nil {
		return nil, err
	}
	session := xcsh.NewSession{ParentSession: opt.ParentSession}
	if opt.Setup != 0 {
		session.Setup = func(ctx context.Context, w xcsh.SessionWriter) error {
			_, err := s.m.now().Call(ctx, opt.Setup, writable.Bind(w, nil))
			return s.m.failure(err)
		}
	}
	return outcome(s.control.NewSession(ctx, session))
}

func branch(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	return outcome(s.control.Branch(ctx, args.String(0)))
}

func navigateTree(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	var opt struct {
		Summarize jsrun.Value `json:"summarize"`
	}
	if err := args.Decode(1, &opt); err != nil {
		return nil, err
	}
	return outcome(
		s.control.NavigateTree(ctx, args.String(0), xcsh.NavigateTree{Summarize: jsrun.Truthy(opt.Summarize)}),
	)
}

// writable describes the session that setup writes to.
var writable = &jsrun.Object{Sync: map[string]jsrun.Func{
	"appendMessage": jsrun.On(func(_ context.Context, w xcsh.SessionWriter, args jsrun.Args) (any, error) {
		var message xcsh.Message
		if err := args.Decode(0, &message); err != nil {
			return nil, err
		}
		return w.AppendMessage(message)
	}),
	"appendCustomEntry": jsrun.On(func(_ context.Context, w xcsh.SessionWriter, args jsrun.Args) (any, error) {
		return w.AppendCustomEntry(args.String(0), args.Value(1))
	}),
}}
