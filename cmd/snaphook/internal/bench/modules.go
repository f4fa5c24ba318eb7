package bench

import (
	"context"
	"errors"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Modules is a benchmark of hooks that are modules inside the host. They start no process: they are
// loaded once, and called for every event.
type Modules struct {
	Event pipeline.Declared
	Input []byte // the event's fields, a JSON object
	N     int    // number of measurements of each part

	// Open opens a session for modules by their paths; nil means all modules that the settings select. It does not load
	// the modules.
	Open func(ctx context.Context, files []string) (*ModuleSession, error)

	// Between is called after each round of measurements; nil does nothing.
	Between func()
}

// ModuleSession is a session of modules.
type ModuleSession struct {
	*pipeline.Session
	Load  func() error
	Fire  func(context.Context) (*pipeline.JSONResult, error)
	Close func()
}

// Loading stands for a module's start-up in results. For other hooks, results name the command that was started.
const Loading = "loading the module"

// Run measures the modules. A cold module is loaded for the event, as snaphook fire does, and its start-up is the
// loading. A warm module stays loaded, as in a host: all its calls are in one session, and it keeps its memory between
// them.
func (b *Modules) Run(ctx context.Context) (*Result, error) {
	m := &moduleMeasurement{
		Modules: b, measurement: measurement{
			Bench: &Bench{Event: b.Event, N: b.N}, samples: map[string][]float64{}, failed: map[string]string{},
			starts: map[string]string{}, warmth: map[string]string{},
		},
	}
	defer m.close()
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	for round := range b.N {
		for i := range m.parts {
			if err := m.measure(ctx, m.parts[(i+round)%len(m.parts)], true); err != nil {
				return nil, err
			}
		}
		if b.Between != nil {
			b.Between()
		}
	}
	r := m.result()
	r.Advice = []Advice{} // a host always keeps modules loaded
	return r, nil
}

type moduleMeasurement struct {
	*Modules
	measurement
	parts []*modulePart
}

// modulePart is one module, or all of them.
type modulePart struct {
	id    string
	files []string // nil: all modules
	kept  *ModuleSession
}

func (m *moduleMeasurement) close() {
	for _, p := range m.parts {
		if p.kept != nil {
			p.kept.Close()
		}
	}
}

// prepare finds the modules that run for the input, and measures each once without recording it.
func (m *moduleMeasurement) prepare(ctx context.Context) error {
	all := &modulePart{}
	m.parts = []*modulePart{all}
	if err := m.keep(ctx, all); err != nil {
		return err
	}
	plan, err := m.Modules.Event.PlanJSON(all.kept.Session, m.Modules.Input)
	if err != nil {
		return err
	}
	m.hooks = lo.UniqBy(plan.Run, func(h *hook.Hook) string { return h.Command })
	if len(m.hooks) == 0 {
		return ErrNoHook
	}
	for _, h := range m.hooks {
		m.starts[h.ID] = Loading
		p := &modulePart{id: h.ID, files: []string{h.Command}}
		m.parts = append(m.parts, p)
		if err := m.keep(ctx, p); err != nil {
			return err
		}
	}
	for _, p := range m.parts {
		if err := m.measure(ctx, p, false); err != nil {
			return err
		}
	}
	return nil
}

// keep opens a session whose modules stay loaded.
func (m *moduleMeasurement) keep(ctx context.Context, p *modulePart) (err error) {
	if p.kept, err = m.Open(ctx, p.files); err != nil {
		return err
	}
	return p.kept.Load()
}

// measure loads a module in a fresh session and calls it there, and then calls the module that stays loaded.
func (m *moduleMeasurement) measure(ctx context.Context, p *modulePart, counts bool) error {
	fresh, err := m.Open(ctx, p.files)
	if err != nil {
		return err
	}
	defer fresh.Close()
	start := time.Now()
	if err := fresh.Load(); err != nil {
		return err
	}
	loaded := milliseconds(time.Since(start))
	first, firstHooks, err := fireModules(ctx, fresh)
	if err != nil {
		return err
	}
	again, hooks, err := fireModules(ctx, p.kept)
	if err != nil || !counts {
		return err
	}
	keep := func(name string, ms float64) { m.samples[name] = append(m.samples[name], rounded(ms)) }
	if p.files == nil {
		keep(coldFire, loaded+first)
		keep(warmFire, again)
		return nil
	}
	keep(p.id+startup, loaded)
	keep(p.id+cold, loaded+firstHooks)
	keep(p.id+warmHook, hooks)
	m.engine = append(m.engine, 1000*max(0, again-hooks))
	return nil
}

// fireModules fires once, and returns the time of the fire and of its handlers.
func fireModules(ctx context.Context, s *ModuleSession) (fire, handlers float64, err error) {
	start := time.Now()
	res, err := s.Fire(ctx)
	fire = milliseconds(time.Since(start))
	if err != nil {
		return 0, 0, err
	}
	if len(res.Hooks) == 0 {
		return 0, 0, errors.New("no handler ran")
	}
	for i := range res.Hooks {
		handlers += res.Hooks[i].DurationMS
	}
	return fire, handlers, nil
}
