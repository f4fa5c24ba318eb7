package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/state"
)

// Finished is what became of a hook that ran in the background.
type Finished struct {
	Event   string // "claude.PostToolUse"
	Hook    *hook.Hook
	Outcome Outcome
	Context []string // for the model's next turn; also in [Session.NextTurn]
	Wakes   bool     // the model shall be woken, also when it is idle, with Wake
	Wake    string
	Message string // of one that wakes the model: what the user sees of it
	Reply   *hook.Reply
	Err     error
	Elapsed time.Duration
	Notes   []string // what was wrong with its answer and has been ignored
}

// background is a session's hooks in the background. Its memory's mutex guards
// it.
type background struct {
	running int
	ctx     context.Context // of those that run now
	cancel  context.CancelCauseFunc
	idle    chan struct{} // closed when the last one is done
	closed  bool
	pending []backgroundContext
}

// backgroundContext is a context for the model's next turn, of one hook of a fire.
type backgroundContext struct {
	fire  int64
	index int
	texts []string
}

// beginBackground counts a hook that goes to the background, unless the session or the
// system is closed.
func (s *Session) beginBackground() (ctx context.Context, ok bool) {
	m := s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.background
	if b.closed || !s.shard.enter() {
		return nil, false
	}
	if b.running++; b.running == 1 {
		b.ctx, b.cancel = context.WithCancelCause(s.sys.ctx)
		b.idle = make(chan struct{})
	}
	return b.ctx, true
}

// endBackground undoes stay.
func (s *Session) endBackground() {
	m := s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.background.running--; m.background.running == 0 {
		m.background.cancel(nil)
		close(m.background.idle)
	}
	s.shard.leave()
}

// Wait returns when no hook of the session runs in the background any more, or
// with ctx's error when that ends first.
func (s *Session) Wait(ctx context.Context) error {
	for {
		idle := s.idle()
		if idle == nil {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// idle returns the channel that ends the wait; nil if nothing runs.
func (s *Session) idle() chan struct{} {
	m := s.more.Load()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.background.running == 0 {
		return nil
	}
	return m.background.idle
}

// Close ends what the session has in the background, and removes the files its
// hooks have left. It waits for hooks that are still running until ctx ends,
// and stops them then; the error says so. From now on hooks that would run in
// the background fail with [hook.ErrClosed], and none can leave files. A session
// that never had any needs no Close.
func (s *Session) Close(ctx context.Context) error {
	m := s.state()
	m.mu.Lock()
	m.background.closed = true
	m.mu.Unlock()
	err := s.Wait(ctx)
	if err != nil {
		err = s.stopAll(ctx, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.sys.scratches.drop(m.scratchDir)
	m.scratchDir, m.vars = "", nil
	if s.id == "" && s.kept.Load() != nil {
		_ = s.State().(state.Dir).Remove() // nothing can take it up again
	}
	return err
}

// stopAll ends what still runs in the background, if anything does.
func (s *Session) stopAll(ctx context.Context, why error) error {
	m := s.state()
	m.mu.Lock()
	n, cancel := m.background.running, m.background.cancel
	m.mu.Unlock()
	if n == 0 {
		return nil // the last one was faster
	}
	cancel(hook.ErrClosed)
	_ = s.Wait(context.WithoutCancel(ctx))
	return fmt.Errorf("%d hooks in the background had to be stopped: %w", n, why)
}

// NextTurn returns what hooks in the background have said since it was last
// called: context for the model's next turn, in the order of the fires and in
// that of their plans, and not in that in which the hooks were done.
func (s *Session) NextTurn() (texts []string) {
	m := s.more.Load()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	said := m.background.pending
	m.background.pending = nil
	m.mu.Unlock()
	slices.SortFunc(said, func(a, b backgroundContext) int {
		return cmp.Or(cmp.Compare(a.fire, b.fire), cmp.Compare(a.index, b.index))
	})
	for _, one := range said {
		texts = append(texts, one.texts...)
	}
	return texts
}

// deliver keeps what is for the model's next turn, and tells the host. A host that
// panics has no part in what goes on.
func (s *Session) deliver(fire int64, place int, done Finished) {
	if len(done.Context) > 0 {
		m := s.state()
		m.mu.Lock()
		m.background.pending = append(m.background.pending, backgroundContext{fire, place, done.Context})
		m.mu.Unlock()
	}
	if s.host == nil || s.host.Finished == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			s.sys.log.LogAttrs(
				s.sys.ctx,
				slog.LevelError,
				"the host's Finished panicked",
				slog.String("session", s.id),
				slog.String("panic", environ.Scrub(fmt.Sprint(v))),
			)
		}
	}()
	s.host.Finished(done)
}
