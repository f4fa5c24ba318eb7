package faults

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

var errEscape = errors.New("the user pressed Escape")

func TestACallerThatHasGivenUpStartsNothing(t *testing.T) {
	eachForm(t, "echo x >ran; exit 2", setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errEscape)
		res, err := llxprt.BeforeTool.Fire(ctx, w.ses, &call)
		if !errors.Is(err, context.Canceled) || !res.Blocked() || len(res.Reports) != 1 || !errors.Is(res.Reports[0].Err, errEscape) {
			t.Errorf("%+v, %v; want a block, and one report that says why", res, err)
		}
		if _, err := os.Stat(filepath.Join(w.dir, "ran")); err == nil {
			t.Error("the hook ran")
		}
		if w.sys.FailedOpen() != 1 || len(w.log.failures()) != 1 {
			t.Errorf("failed open %d, warnings %q; want one", w.sys.FailedOpen(), w.log.failures())
		}
		w.alive(t)
	})
}

// The caller gives up at any moment while the process is being started: either the hook has answered, or its report
// gives the reason why it has not, and the fire blocks.
func TestACallerThatGivesUpDuringTheStart(t *testing.T) {
	eachForm(t, `exit 2`, setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		began := time.Now()
		if _, err := llxprt.BeforeTool.Fire(t.Context(), w.ses, &call); err != nil {
			t.Fatal(err)
		}
		spread := max(3*time.Millisecond, 2*time.Since(began)) // some fires end before their callers give up, on a busy machine too
		answered, cancelled := 0, 0
		for range 200 {
			ctx, cancel := context.WithCancelCause(t.Context())
			giveUp := time.AfterFunc(rand.N(spread), func() { cancel(errEscape) })
			res, _ := llxprt.BeforeTool.Fire(ctx, w.ses, &call)
			giveUp.Stop()
			cancel(nil)
			switch err := res.Reports[0].Err; {
			case err == nil && res.Blocked():
				answered++
			case errors.Is(err, errEscape) && errors.Is(err, context.Canceled) && res.Blocked():
				cancelled++
			default:
				t.Errorf("blocked %v, error %v; want an answer or a reason", res.Blocked(), err)
			}
		}
		if answered == 0 || cancelled == 0 || int(w.sys.FailedOpen()) != cancelled {
			t.Errorf("%d answered, %d cancelled, failed open %d; want some of each", answered, cancelled, w.sys.FailedOpen())
		}
		w.leavesNoProcess(t)
		w.alive(t)
	})
}

// running is a hook with a child; it reports when it has started.
const running = `echo '{"decision":"deny"}'; sleep 60 & echo $$ >started; wait`

// whenStarted waits until the given number of hooks of w run, calls the parameter then, and closes done.
func whenStarted(t *testing.T, w *world, hooks int, then func()) (done chan struct{}) {
	t.Helper()
	started := bufio.NewReader(testkit.Pipe(t, w.dir, "started"))
	done = make(chan struct{})
	go func() {
		defer close(done)
		for range hooks {
			if _, err := started.ReadString('\n'); err != nil {
				t.Error(err)
			}
		}
		then()
	}()
	return done
}

func TestACallerThatGivesUpWhileTheHookRuns(t *testing.T) {
	eachForm(t, running, setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		done := whenStarted(t, w, 1, func() { cancel(errEscape) })
		res, err := llxprt.BeforeTool.Fire(ctx, w.ses, &call)
		<-done
		if !errors.Is(err, context.Canceled) || !errors.Is(res.Reports[0].Err, errEscape) {
			t.Errorf("errors %v and %v; want the caller's reason", err, res.Reports[0].Err)
		}
		w.check(t, res, want{blocked: true, reason: context.Canceled.Error(), err: errEscape.Error(), is: context.Canceled, exit: -1})
		w.leavesNoProcess(t)
		w.alive(t)
	})
}

// A system that is closed ends the fires under way, waits for them, and starts
// nothing more.
func TestASystemThatIsClosedDuringAFire(t *testing.T) {
	eachForm(t, running, setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		done := whenStarted(t, w, 1, func() {
			w.sys.Close()
			if pids := w.kin(t); len(pids) > 1 { // the child gets SIGKILL last, and may still be dying
				t.Errorf("processes %d run although the system is closed", pids)
			}
		})
		res := w.fireClosed(t)
		<-done
		w.checkReport(t, &res.Reports[0], want{err: "the hook system is closed", is: hook.ErrClosed, exit: -1})
		w.leavesNoProcess(t)

		if res := w.fireClosed(t); !res.Blocked() || !errors.Is(res.Reports[0].Err, hook.ErrClosed) || res.Reports[0].Reply != nil {
			t.Errorf("afterwards: %+v; want a closed system", res.Reports[0])
		}
		if _, err := w.sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: w.dir}); !errors.Is(err, hook.ErrClosed) {
			t.Errorf("a session of a closed system: %v, want %v", err, hook.ErrClosed)
		}
		open(t, setup{}).alive(t) // another fire is not affected
	})
}

// The system is closed during many fires, each with several hooks.
func TestASystemThatIsClosedDuringManyFires(t *testing.T) {
	leavesNothing(t)
	const fires, hooks = 4, 3
	w := open(t, setup{commands: variants(hooks, running)})
	done := whenStarted(t, w, fires*hooks, func() { w.sys.Close() })
	results := make(chan *result, fires)
	for range fires {
		go func() {
			res, _ := llxprt.BeforeTool.Fire(context.Background(), w.ses, &call)
			results <- res
		}()
	}
	for range fires {
		res := <-results
		for i := range res.Reports {
			if r := &res.Reports[i]; !errors.Is(r.Err, hook.ErrClosed) || !r.FailedOpen() {
				t.Errorf("hook %d: %v, want %v", i, r.Err, hook.ErrClosed)
			}
		}
		if len(res.Reports) != hooks || !res.Blocked() {
			t.Errorf("%d reports, blocked %v; want %d, blocked", len(res.Reports), res.Blocked(), hooks)
		}
	}
	<-done
	if n := w.sys.FailedOpen(); n != fires*hooks {
		t.Errorf("failed open %d, want %d", n, fires*hooks)
	}
}
