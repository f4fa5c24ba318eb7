package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Finished is what became of a hook that ran in the background.
type Finished struct {
	Event   string // "claude.PostToolUse"
	Hook    *hook.Hook
	Outcome Outcome
	Context []string // for the model's next turn; also in [Session.NextTurn]
	Wakes   bool     // the model shall be woken, also when it is idle, with Wake
	Wake    string
	Reply   *hook.Reply
	Err     error
	Elapsed time.Duration
	Notes   []string // what was wrong with its answer and has been ignored
}

// background is a session's hooks in the background. Its memory's mutex guards
// it.
type background struct {
	running int
	began   int             // all there have been
	ctx     context.Context // of those that run now
	cancel  context.CancelCauseFunc
	idle    chan struct{} // closed when the last one is done
	closed  bool
	said    []saying
}

// saying is a context for the model's next turn.
type saying struct {
	order int
	texts []string
}

// stay counts a hook that goes to the background, unless the session or the
// system is closed. order is its place among all of them.
func (s *Session) stay() (ctx context.Context, order int, ok bool) {
	m := s.remembers()
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &m.behind
	if b.closed || !s.sys.enter() {
		return nil, 0, false
	}
	if b.running++; b.running == 1 {
		b.ctx, b.cancel = context.WithCancelCause(s.sys.ctx)
		b.idle = make(chan struct{})
	}
	b.began++
	return b.ctx, b.began, true
}

