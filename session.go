package snaphook

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// SessionConfig describes one conversation. The zero SessionConfig is a trusted session without a user, in the current
// directory.
type SessionConfig struct {
	ID         string // the session's id, in the input of every hook
	Dir        string // the project's directory, in which hooks run; it must exist; empty means the current directory
	Transcript string // path of the conversation's transcript, passed to hooks; may be empty

	// Interactive means that there is a user who can be asked.
	Interactive bool

	// Untrusted means that the user has not agreed to run the hooks of the directory: hooks and modules of the
	// project do not run. Hooks of Claude Code are an exception, as in Claude Code itself: no hook of any source runs
	// if the session is Interactive, and all hooks run otherwise.
	Untrusted bool

	// Undecided means that the user has not been asked yet: hooks of the project run, but its settings can neither
	// disable hooks of other levels nor loosen a restriction. Untrusted implies Undecided.
	Undecided bool
}

// Session is one conversation. Its methods may be called from many goroutines. Close it after use.
type Session struct {
	ses     *pipeline.Session
	watch   *pipeline.Watch
	shut    atomic.Uint32 // set when the session or its Hooks are closed: every moment is then a denial
	hooks   *Hooks
	cfg     SessionConfig
	modules *xcsh.Modules // nil without the dialect xcsh
	closed  atomic.Bool   // Close has begun
	aborted atomic.Bool   // a module wants to stop the agent
	started atomic.Bool   // modules have received the start of the session
	turns   atomic.Int64  // number of model responses

	mu       sync.Mutex
	queued   []string // texts from modules for the model's next turn
	problems []settings.Problem
}

// NewSession makes a session. It loads the modules, and reads the settings of the directory unless another session
// already uses them. A settings file that cannot be read is an error, because its guards would be lost.
func (h *Hooks) NewSession(ctx context.Context, cfg SessionConfig) (*Session, error) {
	if h.closed.Load() {
		return nil, hook.ErrClosed
	}
	s := &Session{hooks: h, watch: h.watch, cfg: cfg}
	config := pipeline.SessionConfig{
		ID: cfg.ID, Dir: cfg.Dir, Transcript: cfg.Transcript, Interactive: cfg.Interactive,
		Untrusted: cfg.Untrusted, Undecided: cfg.Undecided, MayAsk: h.cfg.MayAsk,
	}
	if h.cfg.Ask != nil {
		config.Ask = func(ctx context.Context, hk *hook.Hook, q hook.Question) (string, bool) {
			return h.cfg.Ask(ctx, s, hk, q)
		}
	}
	if h.cfg.Finished != nil {
		config.Finished = func(f pipeline.Finished) { h.cfg.Finished(s, f) }
	}
	var err error
	if s.ses, err = h.sys.NewSession(ctx, config); err != nil {
		return nil, err
	}
	s.warnTwice()
	for _, d := range h.dialects {
		if d.attach == nil {
			continue
		}
		if err := d.attach(ctx, s); err != nil {
			return nil, errors.Join(err, s.end(ctx))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Load() {
		return nil, errors.Join(hook.ErrClosed, s.end(ctx))
	}
	h.sessions[s] = true
	return s, nil
}

// Active reports whether any hook could run at a moment. In a closed session it is true, because every moment is a
// denial. It costs a nanosecond or two: call it before building an expensive input.
func (s *Session) Active(at Moment) bool {
	return at < moments && (s.runs(at) != 0 || s.shut.Load() != 0)
}

// ID returns the session's id.
func (s *Session) ID() string { return s.cfg.ID }

// Dir returns the session's directory, an absolute path.
func (s *Session) Dir() string { return s.ses.Dir() }

// Pipeline returns the engine's session, for hooks and events of one dialect:
//
//	claude.PreToolUse.On(s.Pipeline(), "gate", f)
//	claude.FileChanged.Fire(ctx, s.Pipeline(), &in)
func (s *Session) Pipeline() *pipeline.Session { return s.ses }

// Modules returns the session's modules of xcsh, to which a program can add more; nil without the dialect [Xcsh].
func (s *Session) Modules() *xcsh.Modules { return s.modules }

// Hooks lists every configured hook, including those that can never run.
func (s *Session) Hooks() []*hook.Hook { return s.ses.Hooks() }

// Problems lists the mistakes in settings and modules.
func (s *Session) Problems() []settings.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(s.ses.Problems(), s.problems...)
}

// NextTurn returns texts for the model's next turn: those that background hooks and modules have produced since the
// last call.
func (s *Session) NextTurn() []string {
	s.mu.Lock()
	queued := s.queued
	s.queued = nil
	s.mu.Unlock()
	return append(s.ses.NextTurn(), queued...)
}

// Wait returns nil when no hook of the session runs in the background any more, or the cause of
// ctx's end when ctx ends first.
func (s *Session) Wait(ctx context.Context) error { return s.ses.Wait(ctx) }

// EnvFiles returns files of shell text with the variables that hooks have exported. The host sources them, in this
// order, before each of its shell commands.
func (s *Session) EnvFiles() []string { return s.ses.EnvFiles() }

// Exports returns the concatenated text of all EnvFiles.
func (s *Session) Exports() (string, error) { return s.ses.Exports() }

// Close ends the session's modules and its background hooks; it waits for the hooks until ctx ends. Later moments are
// denials with [hook.ErrClosed]. Close may be called more than once.
func (s *Session) Close(ctx context.Context) error {
	s.hooks.mu.Lock()
	delete(s.hooks.sessions, s)
	s.hooks.mu.Unlock()
	return s.end(ctx)
}

func (s *Session) end(ctx context.Context) error {
	s.shut.Store(1)
	if s.closed.Swap(true) {
		return nil
	}
	err := s.ses.Close(ctx)
	if s.modules != nil {
		err = errors.Join(err, s.modules.Close())
	}
	return err
}

// beforeTool runs the hooks for a tool call. It checks the arguments even without hooks.
//
//go:noinline
func (s *Session) beforeTool(ctx context.Context, call *ToolCall, v *Verdict) error {
	if call == nil {
		return beforeTools.run(ctx, s, nil, v)
	}
	v.Input = call.Input
	if s.fires(BeforeTool) != 0 || s.shut.Load() != 0 {
		return beforeTools.run(ctx, s, call, v)
	}
	if plain(call.Input) || call.Input.Check() == nil {
		return nil
	}
	err := badArguments(BeforeTool, call)
	v.refuse(err)
	return err
}

// plain reports whether arguments begin and end like an object. If there are no hooks, such arguments are not
// checked further.
func plain(args wire.Object) bool {
	n := len(args)
	return n >= 2 && args[0] == '{' && args[n-1] == '}' && (args[1] == '"' || n == 2)
}
