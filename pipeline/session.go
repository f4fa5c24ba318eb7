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
	"sync"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/scratch"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// SessionConfig describes one conversation.
type SessionConfig struct {
	ID         string // session_id in every payload
	Dir        string // the project's directory, in which hooks run; it must exist; empty means the current directory
	Transcript string // transcript_path in every payload; may be empty

	// AgentDir is the agent's directory if the agent runs on another machine than the hooks. Every payload has it as
	// cwd, and it need not exist on this machine. Hooks then always run in Dir, even if an input has a directory. Empty
	// means Dir.
	AgentDir string

	// Untrusted means that the user has not agreed to run the hooks of the directory. The dialect decides the effect.
	// In LLxprt the project's hooks do not run. In Claude Code no hook runs if the session is Interactive; otherwise
	// all run, since starting the agent counts as consent (C9).
	Untrusted bool

	// Undecided means that the user has not been asked. The hooks of the directory run, and its settings affect only
	// its own hooks: they can neither disable hooks of other levels nor loosen a restriction. Untrusted implies
	// Undecided. The zero SessionConfig is for a directory that the host trusts.
	Undecided bool

	// Interactive means that a user sees the agent's output and can be asked.
	Interactive bool

	// Ask puts a hook's question to the user. It blocks until the user answers or ctx ends; ok is false without an
	// answer. One question is asked at a time. Only hooks that MayAsk accepts can ask: their standard input stays open
	// after the payload, and a hook that reads to the end of the file hangs. If Ask is nil, no hook can ask.
	Ask    func(ctx context.Context, h *hook.Hook, q hook.Question) (key string, ok bool)
	MayAsk func(*hook.Hook) bool

	// Finished receives the outcome of each background hook. It is called on a separate goroutine. Wait, Close of the
	// session and Close of the system wait for that call, and Finished must not call them. NextTurn returns the
	// contexts too. If Finished is nil, nothing wakes the model.
	Finished func(Finished)

	// Scratch is the directory below which a session makes a directory for files of hooks, such as exported variables,
	// when needed. Close removes the session's directory. Empty means the machine's directory for temporary files.
	Scratch string

	// State is the directory below which the session's hooks keep values between runs; see [Session.State] and
	// [Session.SourceState]. Empty means [state.Home]; hooks outside the process then get the path only in dialects
	// that also set other environment variables, such as Claude's.
	State string

	// States returns the store for values that hooks of one source share, for sessions that move between machines. It
	// is called when a source is first used, perhaps several times at the same moment; one of the stores is then used.
	// If the returned State has a method Name, hooks outside the process get that name in the variable SNAPHOOK_STATE;
	// otherwise they get no variable. If States is nil or returns nil, values are stored below State.
	States func(source hook.Source) hook.State
}

// newScratch creates a directory for the files of a session's hooks. c may be nil.
func (c *SessionConfig) newScratch() (string, error) {
	if c == nil || c.Scratch == "" {
		return scratch.Dir("session-")
	}
	dir, err := filepath.Abs(c.Scratch) // hooks run in another directory
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, "session-") // another session may have the same Scratch
}

// Session is one conversation of an agent: its identity, the settings of its directory, and its own hooks. It has no
// goroutine. Close is needed only if hooks may run in the background or leave files. A Session takes less than a
// kilobyte, and about two kilobytes more for each event for which it has hooks of its own. Its methods may be called
// from many goroutines.
type Session struct {
	sys    *System
	shard  *shard
	reg    *registry
	own    atomic.Pointer[view] // nil unless hooks were added to the session
	more   atomic.Pointer[sessionState]
	host   *SessionConfig // the config; nil if Interactive, Ask, Finished, Scratch, State and States are zero
	id     string
	dir    string
	agent  string       // the agent's directory, for payloads
	cwd    string       // agent as JSON
	states sourceStates // where the hooks of each source keep values
	base   []byte       // the payload members that never change, from the opening brace

	hooks    []*hook.Hook // the system's mutex guards this field and those below
	governed governed     // the copies of hooks
	cleaned  bool         // whether a cleanup is registered that removes the session from the registry
}

// maxID limits the length of a session's id. Hooks get the id in a variable; if it is too long or contains a NUL, no
// program can be started.
const maxID = 4096

