package fire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Fired holds the result of a fire, with the results of its hooks in the background.
type Fired struct {
	*pipeline.JSONResult

	mu    sync.Mutex
	ended []pipeline.Finished // in the order in which they ended
	Next  []string            // for the model's next turn
}

// later is the result of the hooks in the background, in the form for programs.
type later struct {
	NextTurn []string `json:"next_turn_context"`
	Rewake   []string `json:"rewake"`
	UserSees []string `json:"user_sees"` // texts that hooks show the user when they wake the model
}

// exported returns the name of the effect with the variables that hooks exported.
func (f *Fired) exported() string {
	name, _, _ := strings.Cut(f.Event, ".")
	if d, err := systems.Named(name); err == nil {
		return cmp.Or(d.Exports, "env")
	}
	return "env"
}

// Hear records the end of a hook in the background.
func (f *Fired) Hear(end pipeline.Finished) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = append(f.ended, end)
}

// settle waits for the hooks in the background, because the end of the process would end them, and adds
// their effects and the variables that hooks exported.
func (f *Fired) settle(cmd *cobra.Command, ses *pipeline.Session) {
	waiting := f.patience(cmd)
	defer waiting.Stop()
	if err := f.Gather(cmd.Context(), ses, os.Environ()); err != nil && cmd.Context().Err() == nil {
		cli.Warn(cmd, "%v", err)
	}
}

// Gather waits for the hooks in the background, and adds their effects, and the variables that hooks exported, to the
// effects of the fire. environ is the environment of the shell that reads the variables.
func (f *Fired) Gather(ctx context.Context, ses *pipeline.Session, environ []string) error {
	if err := ses.Wait(ctx); err != nil {
		return err
	}
	var errs []error
	if f.Next = ses.NextTurn(); f.isBehind() {
		errs = append(errs, f.add("async", later{
			NextTurn: cli.OrEmpty(f.Next), Rewake: cli.OrEmpty(f.rewakes()), UserSees: cli.OrEmpty(f.summaries()),
		}))
	}
	f.addEndings()
	exports, err := claude.Exported(ctx, ses.EnvFiles(), environ)
	if errs = append(errs, err); len(exports) > 0 {
		errs = append(errs, f.add(f.exported(), exports))
	}
	return errors.Join(errs...)
}

// addEndings adds the endings of the hooks that went to the background.
func (f *Fired) addEndings() {
	for i := range f.Hooks {
		for j := range f.ended {
			if h := &f.Hooks[i]; h.Outcome == pipeline.Backgrounded && h.Background == nil &&
				f.ended[j].Hook.ID == h.ID {
				h.Background = f.ended[j].Ending()
			}
		}
	}
}

// longWait is the delay before a person is told that the program waits for hooks.
const longWait = 2 * time.Second

// patience starts a timer that tells a person at the terminal that the program waits for hooks. The caller
// has to stop the timer.
func (f *Fired) patience(cmd *cobra.Command) *time.Timer {
	return time.AfterFunc(longWait, func() {
		if cli.IsTerminal(cmd.ErrOrStderr()) {
			cli.Warn(cmd, "waiting for hooks that still run in the background; an interrupt ends them")
		}
	})
}

// isBehind reports whether a hook went to the background.
func (f *Fired) isBehind() bool {
	return slices.ContainsFunc(f.Hooks, func(h pipeline.HookRun) bool { return h.Outcome == pipeline.Backgrounded })
}

func (f *Fired) rewakes() []string {
	return lo.FilterMap(f.ended, func(end pipeline.Finished, _ int) (string, bool) { return end.Wake, end.Wakes })
}

// summaries returns the texts that hooks show the user when they wake the model.
func (f *Fired) summaries() []string {
	return lo.FilterMap(f.ended, func(end pipeline.Finished, _ int) (string, bool) {
		return end.Message, end.Message != ""
	})
}

// add adds a member to the effects.
func (f *Fired) add(name string, v any) error {
	effects, err := wire.Of(f.Effects)
	var more wire.Object
	if err == nil {
		more, err = wire.Of(v)
	}
	if err != nil {
		return fmt.Errorf("%s is not part of the answer: %w", name, err)
	}
	f.Effects = effects.With(name, []byte(more))
	return nil
}

// close removes the session's files from the disk, unless the answer refers to the file of a long
// text.
func (f *Fired) close(ctx context.Context, ses *pipeline.Session) {
	if f.JSONResult != nil {
		if effects, err := wire.Of(f.Effects); err == nil && string(effects.Get("spilled")) == "true" {
			return
		}
	}
	_ = ses.Close(ctx) // the session's hooks have ended, or the result reports the interrupt
}
