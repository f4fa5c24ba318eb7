package pipeline

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// simulation runs commands, which take 50 ms alone, on two processors that they share.
type simulation struct {
	*admission
	computing atomic.Int32
	lost      atomic.Int32 // commands that were killed at their limit
}

func newSimulation() *simulation {
	s := &simulation{admission: newAdmission()}
	s.processors = 2
	s.times = func(int) processor.Times { return processor.Times{Waited: time.Hour} }
	return s
}

// compute runs a command of a hook; its limit can grow to stretch times itself.
func (s *simulation) compute(h *hook.Hook, limit time.Duration, stretch float64) {
	p, err := s.enter(context.Background(), h, limit)
	if err != nil {
		panic(err)
	}
	p.pid.Store(1)
	s.computing.Add(1)
	start, ran := time.Now(), time.Duration(0)
	for ran < 50*time.Millisecond {
		const step = 5 * time.Millisecond
		testkit.Sleep(step)
		ran += time.Duration(float64(step) * min(1, 2/float64(s.computing.Load())))
		if time.Since(start) > time.Duration(stretch*float64(limit)) {
			s.lost.Add(1)
			break
		}
	}
	s.computing.Add(-1)
	s.leave(p, h, ran)
}

// sleep runs a command that uses no processor.
func (s *simulation) sleep(took, limit time.Duration) {
	p, err := s.enter(context.Background(), nil, limit)
	if err != nil {
		panic(err)
	}
	p.pid.Store(2)
	testkit.Sleep(took)
	s.leave(p, nil, 0)
}

// Whatever ran before, no guard is lost whose limit is at least three times its time alone.
func TestABurstOfGuardsLosesNone(t *testing.T) {
	const ms, limit = time.Millisecond, 150 * time.Millisecond
	rigid := &hook.Hook{Execution: hook.Execution{Policy: &hook.EffectivePolicy{Stretch: 1}}}
	for name, tt := range map[string]struct {
		before  func(*simulation, *sync.WaitGroup)
		h       *hook.Hook
		stretch float64
	}{
		"nothing":                              {nil, nil, hook.DefaultStretch},
		"nothing, and the limit does not grow": {nil, rigid, 1},
		"quick commands that never wait": {func(s *simulation, all *sync.WaitGroup) {
			for i := range 2 {
				all.Go(func() {
					testkit.Sleep(time.Duration(i) * ms)
					for range 100 {
						s.sleep(2*ms, limit)
					}
				})
			}
		}, nil, hook.DefaultStretch},
		"commands with a limit of ten minutes": {func(s *simulation, all *sync.WaitGroup) {
			for range 100 {
				all.Go(func() { s.compute(nil, 10*time.Minute, 1) })
			}
		}, nil, hook.DefaultStretch},
		"a command with a tiny limit": {func(s *simulation, all *sync.WaitGroup) {
			all.Go(func() { s.sleep(ms, ms) })
		}, nil, hook.DefaultStretch},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation()
			var all sync.WaitGroup
			if tt.before != nil {
				tt.before(s, &all)
				time.Sleep(100 * ms)
			}
			for range 200 {
				all.Go(func() { s.compute(tt.h, limit, tt.stretch) })
			}
			all.Wait()
			if n := s.lost.Load(); n > 0 {
				t.Errorf("after %s, %d of 200 are lost", name, n)
			}
		})
	}
}

// The window was tried with wider limits.
func TestASmallerLimitShrinksTheWindow(t *testing.T) {
	for limit, want := range map[time.Duration]float64{time.Second: 4, time.Minute: 20, 0: 20} {
		s := newSimulation()
		p, _ := s.enter(t.Context(), nil, time.Minute)
		s.window = 20
		q, _ := s.enter(t.Context(), nil, limit)
		if s.window != want {
			t.Errorf("after a command with limit %v the window is %v, want %v", limit, s.window, want)
		}
		s.leave(q, nil, 0)
		s.leave(p, nil, 0)
	}
}

func TestHooksThatHangDoNotNarrowTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		var all sync.WaitGroup
		all.Go(func() { s.sleep(time.Minute, time.Second) })
		synctest.Wait()
		s.mu.Lock()
		s.window = 8
		s.mu.Unlock()
		for range 8 {
			s.sleep(6*time.Second, time.Second) // it ignores SIGTERM
		}
		s.mu.Lock()
		defer all.Wait()
		defer s.mu.Unlock()
		if s.window < 8 {
			t.Errorf("the window shrank from 8 to %v", s.window)
		}
	})
}

func TestATinyLimitIsForgottenWithItsCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		var all sync.WaitGroup
		all.Go(func() { s.sleep(time.Minute, time.Minute) })
		synctest.Wait()
		s.sleep(time.Millisecond, time.Millisecond)
		s.mu.Lock()
		defer all.Wait()
		defer s.mu.Unlock()
		if s.tightest != time.Minute {
			t.Errorf("the tightest limit is %v", s.tightest)
		}
	})
}
