// Package bench measures the hooks of an event: each alone and all together, cold and warm, their
// start-up separately, and the gain of changes to the settings.
package bench

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/scratch"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm"
)

// Bench describes a measurement.
type Bench struct {
	Event pipeline.Declared
	Input []byte // the event's fields, a JSON object
	N     int    // number of measurements of each part

	// System returns a system with settings that change has changed; Session returns a session of a
	// system. Both are called many times.
	System  func(change func(*pipeline.Loaded), warm pipeline.Warmer) *pipeline.System
	Session func(context.Context, *pipeline.System) (*pipeline.Session, error)

	// Calls holds recorded inputs of the event; see [Recorded]. Nil means no recorded inputs.
	Calls *Recorded

	// Between is called after each round of measurements; nil does nothing.
	Between func()
}

// ErrNoHook means that there is nothing to measure.
var ErrNoHook = errors.New("no hook is selected")

// Run measures the hooks. Each round measures every part once, in changing order: other work of the machine slows all
// parts alike.
func (b *Bench) Run(ctx context.Context) (*Result, error) {
	m := &measurement{Bench: b, samples: map[string][]float64{}, failed: map[string]string{}}
	defer m.close()
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	if err := m.rounds(ctx); err != nil {
		return nil, err
	}
	return m.result(), nil
}

// measurement is a running benchmark.
type measurement struct {
	*Bench
	hooks   []*hook.Hook // the selected hooks, in plan order
	warmth  map[string]string
	kinds   map[string]string   // the kind of process that keeps a hook warm
	starts  map[string]string   // the command with which start-up was measured, by hook
	trials  map[string][]string // arguments without a shell, by hook
	probes  []*probe
	systems []*pipeline.System
	scratch string // a directory for empty scripts
	dir     string // the project's directory
	samples map[string][]float64
	engine  []float64         // microseconds
	failed  map[string]string // the reason of the most recent failure in a cold run, by hook id
}

// probe is one part that is measured: a fire of a system.
type probe struct {
	name  string
	sys   *pipeline.System
	keep  *pipeline.Session // keeps the settings of sys loaded
	whole bool              // the sample is the time of the whole fire, not of its hook
	bare  bool              // the engine's own time is sampled: the time of the fire minus the time of its hook
}

// The names of samples. The name of a sample of one hook begins with the hook's id.
const (
	coldFire  = "fire cold"
	warmFire  = "fire warm"
	cold      = " cold"
	warmHook  = " warm"
	startup   = " startup"
	withArgv  = " argv"
	withAsync = " async"

	// machine is the name of the sample that belongs to no hook: the time of a program that does nothing.
	machine = "the machine: a program starts"
)

func (m *measurement) close() {
	for _, sys := range m.systems {
		_ = sys.Close() // never fails here
	}
	_ = scratch.Remove(m.scratch)
}

// prepare finds the parts to measure, and runs each once without recording it.
func (m *measurement) prepare(ctx context.Context) (err error) {
	if m.scratch, err = scratch.Dir("bench-"); err != nil {
		return err
	}
	all, err := m.probe(ctx, coldFire, nil, nil)
	if err != nil {
		return err
	}
	all.whole, m.dir = true, all.keep.Dir()
	if err := m.selected(all.keep); err != nil {
		return err
	}
	m.warmth, m.starts, m.trials = map[string]string{}, map[string]string{}, map[string][]string{}
	m.kinds = map[string]string{}
	for _, h := range m.hooks {
		if err := m.prepareHook(ctx, h); err != nil {
			return err
		}
	}
	if err := m.prepareWarm(ctx); err != nil {
		return err
	}
	for _, p := range m.probes {
		if _, err := m.fire(ctx, p); err != nil {
			return err
		}
	}
	m.engine = nil // the first fires are slower than later ones
	return nil
}

// selected finds the hooks that run for the input.
func (m *measurement) selected(s *pipeline.Session) error {
	plan, err := m.Event.PlanJSON(s, m.Input)
	if err != nil {
		return err
	}
	m.hooks = lo.Filter(plan.Run, func(h *hook.Hook, _ int) bool {
		return (h.Runner != nil || h.Func != nil) && (h.Policy == nil || h.Policy.Held == "")
	})
	if len(m.hooks) == 0 {
		return ErrNoHook
	}
	return nil
}