// leave undoes stay.
func (s *Session) leave() {
	m := s.remembers()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.behind.running--; m.behind.running == 0 {
		m.behind.cancel(nil)
		close(m.behind.idle)
	}
	s.sys.fires.Done()
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

// idle gives the channel that ends the wait; nil if nothing runs.
func (s *Session) idle() chan struct{} {
	m := s.more.Load()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.behind.running == 0 {
		return nil
	}
	return m.behind.idle
}

// Close ends what the session has in the background, and removes the files its
// hooks have left. It waits for hooks that are still running until ctx ends,
// and stops them then; the error says so. From now on hooks that would run in
// the background fail with [hook.ErrClosed]. A session that never had any needs
// no Close.
func (s *Session) Close(ctx context.Context) error {
	m := s.remembers()
	m.mu.Lock()
	m.behind.closed = true
	m.mu.Unlock()
	err := s.Wait(ctx)
	if err != nil {
		m.mu.Lock()
		n, cancel := m.behind.running, m.behind.cancel
		m.mu.Unlock()
		cancel(hook.ErrClosed)
		_ = s.Wait(context.WithoutCancel(ctx))
		err = fmt.Errorf("%d hooks in the background had to be stopped: %w", n, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.folder != "" {
		_ = os.RemoveAll(m.folder)
	}
	m.folder, m.vars = "", nil
	return err
}

// NextTurn gives what hooks in the background have said since it was last
// called: context for the model's next turn, in the order in which the hooks
// were started.
func (s *Session) NextTurn() (texts []string) {
	m := s.more.Load()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	said := m.behind.said
	m.behind.said = nil
	m.mu.Unlock()
	slices.SortFunc(said, func(a, b saying) int { return cmp.Compare(a.order, b.order) })
	for _, one := range said {
		texts = append(texts, one.texts...)
	}
	return texts
}

// launch starts a hook that the fire does not wait for.
func (f *firing[In, Out]) launch(r *hook.Report[Out], in *input[In]) {
	payload, err := f.payload(in)
	if err != nil {
		r.Err = err
		return
	}
	ctx, order, ok := f.s.stay()
	if !ok {
		r.Err = hook.ErrClosed
		return
	}
	r.Backgrounded = true
	call, began := f.newCall(r, payload), time.Now()
	go func() {
		defer f.s.leave()
		var reply hook.Reply
		err := f.s.sys.behind.Acquire(ctx, 1)
		if err == nil {
			reply, err = runSafely(ctx, r.Hook.Runner, call)
			f.s.sys.behind.Release(1)
		}
		f.finish(ctx, order, *r, in, &reply, err, time.Since(began))
	}()
}

// detach lets a running hook go to the background; nil where hooks cannot.
func (f *firing[In, Out]) detach(r *hook.Report[Out], in *input[In]) func(time.Duration) (context.Context, func(hook.Reply, error)) {
	if !f.event.dialect.Detaches {
		return nil
	}
	began := time.Now()
	return func(wish time.Duration) (context.Context, func(hook.Reply, error)) {
		ctx, order, ok := f.s.stay()
		if !ok {
			ended, cancel := context.WithCancelCause(context.Background())
			cancel(hook.ErrClosed)
			return ended, func(hook.Reply, error) {}
		}
		if wish == 0 {
			wish = f.event.timeout(r.Hook)
		}
		limit := hook.Call{Timeout: wish}
		ctx, cancel := limit.Limit(ctx)
		begun := *r // which the fire goes on to change
		return ctx, func(reply hook.Reply, err error) {
			defer f.s.leave()
			defer cancel()
			f.finish(ctx, order, begun, in, &reply, err, time.Since(began))
		}
	}
}

// finish takes what a hook in the background has said.
func (f *firing[In, Out]) finish(ctx context.Context, order int, r hook.Report[Out], in *input[In], reply *hook.Reply, err error, took time.Duration) {
	r.Backgrounded, r.Elapsed, r.Reply = true, took, reply
	if err != nil {
		r.Err = &hook.Error{Hook: r.Hook, Err: because(ctx, err)}
	}
	done := Finished{Event: f.event.Info().FullName(), Hook: r.Hook, Reply: reply, Err: r.Err, Elapsed: took}
	switch {
	case r.Err != nil:
		done.Outcome = NonBlockingError
		if cancelled(r.Err) {
			done.Outcome = Cancelled
		}
		f.logFailure(&r)
	case r.Hook.Background == hook.Rewake:
		done.Outcome, done.Wakes = Success, reply.Signal == nil && reply.Exit == 2
		if done.Wakes {
			r.Output = hook.Output[Out]{Context: cmp.Or(plainText(reply.Stderr), plainText(reply.Stdout))}
			f.refine(&r, in)
			done.Wake = r.Output.Context
		}
	default:
		done.Outcome = Success
		f.listen(&r, in, &done)
	}
	f.s.hear(order, done)
	if f.s.sys.observed() {
		r.Backgrounded = false // its end is what counts now
		f.observe(&r, in)
	}
}

// listen reads what a hook in the background has to say to the model: its
// context and its message (seed 004 §18.3). Nothing it decides has an effect.
func (f *firing[In, Out]) listen(r *hook.Report[Out], in *input[In], done *Finished) {
	for _, text := range answers(r.Reply.Stdout) {
		out, notes, err := wire.Read[Out](text)
		if err == nil && out.Given.Has(hook.Spoke) && !out.Assumed {
			r.Output, r.Notes = hook.Output[Out]{Context: out.Context, Message: out.Message, Given: hook.Spoke}, notes
			break
		}
	}
	f.refine(r, in)
	for _, text := range [...]string{r.Output.Context, r.Output.Message} {
		if text != "" {
			done.Context = append(done.Context, text)
		}
	}
	done.Notes = r.Notes
}

// answers gives what the answer of a hook in the background may be: all that it
// printed, less the line with which it asked to be there, or one line of it.
func answers(stdout []byte) (texts [][]byte) {
	first, rest, more := bytes.Cut(wire.Trim(stdout), []byte("\n"))
	if wire.Object(wire.Trim(first)).Get("async").Kind() == 't' {
		stdout = rest
		if !more {
			return nil
		}
	}
	texts = append(texts, stdout)
	for line := range bytes.Lines(stdout) {
		if line = wire.Trim(line); len(line) > 0 && line[0] == '{' {
			texts = append(texts, line)
		}
	}
	return texts
}

// hear keeps what is for the model's next turn, and tells the host.
func (s *Session) hear(order int, done Finished) {
	if len(done.Context) > 0 {
		m := s.remembers()
		m.mu.Lock()
		m.behind.said = append(m.behind.said, saying{order, done.Context})
		m.mu.Unlock()
	}
	if s.host != nil && s.host.Finished != nil {
		s.host.Finished(done)
	}
}

func plainText(b []byte) string { return wire.Valid(wire.Trim(b)) }
