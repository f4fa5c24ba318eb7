package pipeline

import (
	"context"
	"errors"

	"github.com/snaphook-go/snaphook/hook"
)

// Warmer keeps the interpreters of hooks ready between calls.
type Warmer interface {
	// Keep makes later runs of h in dir use a warm interpreter of the given kind, which a policy names; kind is "" if
	// no policy names one: the Warmer then chooses. It is called before the first run, perhaps several times. note says
	// why the hook starts cold although a policy names a kind; it is empty otherwise.
	Keep(h *hook.Hook, kind, dir string) (note string)

	// Prewarm starts, in the background, the processes that a call will use.
	Prewarm(call hook.Call)

	// SetLimit limits the number of hooks that are kept warm.
	SetLimit(n int)

	// Close ends the processes and returns when they are gone. It may be called again.
	Close()
}

// prewarm starts the warm processes of a session's hooks, if the policy demands it.
func prewarm(s *Session) {
	if s.sys.cfg.Warm == nil {
		return
	}
	s.sys.mu.Lock()
	none := s.reg.loaded.policy == nil
	s.sys.mu.Unlock()
	if none {
		return
	}
	for _, h := range s.Hooks() {
		if p := h.Policy; p != nil && p.Prewarm && p.Warm != "" && p.WarmNote == "" && p.Mode != hook.Off && h.Skip == "" {
			s.sys.cfg.Warm.Prewarm(hook.Call{Hook: h, Session: s.id, Dir: s.dir})
		}
	}
}

// noWorkers is the Runner of worker hooks in a system without Warm. It always fails.
type noWorkers struct{}

// Run fails.
func (noWorkers) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassSpawn, Err: errors.New(
		"the worker cannot be used: this program keeps no hooks warm; it has to set Warm in pipeline.Config")}
}
