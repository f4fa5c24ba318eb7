package pipeline

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
)

// fakeCommands lets n commands, which begin at the same time, through an admission of two processors. Each command
// lasts the duration took, and its processor time is ran * took. A running command has waited for a processor for seen
// * its age. With noProcess the commands have no process that the admission can look at. fakeCommands returns the
// largest number of commands that ran at the same time, and the time in which all commands have ended.
func fakeCommands(n int, took time.Duration, ran, seen float64, noProcess bool) (most int, all time.Duration) {
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
			p, err := a.enter(context.Background(), h)
			if err != nil {
				panic(err)
			}
			a.mu.Lock()
			started[i+1] = time.Now()
			if most = max(most, len(a.running)); !noProcess {
				p.pid.Store(int64(i + 1))
			}
			a.mu.Unlock()
			time.Sleep(took)
			a.leave(p, h, time.Duration(ran*float64(took)))
			done <- true
		}()
	}
	for range n {
		<-done
	}
	return most, time.Since(start)
}

func TestCommandsWaitWhileTheRunningOnesUseAllProcessors(t *testing.T) {
	const took = 100 * time.Millisecond
	for name, tt := range map[string]struct {
		ran, seen   float64
		noProcess   bool
		least, most int // at the same time
		longest     time.Duration
	}{
		"they compute":                    {0.5, 1, false, 4, 4, 4 * took},
		"they sleep":                      {0.01, 0.01, false, 16, 16, took + 60*time.Millisecond},
		"others have the processors":      {0.1, 1, false, 8, 16, 3 * took},
		"they are no processes":           {0, 0, true, 16, 16, took + 60*time.Millisecond},
		"they compute in several threads": {1, 2, false, 4, 4, 4 * took},
	} {
		synctest.Test(t, func(t *testing.T) {
			most, all := fakeCommands(16, took, tt.ran, tt.seen, tt.noProcess)
			if most < tt.least || most > tt.most || all > tt.longest {
				t.Errorf("%s: %d at once, %v in total; want %d to %d, and at most %v", name, most, all, tt.least, tt.most, tt.longest)
			}
		})
	}
}

func TestCommandsThatRunForLongHoldNothingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if most, all := fakeCommands(16, time.Minute, 0.5, 1, false); most != 16 || all > time.Minute+4*longRun {
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
				p, _ := a.enter(context.Background(), nil)
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
		first, _ := a.enter(context.Background(), nil)
		second, _ := a.enter(context.Background(), nil)
		first.pid.Store(1)
		second.pid.Store(2)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		got := make(chan error, 2)
		go func() { _, err := a.enter(ctx, nil); got <- err }()
		synctest.Wait()
		go func() {
			p, err := a.enter(context.Background(), nil)
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
