package snaphook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/run"
)

// Config configures [Open]. The zero Config runs the hooks of every dialect, found in each system's
// usual places.
type Config struct {
	// Tools describes the host's tools. A tool that is not listed keeps its name and the names of
	// its arguments in every dialect.
	Tools []Tool

	// Resolve describes a tool that is not in Tools, such as one of an MCP server whose tool list
	// is not known yet. It is called once for each name, from any goroutine; for a name of more
	// than 256 bytes, and for any name after the first 4096, it is called each time. ok is false if
	// the tool is unknown. A description that cannot be used is logged and ignored. Resolve may be
	// nil.
	Resolve func(name string) (t Tool, ok bool)

	// Dialects are the systems whose hooks run, in the order in which they compose: up to seven,
	// each once, or [LLxprt] once for each profile. Nil means [Claude], [LLxprt] and [Xcsh]; empty
	// means only the program's own hooks.
	Dialects []*Dialect

	// Load adds hooks from elsewhere, such as those of package fleet, to those of Dialects.
	Load []pipeline.Load

	// Workers limits the hooks that run outside the process at the same time, over all
	// sessions; 0 means 4 for each processor, and at least 16.
	Workers int

	// Warm keeps the interpreters of hooks ready, if a policy demands it. Nil means a [run.Warm]; warm.New of
	// module warm returns one that also runs scripts for bash that use cat, grep and jq. Hooks closes it.
	Warm pipeline.Warmer

	// Log gets a warning for every hook that failed and for every settings entry that
	// cannot be used; nil means [slog.Default].
	Log *slog.Logger

	// Record is the path of a file that gets a line of JSON for each fire that looks at a hook; see
	// package record. Empty means the path in the environment variable SNAPHOOK_RECORD. A file that
	// cannot be opened is logged as a warning, and hooks run without a record.
	Record string

	// RecordInput selects how much of an event's input a line of Record keeps. The zero
	// value keeps the keys, with the type in place of each value.
	RecordInput record.Input

	// Observe follows every fire that looks at a hook, for records, metrics and progress. Each
	// Observer gets the context that the previous one returned. One with a method HookStart is also
	// called when a hook begins. Empty costs nothing.
	Observe []pipeline.Observer

	// ObserveIdle makes Record and Observe also follow the fires of events for which no hook is
	// configured. Without it these fires cost nothing.
	ObserveIdle bool

	// Policy adds the program's demands on hooks to those of their settings; see package policy.
	// The files .snaphook.json of the project, and config.json of the user and of the machine,
	// apply as well.
	Policy []policy.Overlay

	// PolicyFiles reads the policy files in addition to Policy; nil means the three that Policy
	// names. Pass the Source that trust decisions were made with: the files then cannot change
	// between the two reads.
	PolicyFiles *policy.Source

	// Wrap wraps the Runner of a hook, such as in a sandbox; see [pipeline.Config]. Wrap of
	// trust.Covered guarantees that only reviewed files run, even if the project changes while a
	// session is open.
	Wrap func(*hook.Hook, hook.Runner) hook.Runner

	// Granted returns the guards of a directory that the user agreed to; Guards of trust.Decisions
	// implements it. If a settings change removes a guard, the calls that it selected are blocked
	// until the user agrees again; see [pipeline.Config]. Nil: a removed guard blocks nothing.
	Granted func(dir string) map[string][]hook.Guard

	// Ask puts a question to the user, and blocks until there is an answer or ctx has ended; ok is
	// false if the user gave none. [Session.RunTool] calls it, with the options allow and deny,
	// when a hook's decision is Ask; so do modules that ask, and running hooks that MayAsk accepts.
	// h is nil in the first two cases. Nil: no question can be asked, except by the host of an
	// Interactive session itself.
	Ask func(ctx context.Context, s *Session, h *hook.Hook, q hook.Question) (key string, ok bool)

	// MayAsk selects the commands that may ask while they run. Their standard input stays open
	// after the payload; a command that reads it to its end hangs. Nil: none may.
	MayAsk func(*hook.Hook) bool

	// Recheck runs the hooks of a gate once more when its arguments have been rewritten: every
	// guard then has seen the arguments that run. Rewrites of the second round have no effect. A
	// policy with recheck does the same for the calls that its hooks match.
	Recheck bool

	// Finished receives the outcome of each hook that ran in the background. It is called on a
	// separate goroutine, and must not close the session. Nil: [Session.NextTurn] returns the
	// texts.
	Finished func(*Session, pipeline.Finished)
}

