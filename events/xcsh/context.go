package xcsh

import "context"

// HookContext gives a handler access to the host (X9). All handlers of one fire share it, and must not use it after the
// fire.
type HookContext struct {
	UI      UI   // never nil
	HasUI   bool // there is a user to answer
	Dir     string
	Session SessionView
	Models  ModelRegistry

	m     *Modules
	model Model
	live  bool // ask the host for the model at each call
}

type contextKey struct{}

// fireContext is the caller's context, extended by the HookContext that all handlers of a fire share.
type fireContext struct {
	context.Context
	handlers HookContext
}

// Value returns the HookContext, and the caller's own values.
func (c *fireContext) Value(key any) any {
	if key == (contextKey{}) {
		return &c.handlers
	}
	return c.Context.Value(key)
}

// Model returns the model in use at the beginning of the fire or of the command. For handlers of the extension runtime
// it returns the model in use at the time of the call.
func (hc *HookContext) Model() Model {
	if h := hc.m.hosted(); hc.live && h.Model != nil {
		return h.Model()
	}
	return hc.model
}

// IsIdle reports whether the agent is idle at the time of the call.
func (hc *HookContext) IsIdle() bool {
	h := hc.m.hosted()
	return h.IsIdle == nil || h.IsIdle()
}

// HasQueuedMessages reports whether messages are waiting for the agent at the time of the call.
func (hc *HookContext) HasQueuedMessages() bool {
	h := hc.m.hosted()
	return h.HasQueuedMessages != nil && h.HasQueuedMessages()
}

// Abort asks the agent to stop, and returns at once.
func (hc *HookContext) Abort() {
	if h := hc.m.hosted(); h.Abort != nil {
		h.Abort()
	}
}

// CommandContext gives a command access to the host, with functions that change the session. Event handlers do not get
// these functions, because the agent would then wait for itself.
type CommandContext struct{ HookContext }

// WaitForIdle waits until the agent is idle.
func (cc *CommandContext) WaitForIdle(ctx context.Context) error {
	if h := cc.m.hosted(); h.WaitForIdle != nil {
		return h.WaitForIdle(ctx)
	}
	return nil
}

// NewSession begins a session.
func (cc *CommandContext) NewSession(ctx context.Context, opt NewSession) (cancelled bool, err error) {
	if h := cc.m.hosted(); h.NewSession != nil {
		return h.NewSession(ctx, opt)
	}
	return false, nil
}

// Branch makes a session branch off from a message of the user.
func (cc *CommandContext) Branch(ctx context.Context, entryID string) (cancelled bool, err error) {
	if h := cc.m.hosted(); h.Branch != nil {
		return h.Branch(ctx, entryID)
	}
	return false, nil
}

// NavigateTree moves to another entry in the session's tree.
func (cc *CommandContext) NavigateTree(
	ctx context.Context,
	targetID string,
	opt NavigateTree,
) (cancelled bool, err error) {
	if h := cc.m.hosted(); h.NavigateTree != nil {
		return h.NavigateTree(ctx, targetID, opt)
	}
	return false, nil
}
