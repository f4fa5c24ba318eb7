package faults

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// away describes a hook of PostToolUse that runs in the background. If its entry does not say so
// (async is false), its script has to print {"async":true}.
type away struct {
	script string
	async  bool
	direct bool // without a shell
}

const (
	stays    = "sleep 60 & echo $$ >started; wait"
	leaves   = `echo '{"async":true}'; ` + stays
	stubborn = "trap '' TERM; sleep 60 & echo $$ >started; wait; wait; sleep 60"
)

func (a away) entry(t *testing.T) string {
	t.Helper()
	if a.direct {
		return fmt.Sprintf(`{"type": "command", "command": %s, "args": [], "async": %t}`, wire.Quote(executable(t, a.script)), a.async)
	}
	return fmt.Sprintf(`{"type": "command", "command": %s, "async": %t}`, wire.Quote(a.script), a.async)
}

// openAway makes a world whose hooks go to the background, and a reader that gets a line from each hook that has
// started.
func openAway(t *testing.T, hooks ...away) (*world, *bufio.Reader) {
	t.Helper()
	w := newWorld(t, "")
	entries := lo.Map(hooks, func(a away, _ int) string { return a.entry(t) })
	text := fmt.Sprintf(`{"hooks": {"PostToolUse": [{"hooks": [%s]}]}}`, strings.Join(entries, ","))
	w.start(t, claude.Settings{
		Layers:  []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text)}},
		Environ: w.environ(),
	}.Load)
	return w, bufio.NewReader(testkit.Pipe(t, w.dir, "started"))
}

var finished = claude.PostToolUseInput{PreToolUseInput: claude.PreToolUseInput{Name: "write_file", Input: call.Input}}

// send fires PostToolUse and waits until every hook runs in the background.
func (w *world) send(t *testing.T, started *bufio.Reader) {
	t.Helper()
	res, err := claude.PostToolUse.Fire(t.Context(), w.ses, &finished)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range res.Reports {
		if !r.Backgrounded || r.Err != nil {
			t.Errorf("%s: backgrounded %v, err %v", r.Hook.Label(), r.Backgrounded, r.Err)
		}
		if _, err := started.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
}

// over returns a context that has ended.
func over() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errEscape)
	return ctx
}

// isGone checks that none of the hooks still runs. The child of each gets SIGKILL last in its
// group, and may take a moment to die.
func (w *world) isGone(t *testing.T, hooks int, after string) {
	t.Helper()
	if pids := w.kin(t); len(pids) > hooks {
		t.Errorf("processes %d run although %s", pids, after)
	}
	w.leavesNoProcess(t)
}

func TestNothingOfTheBackgroundOutlivesItsEnd(t *testing.T) {
	ends := map[string]func(*world) error{
		"the session's": func(w *world) error { return w.ses.Close(over()) },
		"the system's":  func(w *world) error { return w.sys.Close() },
		"both at once": func(w *world) error {
			done := make(chan error, 1)
			go func() { done <- w.ses.Close(over()) }()
			w.sys.Close()
			<-done // an error or nil: either the session or the system was closed first
			return errEscape
		},
	}
	hooks := map[string][]away{
		"configured":         {{script: stays, async: true}},
		"configured, direct": {{script: stays, async: true, direct: true}},
		"having left":        {{script: leaves}},
		"having left alone":  {{script: leaves, direct: true}},
		"that is stubborn":   {{script: stubborn, async: true}},
		"of all kinds":       {{script: stays, async: true}, {script: leaves}, {script: stays, async: true, direct: true}, {script: leaves, direct: true}},
	}
	for whose, end := range ends {
		for kind, away := range hooks {
			if !testkit.Whole() && kind != "of all kinds" && kind != "that is stubborn" {
				continue
			}
			t.Run(whose+", hooks "+kind, func(t *testing.T) {
				leavesNothing(t)
				w, started := openAway(t, away...)
				w.send(t, started)
				if running := w.kinOf(t, 2*len(away)); running < 2*len(away) {
					t.Errorf("%d processes run, want %d hooks, each with a child", running, len(away))
				}
				if err := end(w); whose == "the session's" && !errors.Is(err, errEscape) {
					t.Errorf("closed with %v, want an error that hooks had to be stopped", err)
				}
				w.isGone(t, len(away), "their end was "+whose)
				if n := len(w.log.failures()); n != len(away) || w.sys.FailedOpen() != 0 {
					t.Errorf("%d warnings, failed open %d; want %d and 0", n, w.sys.FailedOpen(), len(away))
				}
			})
		}
	}
}