// Hooks runs the hooks of a process. Its methods may be called from many goroutines.
type Hooks struct {
	cfg      Config
	log      *slog.Logger
	sys      *pipeline.System
	watch    *pipeline.Watch
	dialects []*Dialect // the program's own, and then the dialects of the config
	tools    map[string]*knownTool
	resolved sync.Map     // name to *knownTool
	kept     atomic.Int64 // number of names in resolved
	closed   atomic.Bool

	mu       sync.Mutex
	sessions map[*Session]bool
}

// Open makes the Hooks of a process. It reads nothing: the settings of a directory are read for its
// first session. The error names the mistake in the tools, or in the list of dialects.
func Open(cfg Config) (*Hooks, error) {
	dialects := cfg.Dialects
	if dialects == nil {
		dialects = []*Dialect{Claude(ClaudeConfig{}), LLxprt(LLxprtConfig{}), Xcsh(XcshConfig{})}
	}
	dialects, err := joinProfiles(dialects)
	if err == nil {
		err = checkDialects(dialects)
	}
	if err != nil {
		return nil, fmt.Errorf("snaphook: %w", err)
	}
	h := &Hooks{
		cfg: cfg, log: cmp.Or(cfg.Log, slog.Default()), dialects: append([]*Dialect{own}, dialects...),
		tools: map[string]*knownTool{}, sessions: map[*Session]bool{},
	}
	for i := range cfg.Tools {
		t := &cfg.Tools[i]
		switch err := t.check(); {
		case err != nil:
			return nil, fmt.Errorf("snaphook: %w", err)
		case h.tools[t.Name] != nil:
			return nil, fmt.Errorf("snaphook: the tool %q is declared twice; give each tool its own name", t.Name)
		}
		h.tools[t.Name] = h.know(t)
	}
	system := pipeline.Config{
		Load: slices.Clone(cfg.Load), Workers: cfg.Workers, Log: cfg.Log, Wrap: cfg.Wrap,
		Observe: cfg.observers(), ObserveIdle: cfg.ObserveIdle,
		Policy: cfg.policy(), Granted: cfg.Granted,
		Warm:         cmp.Or[pipeline.Warmer](cfg.Warm, &run.Warm{Log: cfg.Log}),
		HostRechecks: true, // over all dialects; see recheck
	}
	sets := make([][]pipeline.Declared, int(moments)*maxDialects)
	for i, d := range h.dialects {
		if d.load != nil {
			system.Load = append(system.Load, d.load)
		}
		for at := range d.stages {
			sets[set(i, Moment(at))] = d.stages[at].events
		}
	}
	h.watch = pipeline.NewWatch(sets...)
	h.sys = pipeline.NewSystem(system)
	return h, nil
}

// policy returns the source of the policy files.
func (cfg Config) policy() policy.Source {
	source := policy.Source{Discover: true}
	if cfg.PolicyFiles != nil {
		source = *cfg.PolicyFiles
	}
	source.Overlays = append(slices.Clip(source.Overlays), cfg.Policy...)
	return source
}

// observers returns the observers of the config, with the recorder last.
func (cfg Config) observers() []pipeline.Observer {
	path := cmp.Or(cfg.Record, os.Getenv("SNAPHOOK_RECORD"))
	if path == "" {
		return cfg.Observe
	}
	r, err := record.Open(path, record.Config{Input: cfg.RecordInput, Log: cfg.Log})
	if err != nil {
		cmp.Or(cfg.Log, slog.Default()).Warn("hooks are not recorded", slog.String("error", err.Error()))
		return cfg.Observe
	}
	return append(slices.Clip(cfg.Observe), r)
}

