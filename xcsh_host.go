package snaphook

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
)

// xcshSession is the part of a session that belongs to the dialect xcsh. Without this dialect it is zero.
type xcshSession struct {
	s       *Session
	modules *xcsh.Modules
	aborted atomic.Bool  // a module wants to stop the agent
	started atomic.Bool  // modules have received the start of the session
	turns   atomic.Int64 // number of model responses
}

// attach loads the modules of a session.
func (x *xcshSession) attach(ctx context.Context, s *Session, cfg *XcshConfig) error {
	x.s = s
	config := cfg.Config
	if config.Loaders == nil {
		config.Loaders = xcsh.Loaders()
	}
	if config.Log == nil {
		config.Log = s.hooks.log
	}
	x.modules = xcsh.New(s.ses, config)
	if cfg.Host != nil {
		x.modules.Initialize(cfg.Host(s))
	} else {
		x.modules.Initialize(x.host())
	}
	place, err := discover.Here(s.ses.Dir())
	if err != nil {
		s.lost("modules of xcsh cannot be looked for: " + err.Error())
	} else {
		x.find(ctx, config, place, s.cfg.Untrusted || cfg.NoProject)
	}
	x.notLoaded(x.modules.Load(ctx, cfg.Modules, ""))
	if cfg.Setup != nil {
		return cfg.Setup(x.modules)
	}
	return nil
}

// find loads the modules that discovery finds. If untrusted is set, it leaves out the modules of the project.
func (x *xcshSession) find(ctx context.Context, config xcsh.Config, place discover.Place, untrusted bool) {
	registry := discover.Standard()
	if untrusted {
		registry = registry.Without(func(item discover.Item) bool {
			source := xcsh.SourceOf(item.Source.Level)
			return source == hook.Project || source == hook.Local
		})
	}
	if len(config.Loaders) == 0 {
		for _, item := range registry.Discover(ctx, place, discover.Options{}).Items {
			if discover.IsScript(item.Path) {
				x.s.lost(item.Path + ": the module does not run, since nothing here runs JavaScript: import _ \"github.com/snaphook-go/snaphook/jsrun/modules\"")
			}
		}
		return
	}
	warnings, failed := x.modules.DiscoverAndLoad(ctx, xcsh.Discovery{Registry: registry, Place: place}, nil)
	for _, warning := range warnings {
		x.s.lost(warning)
	}
	x.notLoaded(failed)
}

func (x *xcshSession) notLoaded(failed []*xcsh.LoadError) {
	for _, err := range failed {
		x.s.lost("the module cannot be loaded: " + err.Error())
	}
}

// host returns the functions that modules may call. Modules' log entries go to the log.
func (x *xcshSession) host() xcsh.Host {
	s := x.s
	h := xcsh.Host{
		Abort: func() { x.aborted.Store(true) },
		SendMessage: func(m xcsh.CustomMessage, _ xcsh.SendOptions) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.queued = lo.Compact(append(s.queued, contentText(m.Content)))
			return nil
		},
		AppendEntry: func(customType string, data jsontext.Value) error {
			s.hooks.log.Debug("a module kept an entry", "session", s.cfg.ID, "type", customType, "data", string(data))
			return nil
		},
	}
	if s.hooks.cfg.Ask != nil {
		h.UI, h.HasUI = &userInterface{s: s}, true
	}
	return h
}

// userInterface lets modules ask the user through [Config].Ask.
type userInterface struct {
	xcsh.NoUI
	s *Session
}

// Select implements [xcsh.UI].
func (u *userInterface) Select(ctx context.Context, title string, options []string) (choice string, ok bool) {
	q := hook.Question{Message: title}
	for i, option := range options {
		q.Options = append(q.Options, hook.Option{Key: strconv.Itoa(i), Label: option})
	}
	key, answered := u.s.hooks.cfg.Ask(ctx, u.s, nil, q)
	if i, err := strconv.Atoi(key); answered && err == nil && i >= 0 && i < len(options) {
		return options[i], true
	}
	return "", false
}

// Confirm implements [xcsh.UI].
func (u *userInterface) Confirm(ctx context.Context, title, message string) bool {
	key, answered := u.s.hooks.cfg.Ask(ctx, u.s, nil, hook.Question{
		Message: lines(title, message), Options: []hook.Option{{Key: "yes", Label: "Yes"}, {Key: "no", Label: "No"}},
	})
	return answered && key == "yes"
}

// Notify implements [xcsh.UI] by logging the message.
func (u *userInterface) Notify(message, level string) {
	u.s.hooks.log.Info("a hook module says", "session", u.s.cfg.ID, "level", level, "message", message)
}