// directory returns the absolute path of a session's directory. A missing directory is an error: it
// would have no settings, and no hook could run in it.
func directory(dir string) (string, error) {
	path, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return "", fmt.Errorf("the session's directory: %w; set Dir to its absolute path", err)
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the session's directory: %s does not exist; set Dir to an existing directory", path)
	case err != nil:
		return "", fmt.Errorf("the session's directory: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("the session's directory: %s is not a directory; set Dir to a directory", path)
	}
	return path, nil
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Dir returns the session's directory.
func (s *Session) Dir() string { return s.dir }

// AgentDir returns the agent's directory: [Session.Dir], unless the agent runs on another machine.
func (s *Session) AgentDir() string { return s.agent }

// Transcript returns the path of the conversation's transcript; it may be empty.
func (s *Session) Transcript() string {
	return wire.Object(append(slices.Clone(s.base), '}')).Text("transcript_path")
}

// Interactive reports whether there is a user who can be asked.
func (s *Session) Interactive() bool { return s.host != nil && s.host.Interactive }

// Setting returns the value that a dialect's loader has stored under key for the dialect's functions, or nil; see
// Values of [Loaded].
func (s *Session) Setting(key any) any {
	if s.reg == nil {
		return nil // a zero Session
	}
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	return s.reg.loaded.Values[key]
}

// Hooks lists every hook that is configured for the session, including those that can never run, in
// the order in which they would run.
func (s *Session) Hooks() []*hook.Hook {
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	var all []*hook.Hook
	for _, hostLast := range [...]bool{false, true} {
		index := slots(hostLast)
		for _, list := range s.reg.lists(s, hostLast) {
			for _, h := range list.hooks {
				if _, ours := index[h.Dialect+"."+h.Event]; ours {
					all = append(all, s.reg.admit(s.reg.govern(h, list.cache)))
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

// Files lists the settings files that were read. Each dialect determines the order of its files.
func (s *Session) Files() []string {
	s.sys.mu.Lock()
	defer s.sys.mu.Unlock()
	return slices.Clone(s.reg.loaded.Files)
}

func (s *Session) add(hooks []*hook.Hook) (remove func()) {
	s.sys.mu.Lock()
	s.reg.setHooks(s, ranked(s.hooks, hooks))
	s.sys.mu.Unlock()
	s.sys.observers.changed(s.id, hooks, HookWatcher.HookAdded)
	return sync.OnceFunc(func() {
		s.sys.mu.Lock()
		s.reg.setHooks(s, without(s.hooks, hooks))
		s.governed.release(hooks)
		s.sys.mu.Unlock()
		s.sys.observers.changed(s.id, hooks, HookWatcher.HookRemoved)
	})
}

// Wait returns nil when no hook of the session runs in the background any more, or the cause of
// ctx's end when ctx ends first.
func (s *Session) Wait(ctx context.Context) error {
	if m := s.more.Load(); m != nil {
		return m.background.wait(ctx)
	}
	return nil
}

// Close ends the session's background hooks and removes the files of its hooks. It waits for running hooks until ctx
// ends; then it stops them and returns an error. After Close, hooks that would run in the background fail with
// [hook.ErrClosed], and hooks cannot leave files. A session without background hooks and files needs no Close.
func (s *Session) Close(ctx context.Context) error {
	m := s.state()
	m.background.close()
	m.files.close()
	err := m.background.wait(ctx)
	if err != nil {
		err = m.background.stop(ctx, err)
	}
	m.files.remove(&s.sys.scratches)
	if s.id == "" {
		s.states.remove()
	}
	return err
}

// NextTurn returns the texts that background hooks have left since the last call: context for the model's next turn.
// They are ordered by fire and by plan, not by completion.
func (s *Session) NextTurn() []string {
	if m := s.more.Load(); m != nil {
		return m.background.takeContexts()
	}
	return nil
}

// OnFailure calls listen for each hook of the session that fails in the foreground and is not in shadow, on the
// goroutine that ran the hook and before the fire goes on. listen cannot change the outcome; a panic in it is logged.
// Listeners are called in the order in which they were added. remove removes listen.
//
// Failures that Fire returns as its error are not reported; see Propagate of [Rules].
func (s *Session) OnFailure(listen func(Failure)) (remove func()) {
	return s.state().listen(listen)
}

// State returns the values of the program and its hooks in Go; see [hook.State]. They are stored in a directory,
// created with the first value. A later session with the same id and directory finds the values there. Close removes
// them if the session has no id; otherwise they are removed a week after their last use. Hooks from settings do not
// share these values; see [Session.SourceState].
func (s *Session) State() hook.State { return s.SourceState(hook.Host) }

// SourceState returns the values that the session's hooks of one source share, such as [hook.Project]; see
// [hook.State]. Each source has its own keys and its own limit, so that a project's hook cannot change the values of
// a user's hook. [Session.State] is SourceState of [hook.Host], and the values of all sources are kept for the same
// time.
func (s *Session) SourceState(source hook.Source) hook.State { return s.states.of(s, source).state }

// EnvFiles returns the files in which hooks have exported variables, as shell text. The host sources them, in this
// order, before each of its own shell commands. The event that fired last comes last; hooks of one event are in plan
// order (C85). A new fire of an event replaces the variables that its hooks exported before. Of several fires of one
// event at the same time, only the one that began last counts.
func (s *Session) EnvFiles() []string {
	if m := s.more.Load(); m != nil {
		return m.files.exported()
	}
	return nil
}

// Exports returns the text of all EnvFiles in order, in which later lines override earlier ones. It is empty if hooks
// have exported nothing. A file that cannot be read, or has more than 1 MiB, is an error; the text of the others is
// still returned.
func (s *Session) Exports() (script string, err error) { return readVars(s.EnvFiles()) }

// view returns the hooks of the session, as they are now.
func (s *Session) view() *view {
	if v := s.own.Load(); v != nil {
		return v
	}
	return s.reg.current.Load()
}

// state returns the session's state, creating it if necessary.
func (s *Session) state() *sessionState {
	if m := s.more.Load(); m != nil {
		return m
	}
	s.more.CompareAndSwap(nil, &sessionState{asking: make(chan struct{}, 1)})
	return s.more.Load()
}

// Value returns the value that a dialect stores in the session under key. The first call creates it with first;
// concurrent callers share it. The dialect declares the type of each key. The value has to be safe for concurrent use.
// first must not use the session.
func (s *Session) Value(key any, first func() any) any {
	return s.state().value(key, first)
}

// Keep writes a text to a file of the session and returns the file's path, for texts that are too long to pass on. The
// file exists until Close.
func (s *Session) Keep(name, text string) (path string, err error) {
	if path, err = s.state().files.newPath(s, name); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return path, err
	}
	_, err = f.WriteString(text) // os.WriteFile needs a copy of text
	return path, errors.Join(err, f.Close())
}
