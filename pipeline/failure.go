package pipeline

import (
	"slices"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
)

// Failure is a hook that failed, for those who listen to a session.
type Failure struct {
	Event   string // "llxprt.BeforeTool"
	Hook    *hook.Hook
	Err     error // as in the hook's Report: a [hook.Error]
	Blocked bool  // the action does not go ahead because of it
}

// OnFailure tells listen of every hook that fails in the session, on the
// goroutine that ran it and before the fire goes on. It can change nothing: what
// panics in it is logged. Listeners are told in the order in which they came;
// remove ends it.
//
// A hook whose error Fire returns, see Propagate of [Rules], is no news.
func (s *Session) OnFailure(listen func(Failure)) (remove func()) {
	m := s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &listen
	m.listeners = append(slices.Clip(m.listeners), l)
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.listeners = slices.DeleteFunc(
			slices.Clone(m.listeners),
			func(other *func(Failure)) bool { return other == l },
		)
	})
}

func (s *Session) listeners() []*func(Failure) {
	m := s.more.Load()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listeners
}

// notifyFailure tells the listeners of a hook that failed.
func (f *fireState) notifyFailure(r *common.Report) {
	for _, listen := range f.s.listeners() {
		f.notifyListener(*listen, Failure{Event: f.of.full, Hook: r.Hook, Err: r.Err, Blocked: !r.FailedOpen()})
	}
}

func (f *fireState) notifyListener(listen func(Failure), failure Failure) {
	defer func() {
		if v := recover(); v != nil {
			f.log().panicked("a listener to failures panicked", v)
		}
	}()
	listen(failure)
}
