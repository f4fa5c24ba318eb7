package xcsh

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// API is the argument of a factory (X1). Subscribe handlers with the method On of an event. An API may be kept, and
// used from many goroutines at once. If a handler subscribes a second handler to the same event of the same module, the
// second runs in the same fire.
type API struct {
	m      *Modules
	module *module
}

// Path is the module's path, as configured.
func (a *API) Path() string { return a.module.path }

// SendMessage passes a message to the host, which stores it and shows it to the model. Before the host
// has initialised its modules, SendMessage returns an error.
func (a *API) SendMessage(message CustomMessage, opt SendOptions) error {
	h := a.m.host.Load()
	if h == nil || h.SendMessage == nil {
		return errors.New("sendMessage handler not initialized")
	}
	return h.SendMessage(message, opt)
}

// AppendEntry passes data, encoded as JSON, to the host, which stores it and never shows it to the
// model; nil means no data. Before the host has initialised its modules, AppendEntry returns an error.
func (a *API) AppendEntry(customType string, data any) error {
	h := a.m.host.Load()
	if h == nil || h.AppendEntry == nil {
		return errors.New("appendEntry handler not initialized")
	}
	if data == nil {
		return h.AppendEntry(customType, nil)
	}
	text, err := json.Marshal(data, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	return h.AppendEntry(customType, text)
}

// RegisterCommand adds a slash command. A later command of the same name replaces the earlier command, and takes its
// place in the order; for commands of several modules see [Modules.Command].
func (a *API) RegisterCommand(c Command) {
	mod := a.module
	mod.mu.Lock()
	defer mod.mu.Unlock()
	if mod.closed {
		return
	}
	c.module = mod.path
	if i := slices.IndexFunc(mod.commands, func(other Command) bool { return other.Name == c.Name }); i >= 0 {
		mod.commands[i] = c
		return
	}
	mod.commands = append(mod.commands, c)
}

// RegisterMessageRenderer sets the renderer for messages of a custom type. The last renderer of a
// type is used; for renderers of several modules see [Modules.Renderer].
func (a *API) RegisterMessageRenderer(customType string, r Renderer) {
	mod := a.module
	mod.mu.Lock()
	defer mod.mu.Unlock()
	if mod.closed {
		return
	}
	if mod.renderers == nil {
		mod.renderers = map[string]Renderer{}
	}
	mod.renderers[customType] = r
}

// Exec runs a program; see the function [Exec]. It runs in the directory of the modules unless
// opt has another.
func (a *API) Exec(ctx context.Context, program string, args []string, opt ExecOptions) (ExecResult, error) {
	if opt.Dir == "" {
		opt.Dir = a.m.cfg.Dir
	}
	return Exec(ctx, program, args, opt)
}

// Logger returns a logger that adds the module's path.
func (a *API) Logger() *slog.Logger { return a.m.cfg.Log.With(slog.String("module", a.module.path)) }

// Register adds a registration. A later registration of the same kind and name replaces the earlier registration, and
// takes its place in the order.
func (a *API) Register(r Registration) {
	mod := a.module
	mod.mu.Lock()
	defer mod.mu.Unlock()
	if mod.closed {
		return
	}
	same := func(other Registration) bool { return other.Kind == r.Kind && other.Name == r.Name }
	if i := slices.IndexFunc(mod.others, same); i >= 0 {
		mod.others[i] = r
		return
	}
	mod.others = append(mod.others, r)
}

// Extension asks the host for a member that only the extension runtime has; see [Host.Extension]. If the host has no
// Extension function, the error is an [errors.ErrUnsupported].
func (a *API) Extension(ctx context.Context, member string, args []jsontext.Value) (jsontext.Value, error) {
	if h := a.m.host.Load(); h != nil && h.Extension != nil {
		v, err := h.Extension(ctx, member, args)
		if err == nil || !errors.Is(err, errors.ErrUnsupported) {
			return v, err
		}
	}
	return nil, lacking(member)
}
