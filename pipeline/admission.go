package pipeline

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
)

// admission lets commands start, in the order in which they come. It holds a command back while the running commands
// use all processors: another one would only make all of them slower, until they pass their time limits. Commands that
// sleep or wait for a network hold nothing back. Neither do commands that other programs keep from the processors: with
// fewer of them the other programs would get more.
type admission struct {
	processors int
	times      func(pid int) processor.Times

	mu      sync.Mutex
	running []*runningCommand
	spare   []*runningCommand // reused for later commands
	waiting []*runningCommand
	timer   *time.Timer                  // calls look while commands wait
	share   float64                      // the part of a processor that recent commands used, on average
	usual   map[*hook.Hook]time.Duration // average times of hooks; at most mostUsual entries
}

// runningCommand is a command that has started, is about to, or waits. It is used again for later commands.
type runningCommand struct {
	pid      atomic.Int64 // id of its process; 0: there is no process
	since    time.Time
	sleeps   bool          // it had used little of a processor when it was last measured
	seenAt   time.Duration // its age at that measurement; 0: never measured
	admitted chan struct{} // gets a value when the command may start, if it has waited
}

const (
	// perProcessor is the number of commands for each processor that always may run.
	perProcessor = 2

	// saturated is the part of all processors that running commands use if they leave nothing to another command.
	saturated = 0.75

	// sleeping is the part of its time for which a command has to use a processor in order to count as running.
	sleeping = 0.25

	// firstLook is the age at which a command is first looked at, if others wait. It is looked at again whenever its
	// age has doubled.
	firstLook = 10 * time.Millisecond

	// longRun is the age from which a command is not counted: a test suite must not hold guards back.
	longRun = time.Second

	mostUsual = 1000
)

func newAdmission() *admission {
	return &admission{processors: runtime.GOMAXPROCS(0), times: processor.TimesOf, share: 1}
}

// full reports whether the running commands use all processors.
func (a *admission) full(now time.Time) bool {
	if len(a.running) < perProcessor*a.processors {
		return false
	}
	n, used := 0, 0.0
	for _, p := range a.running {
		age := now.Sub(p.since)
		switch {
		case age >= longRun:
			continue
		case p.sleeps:
		case age < firstLook || p.pid.Load() != 0: // else it starts no process, which its Runner did not know
			used += a.share
		}
		n++
	}
	return n >= perProcessor*a.processors && used >= saturated*float64(a.processors)
}

// enter waits until a command may start, or ctx ends.
func (a *admission) enter(ctx context.Context) (*runningCommand, error) {
	a.mu.Lock()
	now := time.Now()
	p := a.next()
	if len(a.waiting) == 0 && !a.full(now) {
		a.admit(p, now)
		a.mu.Unlock()
		return p, nil
	}
	a.waiting = append(a.waiting, p)
	a.watch()
	a.mu.Unlock()
	select {
	case <-p.admitted:
		return p, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.waiting, p); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	} else {
		<-p.admitted // meanwhile it was admitted
	}
	a.remove(p)
	a.admitWaiting(time.Now())
	return nil, ctx.Err()
}

// next returns a command that is not in use.
func (a *admission) next() *runningCommand {
	last := len(a.spare) - 1
	if last < 0 {
		return &runningCommand{admitted: make(chan struct{}, 1)}
	}
	p := a.spare[last]
	a.spare = a.spare[:last]
	return p
}

// admit adds a command to the running ones.
func (a *admission) admit(p *runningCommand, now time.Time) {
	p.since, p.sleeps, p.seenAt = now, false, 0
	p.pid.Store(0)
	a.running = append(a.running, p)
}

// admitWaiting lets commands start that have waited.
func (a *admission) admitWaiting(now time.Time) {
	for len(a.waiting) > 0 && !a.full(now) {
		first := a.waiting[0]
		a.waiting = slices.Delete(a.waiting, 0, 1)
		a.admit(first, now)
		first.admitted <- struct{}{}
	}
}

func (a *admission) remove(p *runningCommand) {
	if i := slices.Index(a.running, p); i >= 0 {
		a.running = slices.Delete(a.running, i, i+1)
	}
	a.spare = append(a.spare, p)
}

