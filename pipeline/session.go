package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// SessionConfig describes one conversation.
type SessionConfig struct {
	ID         string // session_id in every payload
	Dir        string // the project's directory, and where hooks run; empty means the current one
	Transcript string // transcript_path in every payload; may be empty

	// Untrusted says that the user has not agreed to run what the directory
	// brings: the project's own hooks are listed, and do not run.
	Untrusted bool
}

// Session is one conversation of an agent: the identity that hooks are told,
// the settings of its directory, and hooks of its own. It owns no goroutine
// and needs no closing. It costs less than a kilobyte; with hooks of its own,
// about two more for each event that has any hook. Its methods may be called
// from many goroutines.
type Session struct {
	sys  *System
	reg  *registry
	own  atomic.Pointer[view] // nil unless the session has hooks of its own
	id   string
	dir  string
	base []byte // the payload members that never change, from the opening brace

	hooks   []*hook.Hook // guarded by the system's mutex, as is what follows
	cleaned bool         // the registry forgets the session when it is gone
}

// NewSession makes a session, and reads the settings of its directory unless
// another session has them in use. The error names the files that could not be
// read; entries that cannot be used are in Problems and in the log, and never
// disturb the others.
func (sys *System) NewSession(ctx context.Context, cfg SessionConfig) (*Session, error) {
	if sys.ctx.Err() != nil {
		return nil, hook.ErrClosed
	}
	dir, err := absolute(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("the session's directory: %w", err)
	}
	reg, err := sys.registry(ctx, Place{Dir: dir, Untrusted: cfg.Untrusted})
	if err != nil {
		return nil, err
	}
	s := &Session{sys: sys, reg: reg, id: cfg.ID, dir: dir}
	s.base = append(s.base, `{"session_id":`...)
	s.base = append(s.base, wire.Quote(cfg.ID)...)
	s.base = append(s.base, `,"transcript_path":`...)
	s.base = append(s.base, wire.Quote(cfg.Transcript)...)
	s.base = append(s.base, `,"cwd":`...)
	s.base = slices.Clip(append(s.base, wire.Quote(dir)...))
	return s, nil
}

func absolute(dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	return filepath.Abs(dir)
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Dir is the session's directory.
func (s *Session) Dir() string { return s.dir }

// Hooks lists every hook that is configured for the session, also those that
// can never run, in the order in which they would.
func (s *Session) Hooks() []*hook.Hook {
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	return slices.Concat(s.sys.host, s.hooks, s.reg.loaded.Hooks)
}

// Problems lists the settings entries that cannot be used.
func (s *Session) Problems() []settings.Problem {
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	return slices.Clone(s.reg.loaded.Problems)
}

// Files lists the settings files that were read, highest priority first.
func (s *Session) Files() []string {
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	return slices.Clone(s.reg.loaded.Files)
}

func (s *Session) view() *view {
	if v := s.own.Load(); v != nil {
		return v
	}
	return s.reg.current.Load()
}

func (s *Session) add(h *hook.Hook) (remove func()) {
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	s.setHooks(append(slices.Clip(s.hooks), h))
	return sync.OnceFunc(func() {
		s.sys.mu.Lock()
		defer s.sys.mu.Unlock()
		s.setHooks(without(s.hooks, h))
	})
}

func (s *Session) setHooks(hooks []*hook.Hook) {
	s.hooks = hooks
	if len(hooks) == 0 {
		delete(s.reg.sessions, weak.Make(s))
		s.own.Store(nil)
		return
	}
	s.reg.remember(s)
	s.own.Store(s.reg.build(hooks))
}
