package pipeline

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// fakeCommands lets n commands, which begin at the same time, through an admission of two processors. Each command
// lasts the duration took, and has a time limit. A running command has waited for a processor for seen * its age. With
// noProcess the commands have no process that the admission can look at. fakeCommands returns the largest number of
// commands that ran at the same time, and the time in which all commands have ended.
func fakeCommands(n int, took, limit time.Duration, seen float64, noProcess bool) (most int, all time.Duration) {
	a := newAdmission()
	a.processors = 2
	started := map[int]time.Time{} // guarded by a.mu
	a.times = func(pid int) processor.Times {
		a.mu.Lock()
		defer a.mu.Unlock()
		return processor.Times{Waited: time.Duration(seen * float64(time.Since(started[pid])))}
	}
	start, done, h := time.Now(), make(chan bool), new(hook.Hook)
	for i := range n {
		go func() {
			p, err := a.enter(context.Background(), h, limit)
			if err != nil {
				panic(err)
			}
			a.mu.Lock()
			started[i+1] = time.Now()
			if most = max(most, len(a.running)); !noProcess {
				p.pid.Store(int64(i + 1))
			}
			a.mu.Unlock()
			testkit.Sleep(took)
			a.leave(p, h, took)
			done <- true
		}()
	}
	for range n {
		<-done
	}
	return most, time.Since(start)
}

func TestCommandsWaitWhileTheRunningOnesComeNearTheirLimits(t *testing.T) {
	const took = 100 * time.Millisecond
	for name, tt := range map[string]struct {
		limit       time.Duration
		seen        float64
		noProcess   bool
		least, most int // at the same time
		longest     time.Duration
	}{
		"they compute":                     {took, 1, false, 4, 4, 4 * took},
		"they compute in several threads":  {took, 2, false, 4, 4, 4 * took},
		"they sleep":                       {took, 0.01, false, 16, 16, took + 60*time.Millisecond},
		"they are no processes":            {took, 0, true, 16, 16, took + 60*time.Millisecond},
		"they end well within their limit": {5 * took, 1, false, 12, 16, 2 * took},
		"they have no limit":               {0, 1, false, 12, 16, 2 * took},
	} {
		synctest.Test(t, func(t *testing.T) {
			most, all := fakeCommands(16, took, tt.limit, tt.seen, tt.noProcess)
			if most < tt.least || most > tt.most || all > tt.longest {
				t.Errorf("%s: %d at once, %v in total; want %d to %d, and at most %v", name, most, all, tt.least, tt.most, tt.longest)
			}
		})
	}
}

// Other programs use most of the processors: each command that runs makes the others slower, but the processor time of
// the commands leaves room for more.
func TestCommandsWaitBeforeTheyWouldExceedTheirTimeLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		limit       time.Duration
		least, most int // at the same time
	}{
		"a tight limit": {150 * time.Millisecond, 4, 8},
		"a wide limit":  {time.Minute, 16, 16},
		"no limit":      {0, 16, 16},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newAdmission()
			a.processors = 2
			a.times = func(int) processor.Times { return processor.Times{Waited: time.Hour} }
			permits, most, slowest := make(chan bool, 16), 0, time.Duration(0)
			var all sync.WaitGroup
			for range 200 {
				all.Go(func() {
					permits <- true
					p, err := a.enter(t.Context(), nil, tt.limit)
					if err != nil {
						panic(err)
					}
					p.pid.Store(1)
					start := time.Now()
					for done := 0.0; done < 1; { // 50 ms alone
						time.Sleep(5 * time.Millisecond)
						a.mu.Lock()
						most = max(most, len(a.running))
						done += 0.1 / float64(len(a.running))
						a.mu.Unlock()
					}
					took := time.Since(start)
					a.leave(p, nil, took/20)
					a.mu.Lock()
					slowest = max(slowest, took)
					a.mu.Unlock()
					<-permits
				})
			}
			all.Wait()
			if most < tt.least || most > tt.most {
				t.Errorf("%s: %d at once, want %d to %d", name, most, tt.least, tt.most)
			}
			if tt.limit > 0 && slowest > hook.DefaultStretch*tt.limit {
				t.Errorf("%s: a command took %v", name, slowest)
			}
		})
	}
}

func TestCommandsThatRunForLongHoldNothingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if most, all := fakeCommands(16, time.Minute, time.Minute, 1, false); most != 16 || all > time.Minute+4*longRun {
			t.Errorf("%d at once, %v in total; want all 16 a few seconds after the first", most, all)
		}
	})
}

func TestCommandsStartInTheOrderInWhichTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission()
		a.processors = 1
		a.times = func(int) processor.Times { return processor.Times{Waited: time.Hour} }
		order := make(chan int, 8)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				p, _ := a.enter(context.Background(), nil, 100*time.Millisecond)
				p.pid.Store(1)
				order <- i
				time.Sleep(100 * time.Millisecond)
				a.leave(p, nil, 100*time.Millisecond)
			})
			synctest.Wait()
		}
		for i := range 8 {
			if got := <-order; got < i-1 || got > i+1 { // two start at the same time
				t.Errorf("command %d started as number %d", got, i)
			}
		}
		all.Wait()
	})
}

func TestACommandThatIsCancelledWhileItWaitsLeavesItsTurnToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission()
		a.processors = 1
		a.times = func(int) processor.Times { return processor.Times{Waited: time.Hour} }
		first, _ := a.enter(context.Background(), nil, 0)
		second, _ := a.enter(context.Background(), nil, 0)
		first.pid.Store(1)
		second.pid.Store(2)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		got := make(chan error, 2)
		go func() { _, err := a.enter(ctx, nil, 0); got <- err }()
		synctest.Wait()
		go func() {
			p, err := a.enter(context.Background(), nil, 0)
			a.leave(p, nil, 0)
			got <- err
		}()
		if err := <-got; err != context.DeadlineExceeded {
			t.Errorf("got %v, want DeadlineExceeded", err)
		}
		a.leave(first, nil, time.Second)
		if err := <-got; err != nil {
			t.Error(err)
		}
		a.leave(second, nil, time.Second)
		if len(a.running)+len(a.waiting) > 0 {
			t.Errorf("%d run and %d wait at the end", len(a.running), len(a.waiting))
		}
	})
}

func TestACommandNearTheEndOfItsTimeHasTheProcessorsForItself(t *testing.T) {
	const limit = 100 * time.Millisecond
	for name, tt := range map[string]struct {
		age         time.Duration // of the first command when the second comes
		waited      time.Duration // for which the first command has waited for a processor
		least, most time.Duration // the second command is held back
	}{
		"it has time":                      {limit, time.Hour, 0, 0},
		"it computes past twice its limit": {3 * limit, time.Hour, limit, limit},
		"it sleeps":                        {3 * limit, 0, firstLook, firstLook},
		"it runs for longer than a second": {longRun, time.Hour, 0, 0},
		"it passes a second meanwhile":     {longRun - limit/2, time.Hour, limit / 2, limit/2 + firstLook},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newAdmission()
			a.times = func(int) processor.Times { return processor.Times{Waited: tt.waited} }
			enter := func() *runningCommand {
				p, err := a.enter(t.Context(), nil, limit)
				if err != nil {
					t.Fatal(err)
				}
				p.pid.Store(1)
				return p
			}
			first := enter()
			time.Sleep(tt.age)
			var all sync.WaitGroup
			all.Go(func() {
				time.Sleep(limit)
				a.leave(first, nil, 0)
			})
			start := time.Now()
			second := enter()
			if held := time.Since(start); held < tt.least || held > tt.most {
				t.Errorf("%s: the second command was held back for %v, want %v to %v", name, held, tt.least, tt.most)
			}
			a.leave(second, nil, 0)
			all.Wait()
		})
	}
}