// prepareHook makes the probes of one hook.
func (m *measurement) prepareHook(ctx context.Context, h *hook.Hook) error {
	alone, err := m.probe(ctx, h.ID+cold, only(h.ID, nil), nil)
	if err != nil {
		return err
	}
	alone.bare = true
	if command, ok := hook.RunnerAs[*run.Command](h.Runner); ok {
		c := startOf(command, h, alone.keep, m.scratch)
		m.starts[h.ID] = c.said
		if _, err := m.probe(ctx, h.ID+startup, only(h.ID, c.replace), nil); err != nil {
			return err
		}
		if c.argv != nil {
			m.trials[h.ID] = c.argv
			if _, err := m.probe(ctx, h.ID+withArgv, only(h.ID, c.withoutShell), nil); err != nil {
				return err
			}
		}
	}
	if m.mayGoToTheBackground(h) {
		p, err := m.probe(ctx, h.ID+withAsync, changed(h.ID, func(h *hook.Hook) { h.Background = hook.Async }), nil)
		if err != nil {
			return err
		}
		p.whole = true
	}
	return nil
}

// prepareWarm makes the probes of the hooks that can be kept warm, alone and together, and waits
// until they are warm.
func (m *measurement) prepareWarm(ctx context.Context) error {
	for _, h := range m.hooks {
		note, err := m.warmProbe(ctx, h.ID+warmHook, only(h.ID, nil), []*hook.Hook{h}, false)
		if err != nil {
			return err
		}
		m.warmth[h.ID] = note
	}
	if !lo.SomeBy(m.hooks, func(h *hook.Hook) bool { return m.warmth[h.ID] == "" }) {
		return nil
	}
	_, err := m.warmProbe(ctx, warmFire, nil, m.hooks, true)
	return err
}

// warmProbe adds a probe for warm hooks; note says why if no hook is warm.
func (m *measurement) warmProbe(
	ctx context.Context, name string, change func(*pipeline.Loaded), hooks []*hook.Hook, whole bool,
) (note string, err error) {
	keeper := warm.New(warm.Config{Log: quiet})
	p, err := m.probe(ctx, name, change, keeper)
	if err != nil {
		return "", err
	}
	p.whole = whole
	var kept []*hook.Hook
	for _, h := range p.keep.Hooks() {
		if slices.ContainsFunc(hooks, func(want *hook.Hook) bool { return want.ID == h.ID }) {
			if m.kinds[h.ID], note = keepWarm(keeper, h, p.keep.Dir()); note == "" {
				kept = append(kept, h)
			}
		}
	}
	if len(kept) == 0 {
		m.probes = m.probes[:len(m.probes)-1]
		return lo.CoalesceOrEmpty(note, "it cannot be kept warm"), nil
	}
	if err := m.warmUp(ctx, p); err != nil || whole {
		return "", err
	}
	if use, ok := run.UsedShell(kept[0], p.keep.Dir()); ok && use.Left != "" {
		m.probes = m.probes[:len(m.probes)-1]
		return use.Name + " has to run this call: " + use.Left, nil
	}
	return "", nil
}

// warmUp fires until the warm process is likely to be ready: interpreters start during the first calls.
func (m *measurement) warmUp(ctx context.Context, p *probe) error {
	first := 0.0
	for i := range 30 {
		took, err := m.fire(ctx, p)
		if err != nil {
			return err
		}
		if i == 0 {
			first = took
		} else if took < 0.6*first && i > 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}

// keepWarm keeps a hook warm by the kind in its policy, or else by the first kind that fits; note says why if no kind
// fits.
func keepWarm(keeper *run.Warm, h *hook.Hook, dir string) (kind, note string) {
	if h.Policy != nil && h.Policy.Warm != "" && h.Policy.Warm != run.WarmOff {
		return h.Policy.Warm, keeper.Keep(h, h.Policy.Warm, dir)
	}
	if keeper.Keep(h, run.WarmBash, dir) == "" {
		return run.WarmBash, ""
	}
	return run.WarmAuto, keeper.Keep(h, run.WarmAuto, dir)
}

// mayGoToTheBackground reports whether the hook can run in the background without a loss: it is a hook of claude in the
// foreground, and hooks of its event have no effect but context for the model.
func (m *measurement) mayGoToTheBackground(h *hook.Hook) bool {
	info := m.Event.Info()
	return info.Dialect == "claude" && info.Can&^pipeline.CanAddContext == 0 && h.Background == hook.Foreground
}

// probe returns a probe of a system with changed settings.
func (m *measurement) probe(
	ctx context.Context, name string, change func(*pipeline.Loaded), keeper pipeline.Warmer,
) (*probe, error) {
	if change == nil {
		change = func(*pipeline.Loaded) {}
	}
	sys := m.System(change, keeper)
	m.systems = append(m.systems, sys)
	keep, err := m.Session(ctx, sys)
	if err != nil {
		return nil, err
	}
	p := &probe{name: name, sys: sys, keep: keep}
	m.probes = append(m.probes, p)
	return p, nil
}
