// Package bench measures the hooks of an event: each alone and all together, cold and warm, their
// start-up separately, and the gain of changes to the settings.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
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

// rounds measures every probe N times.
func (m *measurement) rounds(ctx context.Context) error {
	for round := range m.N {
		for i := range m.probes {
			p := m.probes[(i+round)%len(m.probes)]
			took, err := m.fire(ctx, p)
			if err != nil {
				return err
			}
			m.samples[p.name] = append(m.samples[p.name], rounded(took))
		}
		if took, ok := startOfNothing(ctx); ok {
			m.samples[machine] = append(m.samples[machine], rounded(took))
		}
		if m.Between != nil {
			m.Between()
		}
	}
	return nil
}

// fire fires once in a new session, and returns the time in milliseconds of the whole fire or of the probe's hook.
func (m *measurement) fire(ctx context.Context, p *probe) (ms float64, err error) {
	s, err := m.Session(ctx, p.sys)
	if err != nil {
		return 0, err
	}
	defer s.Close(ctx)
	start := time.Now()
	res, err := m.Event.FireJSON(ctx, s, m.Input)
	took := milliseconds(time.Since(start))
	if err != nil {
		return 0, err
	}
	if p.whole {
		return took, nil
	}
	if len(res.Hooks) != 1 {
		return 0, fmt.Errorf("%s: %d hooks ran; want only this one", p.name, len(res.Hooks))
	}
	if h := &res.Hooks[0]; p.name == h.ID+cold && (h.Outcome == pipeline.NonBlockingError || h.Error != nil) {
		m.failed[h.ID] = failure(h)
	}
	if p.bare && took >= res.Hooks[0].DurationMS {
		m.engine = append(m.engine, 1000*(took-res.Hooks[0].DurationMS))
	}
	return res.Hooks[0].DurationMS, nil
}

// result summarises the samples.
func (m *measurement) result() *Result {
	r := &Result{
		Event: m.Event.Info().FullName(), N: m.N, Advice: []Advice{}, Samples: m.samples,
		Fire: Fire{Cold: ranksOf(m.samples[coldFire]), Warm: m.ranks(warmFire)}, Engine: Engine{rank(m.engine, 0.5)},
	}
	for _, h := range m.hooks {
		r.Hooks = append(r.Hooks, Hook{
			ID: h.ID, Name: h.Name, Command: h.Command,
			Cold: ranksOf(m.samples[h.ID+cold]), Warm: m.ranks(h.ID + warmHook), Startup: m.ranks(h.ID + startup),
			StartupCommand: m.starts[h.ID], WarmNote: m.warmth[h.ID], Failed: m.failed[h.ID],
		})
		if m.failed[h.ID] == "" {
			r.Advice = append(r.Advice, adviceFor(m, h)...)
		}
	}
	return r
}

func (m *measurement) ranks(name string) *Ranks {
	if len(m.samples[name]) == 0 {
		return nil
	}
	return lo.ToPtr(ranksOf(m.samples[name]))
}

// failure returns one line that says why a hook failed.
func failure(h *pipeline.HookRun) string {
	if h.ExitCode == nil || *h.ExitCode == 0 {
		return lo.FromPtr(h.Error)
	}
	text, _, _ := strings.Cut(strings.TrimSpace(lo.FromPtr(h.Stderr)), "\n")
	return strings.TrimSuffix(fmt.Sprintf("exit status %d: %s", *h.ExitCode, text), ": ")
}

// startOfNothing measures the machine: the milliseconds of a program that does nothing, which no
// change of a hook affects. Windows has no such program.
func startOfNothing(ctx context.Context) (ms float64, ok bool) {
	start := time.Now()
	err := exec.CommandContext(ctx, "true").Run()
	return milliseconds(time.Since(start)), err == nil
}
