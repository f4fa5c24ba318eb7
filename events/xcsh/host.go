package xcsh

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Host holds the functions of the program that its modules may call. Each function may be nil: a
// nil function does nothing, unless its comment says something else. All functions are called from
// many goroutines.
type Host struct {
	// UI asks the user and shows messages; nil means [NoUI]. HasUI reports that there is a user to
	// answer; the extension runtime ignores it, and checks UI.
	UI    UI
	HasUI bool

	// Model returns the model in use; the hook runtime calls it once for each fire, and the extension runtime at
	// each call of [HookContext.Model].
	Model func() Model

	IsIdle            func() bool // nil: always
	HasQueuedMessages func() bool // nil: never
	Abort             func()      // returns at once

	// The next functions are only for commands. cancelled reports that a module, or the user, has prevented the action.
	WaitForIdle  func(ctx context.Context) error
	NewSession   func(ctx context.Context, opt NewSession) (cancelled bool, err error)
	Branch       func(ctx context.Context, entryID string) (cancelled bool, err error)
	NavigateTree func(ctx context.Context, targetID string, opt NavigateTree) (cancelled bool, err error)

	// SendMessage and AppendEntry receive messages and entries of modules. If a function is nil, modules get an error.
	// The functions must not wait for a module, because the module waits for them; a call that takes too long is
	// abandoned.
	SendMessage func(CustomMessage, SendOptions) error
	AppendEntry func(customType string, data jsontext.Value) error

	// Extension carries out a call that only modules of the extension runtime can make, such as "pi.setActiveTools" or
	// "ctx.ui.setWidget": member is the function's name. It returns the result for the module, or
	// [errors.ErrUnsupported] if the host does not have the function. As with SendMessage, it must not wait for a
	// module.
	Extension func(ctx context.Context, member string, args []jsontext.Value) (jsontext.Value, error)
}

// NewSession describes a session to begin.
type NewSession struct {
	ParentSession string // the file of the previous session; empty if none

	// Setup writes the first entries; nil writes none.
	Setup func(ctx context.Context, s SessionWriter) error
}

// NavigateTree holds the options for moving in the session's tree.
type NavigateTree struct {
	Summarize bool // summarise the entries that leave the branch
}

// SessionWriter writes to a session that is about to begin.
type SessionWriter interface {
	AppendMessage(Message) (entryID string, err error)
	AppendCustomEntry(customType string, data jsontext.Value) (entryID string, err error)
}

func (h *Host) inherit(before *Host) {
	if h.Model == nil {
		h.Model = before.Model
	}
	if h.NewSession == nil {
		h.NewSession = before.NewSession
	}
	if h.Branch == nil {
		h.Branch = before.Branch
	}
	if h.NavigateTree == nil {
		h.NavigateTree = before.NavigateTree
	}
	if h.SendMessage == nil {
		h.SendMessage = before.SendMessage
	}
	if h.AppendEntry == nil {
		h.AppendEntry = before.AppendEntry
	}
	if h.Extension == nil {
		h.Extension = before.Extension
	}
}
