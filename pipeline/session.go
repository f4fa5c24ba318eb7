package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	Dir        string // the project's directory, which must exist, and where hooks run; empty means the current one
	Transcript string // transcript_path in every payload; may be empty

	// Untrusted says that the user has not agreed to run what the directory
	// brings. What that means is the dialect's: LLxprt's hooks of the project do
	// not run; of Claude Code's none runs if the session is Interactive, and all
	// do if it is not, since the user who starts it has agreed (C9).
	Untrusted bool

	// Undecided says that the user has not been asked: what the directory brings
	// runs, and its settings count for its own hooks alone. They switch no hook
	// of another level off, and loosen nothing. Untrusted implies it. The zero
	// SessionConfig is for a directory that the host vouches for.
	Undecided bool

	// Interactive says that there is a user who sees what happens and can be
	// asked; a program without is headless.
	Interactive bool

	// Ask puts the question of a running hook to the user, and blocks until
	// there is an answer or ctx has ended; ok is false if the user gave none.
	// It is called for one question at a time. Only hooks that MayAsk accepts
	// can ask: their standard input does not end after the payload, which
	// hangs those that read it to its end. Nil: no hook can.
	Ask    func(ctx context.Context, h *hook.Hook, q hook.Question) (key string, ok bool)
	MayAsk func(*hook.Hook) bool

	// Finished is told what became of each hook that ran in the background,
	// on a goroutine of its own, which Wait and both Closes wait for: it must call
	// none of them. Nil: contexts are kept for NextTurn, and nothing wakes the model.
	Finished func(Finished)

	// Scratch is a directory for what hooks leave, such as their variables; it
	// is made when needed. Empty: one below the system's directory for
	// temporary files, which Close removes.
	Scratch string

	// State is the directory below which the session's hooks keep values between
	// their runs; see [Session.State]. Empty: [state.Home], and hooks outside the
	// process are told of it only where their calls have variables anyway, as in
	// the Claude dialect.
	State string
}

// Session is one conversation of an agent: the identity that hooks are told,
// the settings of its directory, and hooks of its own. It owns no goroutine,
// and needs closing only where hooks may run in the background or leave files.
// It costs less than a kilobyte; with hooks of its own, about two more for each
// event that has any hook. Its methods may be called from many goroutines.
type Session struct {
	sys   *System
	shard *shard
	reg   *registry
	own   atomic.Pointer[view] // nil unless the session has hooks of its own
	more  atomic.Pointer[sessionState]
	host  *SessionConfig // what it has of functions and flags; nil if nothing
	id    string
	dir   string
	cwd   string                 // dir as JSON
	kept  atomic.Pointer[string] // the variable that names the state's directory
	base  []byte                 // the payload members that never change, from the opening brace

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
	if len(cfg.ID) > maxID || strings.ContainsRune(cfg.ID, 0) {
		return nil, fmt.Errorf(
			"the session's id, %.20q, has %d bytes: write up to %d without NUL, for hooks get it as a variable",
			cfg.ID,
			len(cfg.ID),
			maxID,
		)
	}
	dir, err := directory(cfg.Dir)
	if err != nil {
		return nil, err
	}
	reg, err := sys.registry(
		ctx,
		Workspace{Dir: dir, Untrusted: cfg.Untrusted, Undecided: cfg.Undecided, Interactive: cfg.Interactive},
	)
	if err != nil {
		return nil, err
	}
	s := &Session{sys: sys, shard: sys.nextShard(), reg: reg, id: cfg.ID, dir: dir, cwd: string(wire.Quote(dir))}
	if cfg.Interactive || cfg.Ask != nil || cfg.Finished != nil || cfg.Scratch != "" || cfg.State != "" {
		s.host = &cfg
	}
	s.base = append(s.base, `{"session_id":`...)
	s.base = append(s.base, wire.Quote(cfg.ID)...)
	s.base = append(s.base, `,"transcript_path":`...)
	s.base = slices.Clip(append(s.base, wire.Quote(cfg.Transcript)...))
	s.prewarm()
	return s, nil
}

// maxID bounds the id of a session: with a variable that is too long, or has a
// NUL in it, no program can be started, so that every command hook would fail.
const maxID = 4096

// directory returns the absolute path of a session's directory. One that does not exist is
// an error: no settings would be found there, and no hook could run.
func directory(dir string) (string, error) {
	path, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return "", fmt.Errorf("the session's directory: %w; set Dir to its absolute path", err)
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the session's directory: %s does not exist; set Dir to a directory that does", path)
	case err != nil:
		return "", fmt.Errorf("the session's directory: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("the session's directory: %s is not a directory; set Dir to one", path)
	}
	return path, nil
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Dir is the session's directory.
func (s *Session) Dir() string { return s.dir }

// Transcript is the path of the conversation's transcript; it may be empty.
func (s *Session) Transcript() string {
	return wire.Object(append(slices.Clone(s.base), '}')).Text("transcript_path")
}

// Interactive reports whether there is a user who can be asked.
func (s *Session) Interactive() bool { return s.host != nil && s.host.Interactive }

// Setting returns what a dialect's settings say for one of its functions; see
// Values of [Loaded]. Nil if they say nothing.
func (s *Session) Setting(key any) any {
	if s.reg == nil {
		return nil // of an empty session
	}
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	return s.reg.loaded.Values[key]
}

// Hooks lists every hook that is configured for the session, also those that
// can never run, in the order in which they would.
func (s *Session) Hooks() []*hook.Hook {
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	var all []*hook.Hook
	for _, hostLast := range [...]bool{false, true} {
		index := slots(hostLast)
		for _, hooks := range s.sys.lists(s.reg, s.hooks, hostLast) {
			for _, h := range hooks {
				if _, ours := index[h.Dialect+"."+h.Event]; ours {
					all = append(all, s.reg.admit(s.reg.govern(h)))
				}
			}
		}
	}
	return all
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

func (s *Session) add(hooks []*hook.Hook) (remove func()) {
	s.sys.mu.Lock()
	s.setHooks(ranked(s.hooks, hooks))
	s.sys.mu.Unlock()
	s.sys.observers.changed(s.id, hooks, HookWatcher.HookAdded)
	return sync.OnceFunc(func() {
		s.sys.mu.Lock()
		s.setHooks(without(s.hooks, hooks))
		s.reg.release(hooks)
		s.sys.mu.Unlock()
		s.sys.observers.changed(s.id, hooks, HookWatcher.HookRemoved)
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