// The caller gives up when one hook has gone to the background, and another has not.
func TestACallerThatGivesUpWhenAHookHasLeft(t *testing.T) {
	leavesNothing(t)
	w, started := openAway(t, away{script: leaves}, away{script: stays})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	left := 0
	for r := range claude.PostToolUse.Stream(ctx, w.ses, &finished) {
		switch {
		case r.Backgrounded:
			left++
			cancel(errEscape)
		case r.Concluded: // this report has the error of the fire
		case !r.Started && r.Err != nil && !errors.Is(r.Err, errEscape):
			t.Errorf("the hook that stays: %v, want %v", r.Err, errEscape)
		}
	}
	if _, err := started.ReadString('\n'); err != nil || left != 1 {
		t.Fatalf("%d hooks have left, %v; want one that runs", left, err)
	}
	if w.ses.Wait(over()) == nil || w.kinOf(t, 1) == 0 {
		t.Error("the hook that has left has ended with the caller")
	}
	if err := w.ses.Close(over()); !errors.Is(err, errEscape) {
		t.Errorf("closed with %v, want an error that a hook had to be stopped", err)
	}
	w.isGone(t, 1, "the session is closed")
}

// The caller gives up at a random moment, before or after the hooks leave. The moments are within
// twice the time that hooks of a fire need to leave on this machine, and later while none has left.
func TestACallerThatGivesUpWhileHooksLeave(t *testing.T) {
	leavesNothing(t)
	const quick = `echo '{"async":true}'; sleep 60 & wait`
	w, _ := openAway(t, away{script: quick}, away{script: quick + " # again", direct: true})
	start := time.Now()
	res, err := claude.PostToolUse.Fire(t.Context(), w.ses, &finished)
	within := 2 * time.Since(start)
	all := 0
	for _, r := range res.Reports {
		if !r.Backgrounded || r.Err != nil {
			t.Fatalf("report %+v, %v; want a hook that has left", r, err)
		}
		all++
	}
	left, cancelled := 0, 0
	for range 60 {
		ctx, cancel := context.WithCancelCause(t.Context())
		giveUp := time.AfterFunc(rand.N(within), func() { cancel(errEscape) })
		res, _ := claude.PostToolUse.Fire(ctx, w.ses, &finished)
		giveUp.Stop()
		cancel(nil)
		for _, r := range res.Reports {
			switch {
			case r.Backgrounded && r.Err == nil:
				left++
			case errors.Is(r.Err, errEscape):
				cancelled++
			default:
				t.Errorf("report %+v; want a hook that has left, or the reason", r)
			}
		}
		if left == 0 {
			within += within / 4
		}
	}
	t.Logf("%d hooks have left, %d were cancelled", left, cancelled)
	_ = w.ses.Close(over())
	w.isGone(t, all+left, "the session is closed")
	if left == 0 {
		t.Error("no hook has left")
	}
}

// After its session is closed, a hook cannot go to the background: it ends before its fire ends.
func TestAHookThatLeavesAClosedSession(t *testing.T) {
	for _, script := range []string{leaves, `echo '{"async":true}'`} {
		leavesNothing(t)
		w, _ := openAway(t, away{script: script})
		if err := w.ses.Close(t.Context()); err != nil {
			t.Error(err)
		}
		res, err := claude.PostToolUse.Fire(t.Context(), w.ses, &finished)
		if err != nil || len(res.Reports) != 1 || !errors.Is(res.Reports[0].Err, hook.ErrClosed) || res.Reports[0].Backgrounded {
			t.Errorf("%+v, %v; want one report that says that the session is closed", res, err)
		}
		w.isGone(t, 1, "the fire is over")
		if run := claude.PostToolUse.Describe(finished, res).Hooks[0]; run.Outcome != pipeline.Cancelled {
			t.Errorf("outcome %s, want %s", run.Outcome, pipeline.Cancelled)
		}
	}
}
