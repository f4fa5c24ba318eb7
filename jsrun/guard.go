package jsrun

import (
	"sync"
	"time"
)

const (
	// again is the interval of repeated interruptions: the engine loses an interruption that arrives while it is being
	// entered.
	again = 10 * time.Millisecond

	// maxUninterruptible limits how long the engine may run on after an interruption. Some of its operations, such as a
	// search through a long text, do not check for interruptions.
	maxUninterruptible = 5 * time.Second
)

// guard interrupts an engine that does not return in time. It has no goroutine, but one timer for all entries, which
// usually finds nothing to do.
type guard struct {
	interrupt func() // callable from any goroutine; affects only a running engine
	lost      func() // called once, when the engine does not react
	patience  time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	armed   time.Time // when the timer will fire; zero if it is stopped
	until   time.Time
	running bool
	ended   bool
}

// enter records that the engine is entered and has to return by until.
func (g *guard) enter(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		until = time.Now()
	}
	g.until, g.running = until, true
	if g.armed.IsZero() || g.armed.After(until) {
		g.arm(until)
	}
}

// leave records that the engine has returned.
func (g *guard) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = false
}

// end interrupts the engine now and each time that it is entered later.
func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.until.After(now) {
		g.until = now
	}
	g.ended = true
	if g.running {
		g.arm(now)
	}
}

func (g *guard) hasEnded() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}

// stop stops the timer. The engine is not entered any more.
func (g *guard) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil {
		g.timer.Stop()
	}
}

func (g *guard) arm(at time.Time) {
	g.armed = at
	if g.timer == nil {
		g.timer = time.AfterFunc(time.Until(at), g.tick)
		return
	}
	g.timer.Reset(time.Until(at))
}

func (g *guard) tick() {
	if lost := g.check(); lost != nil {
		lost()
	}
}

// check interrupts an engine that has exceeded its time. If the engine does not react, it returns the function that
// ends the module.
func (g *guard) check() (lost func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = time.Time{}
	if !g.running {
		return nil
	}
	late := time.Since(g.until)
	if late < 0 {
		g.arm(g.until)
		return nil
	}
	g.interrupt()
	g.arm(time.Now().Add(again))
	if late >= g.patience {
		lost, g.lost = g.lost, nil
	}
	return lost
}