// leave removes a command that has ended. ran is the processor time of its process, or 0.
func (a *admission) leave(p *runningCommand, h *hook.Hook, ran time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	took := now.Sub(p.since)
	a.remove(p)
	if ran > 0 && took > 0 {
		a.share += (float64(ran)/float64(took) - a.share) / 4
	}
	if a.usual == nil || len(a.usual) >= mostUsual {
		a.usual = map[*hook.Hook]time.Duration{}
	}
	if usual, known := a.usual[h]; known {
		took = usual + (took-usual)/4
	}
	a.usual[h] = took
	if len(a.running) == 0 {
		a.share = 1 // the next commands may be different
	}
	a.admitWaiting(now)
}

// drop removes a command that does not start.
func (a *admission) drop(p *runningCommand) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(p)
	a.admitWaiting(time.Now())
}

// usually returns how long a hook took on average; 0 if that is not known.
func (a *admission) usually(h *hook.Hook) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usual[h]
}

// watch makes the timer look at the running commands.
func (a *admission) watch() {
	if a.timer == nil {
		a.timer = time.AfterFunc(firstLook, a.look)
	} else if len(a.waiting) == 1 {
		a.timer.Reset(firstLook)
	}
}

// look measures the running commands, and lets others start if processors are left.
func (a *admission) look() {
	type sight struct {
		of     *runningCommand
		pid    int64
		since  time.Time
		age    time.Duration
		sleeps bool
	}
	var due []sight
	a.mu.Lock()
	now := time.Now()
	for _, p := range a.running {
		if age, pid := now.Sub(p.since), p.pid.Load(); pid != 0 && age < longRun && age >= max(firstLook, 2*p.seenAt) {
			due = append(due, sight{of: p, pid: pid, since: p.since, age: age})
		}
	}
	a.mu.Unlock()
	for i := range due {
		t := a.times(int(due[i].pid))
		due[i].sleeps = float64(t.Ran+t.Ended+t.Waiting()) < sleeping*float64(due[i].age)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range due {
		if d.of.since.Equal(d.since) && d.of.pid.Load() == d.pid {
			d.of.sleeps, d.of.seenAt = d.sleeps, d.age
		}
	}
	a.admitWaiting(now)
	if len(a.waiting) > 0 {
		a.timer.Reset(firstLook)
	}
}

// processStarter is a Runner that knows whether its next call will probably start a process.
type processStarter interface{ StartsProcess() bool }

// admitted waits until a command may start, after it has its permit. Any other hook starts at once, with nil, and so
// does a command that starts no process.
// If the command has waited, and the caller's deadline would pass while it runs, it does not start.
func (f *fireState) admitted(ctx context.Context, h *hook.Hook, turn *hookRun) (*runningCommand, error) {
	if !processor.Known || h.Type != "command" || h.Background != hook.Foreground {
		return nil, nil
	}
	if c, ok := hook.RunnerAs[processStarter](h.Runner); ok && !c.StartsProcess() {
		return nil, nil
	}
	a, start := f.s.sys.admission, time.Now()
	waits := ctx
	if h.Policy != nil && h.Policy.Queue > 0 {
		why := &hook.QueueError{After: h.Policy.Queue}
		var cancel context.CancelFunc
		waits, cancel = context.WithTimeoutCause(ctx, h.Policy.Queue-turn.queued, why)
		defer cancel()
	}
	p, err := a.enter(waits)
	if waited := time.Since(start); waited > time.Millisecond {
		turn.queued += waited
	}
	if err != nil {
		return nil, contextCause(waits, err)
	}
	if due, ok := ctx.Deadline(); ok && turn.queued > 0 {
		if left, usual := time.Until(due), a.usually(h); left < usual {
			a.drop(p)
			return nil, &hook.TooLateError{Left: left, Usual: usual}
		}
	}
	return p, nil
}

// anyTooLate reports whether a hook did not start because the caller's deadline would have passed.
func anyTooLate[Out any](reports []hook.Report[Out]) bool {
	return slices.ContainsFunc(reports, func(r hook.Report[Out]) bool {
		_, late := errors.AsType[*hook.TooLateError](r.Err)
		return late
	})
}
