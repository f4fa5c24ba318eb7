package snaphook

import (
	"context"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// attach loads the modules of a session.
func (s *Session) attach(ctx context.Context, cfg *XcshConfig) error {
	config := cfg.Config
	if config.Loaders == nil {
		config.Loaders = xcsh.Loaders()
	}
	if config.Log == nil {
		config.Log = s.hooks.log
	}
	host := (*Session).host
	if cfg.Host != nil {
		host = cfg.Host
	}
	s.modules = xcsh.New(s.ses, config)
	s.modules.Initialize(host(s))
	place, err := discover.Here(s.ses.Dir())
	if err != nil {
		s.lost("modules of xcsh cannot be looked for: " + err.Error())
	} else {
		s.find(ctx, config, place, s.cfg.Untrusted || cfg.NoProject)
	}
	s.notLoaded(s.modules.Load(ctx, cfg.Modules, ""))
	if cfg.Setup != nil {
		return cfg.Setup(s.modules)
	}
	return nil
}

// find loads the modules that discovery finds. If untrusted is set, it leaves out the modules of the project.
func (s *Session) find(ctx context.Context, config xcsh.Config, place discover.Place, untrusted bool) {
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
				s.lost(item.Path + ": the module does not run, since nothing here runs JavaScript: import _ \"github.com/snaphook-go/snaphook/jsrun/modules\"")
			}
		}
		return
	}
	warnings, failed := s.modules.DiscoverAndLoad(ctx, xcsh.Discovery{Registry: registry, Place: place}, nil)
	for _, warning := range warnings {
		s.lost(warning)
	}
	s.notLoaded(failed)
}

func (s *Session) notLoaded(failed []*xcsh.LoadError) {
	for _, err := range failed {
		s.lost("the module cannot be loaded: " + err.Error())
	}
}

// lost reports a module that does not run, because it may be a guard.
func (s *Session) lost(problem string) {
	s.mu.Lock()
	if p := (settings.Problem{Message: problem}); !slices.Contains(s.problems, p) {
		s.problems = append(s.problems, p)
	}
	s.mu.Unlock()
	s.hooks.log.Warn("a hook module is not used", "session", s.cfg.ID, "problem", problem)
}

// host returns the functions that modules may call. Modules' log entries go to the log.
func (s *Session) host() xcsh.Host {
	h := xcsh.Host{
		Abort: func() { s.aborted.Store(true) },
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