// joinProfiles replaces two LLxprt dialects by one for both, at the index of the first: their hooks
// are for the same events.
func joinProfiles(all []*Dialect) ([]*Dialect, error) {
	isLLxprt := func(d *Dialect) bool { return d != nil && d.llxprt != nil }
	one := slices.IndexFunc(all, isLLxprt)
	two := one + 1 + slices.IndexFunc(all[one+1:], isLLxprt)
	if one < 0 || two <= one {
		return all, nil
	}
	first, second := all[one].llxprt, all[two].llxprt
	switch profiles := [...]llxprt.Profile{first.Profile, second.Profile}; {
	case profiles[0] == profiles[1]:
		return nil, fmt.Errorf("the dialect llxprt is given twice with the profile %q; give one of them the profile llxprt.LLxprt, and the other llxprt.Gemini", profiles[0])
	case slices.Contains(profiles[:], llxprt.Found):
		return nil, errors.New("the dialect llxprt is given twice, and one of them has no Profile; give one llxprt.LLxprt, and the other llxprt.Gemini")
	}
	joined := *all[one]
	joined.load = llxprt.Both(*first, *second)
	all = slices.Delete(slices.Clone(all), two, two+1)
	all[one] = &joined
	return all, nil
}

func checkDialects(all []*Dialect) error {
	if len(all) >= maxDialects {
		return fmt.Errorf("%d dialects are given; no more than %d can be", len(all), maxDialects-1)
	}
	for i, d := range all {
		switch {
		case d == nil:
			return fmt.Errorf("dialect %d is nil; write snaphook.Claude, snaphook.LLxprt or snaphook.Xcsh with its Config, or snaphook.NewDialect", i+1)
		case d.wrong != nil:
			return d.wrong
		case slices.ContainsFunc(all[:i], func(other *Dialect) bool { return other.name == d.name }):
			return fmt.Errorf("the dialect %s is given twice", d.name)
		}
	}
	return nil
}

// knownTool is a tool of the host, with its spelling in each dialect.
type knownTool struct {
	Tool
	by [][]*translated // by dialect: Dialect.translate, then its variants
}

// nameless is an undeclared tool, which keeps its names in every dialect.
var nameless = new(knownTool)

// know translates a tool of the host for every dialect.
func (h *Hooks) know(t *Tool) *knownTool {
	if names := t.unknown(); len(names) > 0 {
		h.log.Warn("the tool has arguments that its kind does not know; hooks see them under these names",
			slog.String("tool", t.Name), slog.String("kind", t.Kind.String()),
			slog.String("arguments", strings.Join(names, ", ")))
	}
	k := &knownTool{Tool: *t}
	for _, d := range h.dialects {
		if d.translate == nil {
			k.by = append(k.by, []*translated{untranslated(t)})
			continue
		}
		words := []*translated{d.translate(t)}
		for _, other := range d.variants {
			words = append(words, other(t))
		}
		k.by = append(k.by, words)
	}
	return k
}

// tool returns the declared tool of a name.
func (h *Hooks) tool(name string) *knownTool {
	if k := h.tools[name]; k != nil {
		return k
	}
	if h.cfg.Resolve == nil {
		return nameless
	}
	if k, ok := h.resolved.Load(name); ok {
		return k.(*knownTool)
	}
	k := nameless
	if t, ok := h.cfg.Resolve(name); ok {
		t.Name = name
		if err := t.check(); err != nil {
			h.log.Warn("a tool cannot be translated", slog.String("error", err.Error()))
		} else {
			k = h.know(&t)
		}
	}
	if len(name) > mostResolvedBytes || h.kept.Add(1) > mostResolved {
		return k
	}
	was, _ := h.resolved.LoadOrStore(name, k)
	return was.(*knownTool)
}

// A model may invent any number of tool names. These constants limit the number and length of the names kept.
const mostResolved, mostResolvedBytes = 4096, 256

// named returns the host's name of a tool, given the dialect's name.
func (h *Hooks) named(dialect int, name string) string {
	for _, t := range h.cfg.Tools {
		if h.tools[t.Name].by[dialect][0].name == name {
			return t.Name
		}
	}
	return name
}

// System returns the engine on which Hooks is built: for its Reload, SetEnabled and FailedOpen.
func (h *Hooks) System() *pipeline.System { return h.sys }

// Close ends all sessions and hook runs, and returns when they have ended. Every later moment is a
// denial with [hook.ErrClosed]. It may be called more than once.
func (h *Hooks) Close() {
	h.closed.Store(true)
	h.mu.Lock()
	open := h.sessions
	h.sessions = map[*Session]bool{}
	for s := range open {
		s.shut.Store(1)
	}
	h.mu.Unlock()
	_ = h.sys.Close() // never fails
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for s := range open {
		_ = s.end(ended)
	}
}
