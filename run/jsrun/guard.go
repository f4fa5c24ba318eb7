package jsrun

import (
	"sync"
	"time"
)

const (
	// again is how long after an interruption comes the next. The engine forgets
	// one that arrives as it is entered, so one is never enough.
	again = 10 * time.Millisecond

	// deaf is how long the engine may go on after it was interrupted. Some
	// operations of its own, such as a search through a long text, do not look.
	deaf = 5 * time.Second
)

// guard interrupts an engine that does not return in time. It costs no
// goroutine while all is well.
type guard struct {
	interrupt func() // from any goroutine; has an effect on a running engine only
	lost      func() // called once, when the engine does not react
	patience  time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	until   time.Time
	running bool
	ended   bool
}

// enter says that the engine is entered and has to be back by until.
func (g *guard) enter(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		until = time.Now()
	}
	g.until, g.running = until, true
	if g.timer == nil {
		g.timer = time.AfterFunc(time.Until(until), g.tick)
		return
	}
	g.timer.Reset(time.Until(until))
}

// leave says that the engine is back.
func (g *guard) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = false
	g.timer.Stop()
}

// end interrupts the engine now and whenever it is entered from now on.
func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.until.After(now) {
		g.until = now
	}
	g.ended = true
	if g.running {
		g.timer.Reset(0)
	}
}

func (g *guard) tick() {
	g.mu.Lock()
	late := time.Since(g.until)
	busy := g.running && late >= 0
	if busy {
		g.interrupt()
		g.timer.Reset(again)
	}
	lost := g.lost
	if busy && late >= g.patience && lost != nil {
		g.lost = nil
	} else {
		lost = nil
	}
	g.mu.Unlock()
	if lost != nil {
		lost()
	}
}

func (g *guard) hasEnded() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}
