package pipeline

import (
	"cmp"
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
// come near their time limits: another command would slow all of them down, until they exceed the limits. The time for
// which a command is held back is not part of its limit. Commands that sleep or wait for a network hold nothing back.
type admission struct {
	processors int
	times      func(pid int) processor.Times

	mu       sync.Mutex
	running  []*runningCommand
	spare    []*runningCommand // reused for later commands
	waiting  []*runningCommand
	timer    *time.Timer          // calls look while commands wait
	looking  bool                 // look is measuring
	due      []sight              // used by look
	window   float64              // commands that may run, not counting those that sleep; 0: not known. See resize
	tightest time.Duration        // the smallest time limit of the commands that run or wait; 0: none has a limit
	habits   map[*hook.Hook]habit // at most mostHabits entries
}

// habit has the average times of a hook.
type habit struct {
	took time.Duration
	ran  time.Duration // on a processor
}

// firstLook returns the age at which a command of the hook is first measured. If the hook usually keeps a processor
// busy, rather than sleep, its command will probably end soon: it is measured only once it has run for far longer than
// usual.
func (h habit) firstLook() time.Duration {
	if h.ran == 0 || float64(h.ran) < sleeping*float64(h.took) {
		return firstLook
	}
	return max(firstLook, lateLook*h.took)
}

// sight is a measurement of a running command.
type sight struct {
	of     *runningCommand
	pid    int64
	since  time.Time
	age    time.Duration
	sleeps bool
}

// runningCommand is a command that has started, is about to start, or waits. The value is reused for later commands.
type runningCommand struct {
	pid      atomic.Int64 // id of its process; 0: there is no process
	since    time.Time
	limit    time.Duration // its time limit; 0: none
	sleeps   bool          // the command had used little of a processor when it was last measured
	lookAt   time.Duration // the age from which look measures the command
	admitted chan struct{} // gets a value when a waiting command may start
}

const (
	// perProcessor is the number of commands, for each processor, that start before one has ended.
	perProcessor = 2

	// sleeping is a fraction of a command's time. A command that uses a processor for less than this fraction sleeps.
	sleeping = 0.25

	// firstLook is the age at which a command is first measured if its hook is not known to compute. A command is
	// measured again whenever its age has doubled.
	firstLook = 10 * time.Millisecond

	// lateLook is the age at which a command is first measured if its hook is known to compute, as a multiple of the
	// hook's usual time.
	lateLook = 4

	// longRun is the age from which a command is not counted: a test suite must not hold guards back.
	longRun = time.Second

	mostHabits = 1000

	// A command that takes more than strained times its own limit narrows the window, unless it was on a processor for
	// less than the fraction hung of its time. While commands wait, a command that takes less than relaxed times the
	// tightest limit doubles the window, and a whole window of commands that take less than the tightest limit widens
	// it by one, up to widest for each processor. Function budgetOf returns the limits.
	relaxed  = 0.25
	strained = 2
	widest   = 16
	hung     = 0.02
)

func newAdmission() *admission {
	return &admission{processors: runtime.GOMAXPROCS(0), times: processor.TimesOf}
}

// full reports whether the running commands fill the window, or one of them needs the processors for itself because it
// has passed strained times its limit: it then still has as much time again.
func (a *admission) full(now time.Time) bool {
	room := int(cmp.Or(a.window, a.usual()))
	awake := 0
	for _, p := range a.running {
		age := now.Sub(p.since)
		switch {
		case age >= longRun || p.sleeps:
		case p.limit > 0 && float64(age) > strained*float64(p.limit) && p.pid.Load() != 0:
			return true
		case age < firstLook || p.pid.Load() != 0: // an older command that has no process will not start one
			awake++
		}
	}
	return awake >= room
}

// resize changes the window after a command that took the time took, and was on a processor for the time ran. It does
// not ask how much of the processors all commands use: other programs may use the rest.
func (a *admission) resize(p *runningCommand, took, ran time.Duration) {
	if a.window == 0 {
		a.window = a.usual()
	}
	slept := p.sleeps || float64(ran) < hung*float64(took)
	switch {
	case p.limit > 0 && float64(took) > strained*float64(p.limit) && !slept:
		a.window = max(float64(a.processors), min(a.window, float64(len(a.running)))*0.75)
	case len(a.waiting) == 0: // a wider window was not needed
	case a.tightest == 0 || float64(took) < relaxed*float64(a.tightest):
		a.window *= 2
	case took < a.tightest:
		a.window += 1 / a.window
	}
	a.window = min(a.window, widest*float64(a.processors))
}

// usual returns the size of the window before a command has ended.
func (a *admission) usual() float64 { return perProcessor * float64(a.processors) }

// budgetOf returns the time limit by which a hook's commands are admitted, 0 for none. Waiting for a processor extends
// a limit to [hook.DefaultStretch] times itself; if the hook's policy allows less, budgetOf returns as much less than
// the limit. It returns at least firstLook, since a full machine cannot keep shorter limits.
func budgetOf(h *hook.Hook, limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	if h != nil && h.Policy != nil && h.Policy.Stretch > 0 {
		limit = time.Duration(float64(limit) * max(1, h.Policy.Stretch) / hook.DefaultStretch)
	}
	return max(limit, firstLook)
}

// tighten sets tightest if a limit is smaller. The window then shrinks to its first size, because it was tried with
// wider limits.
func (a *admission) tighten(limit time.Duration) {
	if limit > 0 && (a.tightest == 0 || limit < a.tightest) {
		a.tightest = limit
		a.window = min(a.window, a.usual())
	}
}

// loosen sets tightest after a command with this limit has left.
func (a *admission) loosen(limit time.Duration) {
	if limit == 0 || limit > a.tightest {
		return
	}
	a.tightest = 0
	for _, commands := range [][]*runningCommand{a.running, a.waiting} {
		for _, p := range commands {
			if p.limit > 0 && (a.tightest == 0 || p.limit < a.tightest) {
				a.tightest = p.limit
			}
		}
	}
}

// enter waits until a command of a hook with a time limit, 0 for none, may start, or ctx ends.
func (a *admission) enter(ctx context.Context, h *hook.Hook, limit time.Duration) (*runningCommand, error) {
	a.mu.Lock()
	now := time.Now()
	p := a.next()
	p.limit = budgetOf(h, limit)
	a.tighten(p.limit)
	p.lookAt = a.habits[h].firstLook()
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
		<-p.admitted // the command has been admitted meanwhile
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
	p.since, p.sleeps = now, false
	p.pid.Store(0)
	a.running = append(a.running, p)
}

// admitWaiting lets waiting commands start until the window is full.
func (a *admission) admitWaiting(now time.Time) {
	for len(a.waiting) > 0 && !a.full(now) {
		first := a.waiting[0]
		a.waiting = slices.Delete(a.waiting, 0, 1)
		a.admit(first, now)
		first.admitted <- struct{}{}
	}
}

// remove forgets a command. If no other runs, it forgets the window too, because the next commands may be others.
func (a *admission) remove(p *runningCommand) {
	if i := slices.Index(a.running, p); i >= 0 {
		a.running = slices.Delete(a.running, i, i+1)
	}
	a.loosen(p.limit)
	a.spare = append(a.spare, p)
	if len(a.running) == 0 {
		a.window = 0
	}
}

// leave removes a command that has ended. ran is the processor time of its process, or 0.
func (a *admission) leave(p *runningCommand, h *hook.Hook, ran time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	took := now.Sub(p.since)
	a.resize(p, took, ran)
	a.remove(p)
	if a.habits == nil || len(a.habits) >= mostHabits {
		a.habits = map[*hook.Hook]habit{}
	}
	usual, known := a.habits[h]
	if !known {
		usual = habit{took, ran}
	}
	a.habits[h] = habit{usual.took + (took-usual.took)/4, usual.ran + (ran-usual.ran)/4}
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
	return a.habits[h].took
}

// watch starts the timer that calls look.
func (a *admission) watch() {
	if a.timer == nil {
		a.timer = time.AfterFunc(firstLook, a.look)
	} else if len(a.waiting) == 1 {
		a.timer.Reset(firstLook)
	}
}

// look measures the running commands, and lets others start if some of the running ones sleep.
func (a *admission) look() {
	a.mu.Lock()
	if a.looking { // another call of look is running, and sets the timer
		a.mu.Unlock()
		return
	}
	a.looking = true
	now, due := time.Now(), a.due[:0]
	for _, p := range a.running {
		if age, pid := now.Sub(p.since), p.pid.Load(); pid != 0 && age < longRun && age >= p.lookAt {
			due = append(due, sight{of: p, pid: pid, since: p.since, age: age})
		}
	}
	a.due = due
	a.mu.Unlock()
	for i := range due {
		t := a.times(int(due[i].pid))
		due[i].sleeps = float64(t.Ran+t.Ended+t.Waiting(t)) < sleeping*float64(due[i].age)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range due {
		if d.of.since.Equal(d.since) && d.of.pid.Load() == d.pid {
			d.of.sleeps, d.of.lookAt = d.sleeps, 2*d.age
		}
	}
	a.looking = false
	a.admitWaiting(now)
	if len(a.waiting) > 0 {
		a.timer.Reset(firstLook)
	}
}

// processStarter is a Runner that knows whether its next call will probably start a process.
type processStarter interface{ StartsProcess() bool }

// admitted waits until a command that has its permit may start. It returns nil at once for any other hook, and for a
// command that starts no process. A command that has waited does not start if the caller's deadline would pass while it
// runs.
func admitted(ctx context.Context, f *fireState, h *hook.Hook, turn *hookRun) (*runningCommand, error) {
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
	p, err := a.enter(waits, h, f.of.timeout(h))
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
