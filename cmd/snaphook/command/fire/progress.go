package fire

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// progressAfter is the time after which a fire shows a status line, and progressEvery the time between its updates.
const (
	progressAfter = 400 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// progress shows on a terminal which hooks run, and for how long, in one line that disappears when
// they have ended.
type progress struct {
	to    io.Writer
	width func() int

	mu      sync.Mutex
	running []runningHook
	shown   bool
	stop    chan struct{}
	done    chan struct{}
}

type runningHook struct {
	hook  *hook.Hook
	began time.Time
}

// openProgress starts the status line, if standard error is a terminal that is not occupied by
// hooks' questions or by the log.
func openProgress(cmd *cobra.Command, occupied bool) *progress {
	file, ok := cmd.ErrOrStderr().(*os.File)
	if !ok || occupied || !cli.IsTerminal(file) {
		return nil
	}
	p := &progress{to: file, width: func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		return lo.Ternary(err == nil && width > 0, width, 80)
	}, stop: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p
}

// observers returns the observers for the engine.
func (p *progress) observers() []pipeline.Observer {
	if p == nil {
		return nil
	}
	return []pipeline.Observer{p}
}

// close removes the line.
func (p *progress) close() {
	if p == nil {
		return
	}
	close(p.stop)
	<-p.done
	p.show("")
}

func (p *progress) run() {
	defer close(p.done)
	first := time.NewTimer(progressAfter)
	defer first.Stop()
	select {
	case <-p.stop:
		return
	case <-first.C:
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		p.show(p.line(time.Now()))
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
	}
}

// show replaces the line that is shown.
func (p *progress) show(text string) {
	if text == "" && !p.shown {
		return
	}
	p.shown = text != ""
	_, _ = io.WriteString(p.to, "\r\x1b[K"+text) // an error means that the terminal is closed
}

// line names the running hooks, the longest-running first. It returns the empty text if no hook runs.
func (p *progress) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) == 0 {
		return ""
	}
	words := lo.Map(p.running, func(r runningHook, _ int) string {
		name := cli.Label(lo.CoalesceOrEmpty(r.hook.Status, r.hook.Label()), 40)
		return fmt.Sprintf("%s %.1fs", name, now.Sub(r.began).Seconds())
	})
	text := []rune(cli.Count(len(words), "hook") + ": " + strings.Join(words, ", "))
	if most := max(10, p.width()-1); len(text) > most {
		text = append(text[:most-1], '…')
	}
	return string(text)
}

// FireStart implements [pipeline.Observer].
func (p *progress) FireStart(ctx context.Context, _ *pipeline.FireInfo) context.Context { return ctx }

// HookStart implements [pipeline.HookStarter].
func (p *progress) HookStart(ctx context.Context, _ *pipeline.FireInfo, h *hook.Hook) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, runningHook{h, time.Now()})
	return ctx
}

// HookEnd implements [pipeline.Observer].
func (p *progress) HookEnd(_ context.Context, e *pipeline.Evaluation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.SkipReason == "" && e.Outcome != pipeline.Backgrounded {
		p.running = slices.DeleteFunc(p.running, func(r runningHook) bool { return r.hook == e.Hook })
	}
}

// FireEnd implements [pipeline.Observer].
func (p *progress) FireEnd(context.Context, *pipeline.FireInfo, *pipeline.FireOutcome) {}
