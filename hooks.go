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

// Config configures [Open]. The zero Config runs the hooks of [Claude], [LLxprt] and [Xcsh], read from each system's
// usual files.
type Config struct {
	// Tools describes the host's tools. A tool that is not listed keeps its name and the names of its arguments in
	// every dialect.
	Tools []Tool

	// Resolve describes a tool that is not in Tools, such as a tool of an MCP server whose list is not known yet. It is
	// called from many goroutines, and its answer for a name is cached; a name of more than 256 bytes, and names after
	// the first 4096, are not cached. ok is false if the tool is unknown. An invalid description is logged and ignored.
	// Resolve may be nil.
	Resolve func(name string) (t Tool, ok bool)

	// Dialects lists the systems whose hooks run, at most seven, in the order in which their answers are merged. Each
	// may occur once, but [LLxprt] once for each profile. Nil means [Claude], [LLxprt] and [Xcsh]; empty means only the
	// program's own hooks.
	Dialects []*Dialect

	// Load adds hooks from other sources, such as package fleet.
	Load []pipeline.Load

	// Workers limits the hooks that run outside the process at the same time, over all sessions. 0 means 4 for each
	// processor, and at least 16.
	Workers int

	// Warm keeps the interpreters of hooks ready between calls, for hooks whose policy demands it. Nil means a
	// [run.Warm]. With warm.New of module warm, and on Linux, this process also runs the scripts of bash and dash that
	// the module supports wholly, unless a policy names another way, such as "warm": "off". Close closes Warm.
	Warm pipeline.Warmer

	// Log gets a warning for every failed hook and every invalid settings entry; nil means [slog.Default].
	Log *slog.Logger

	// Record is the path of a file to which each fire that considers a hook appends a line of JSON; see package record.
	// Empty means the path in the environment variable SNAPHOOK_RECORD. If the file cannot be opened, a warning is
	// logged and there is no record.
	Record string

	// RecordInput selects how much of an event's input a line of Record keeps. The zero
	// value keeps the keys, with the type in place of each value.
	RecordInput record.Input

	// Observe lists observers of every fire that considers a hook, for records, metrics and progress. Each Observer
	// gets the context that the previous one returned. An Observer that has a method HookStart is also called when
	// a hook begins. An empty list costs nothing.
	Observe []pipeline.Observer

	// ObserveIdle also calls the observers, and writes Record, for fires of events without hooks. Without ObserveIdle
	// those fires cost nothing.
	ObserveIdle bool

	// Policy adds the program's rules for hooks; see package policy. The project's file .snaphook.json, and the files
	// config.json of the user and of the machine, apply as well.
	Policy []policy.Overlay

	// PolicyFiles reads the policy files that apply in addition to Policy; nil means the three files named in the
	// comment of Policy. If the trust decisions were made with a Source that the method Once returned, pass the same
	// Source: both uses then see the same contents of the files.
	PolicyFiles *policy.Source

	// Wrap returns the Runner to use in place of a hook's own, for example one that runs it in a sandbox; see
	// [pipeline.Config]. Wrap of trust.Covered guarantees that only reviewed files run, even if the project changes
	// while a session is open.
	Wrap func(*hook.Hook, hook.Runner) hook.Runner

	// Granted returns the guards of a directory that the user agreed to; use Guards of trust.Decisions. If such a guard
	// is missing from the settings, the calls that it would match are blocked until the user agrees again; see
	// [pipeline.Config]. If Granted is nil, a missing guard blocks nothing.
	Granted func(dir string) map[string][]hook.Guard

	// Ask puts a question to the user. It blocks until the user answers or ctx ends; ok is false without an answer.
	// Three callers use it: [Session.RunTool], with the options allow and deny, when the hooks' decision is Ask;
	// modules that ask; and running hooks that MayAsk accepts. h is the running hook that asks, and nil for the other
	// callers. If Ask is nil, only the host of an Interactive session can ask, by itself.
	Ask func(ctx context.Context, s *Session, h *hook.Hook, q hook.Question) (key string, ok bool)

	// MayAsk selects the commands that may ask while they run. The standard input of these commands stays open after
	// the payload: a command that reads to the end of the file hangs. If MayAsk is nil, no command may ask.
	MayAsk func(*hook.Hook) bool

	// Recheck runs the hooks of a gate a second time if the arguments have been rewritten, so that every guard has seen
	// the final arguments. Rewrites of the second run have no effect. A policy can demand the same for the calls that
	// its hooks match.
	Recheck bool

	// Finished receives the outcome of each background hook. It is called on a separate goroutine, and must not close
	// the session. If it is nil, [Session.NextTurn] returns the hooks' texts.
	Finished func(*Session, pipeline.Finished)
}

// Hooks runs the hooks of a process. It is safe for concurrent use.
type Hooks struct {
	cfg      Config
	log      *slog.Logger
	sys      *pipeline.System
	watch    *pipeline.Watch
	dialects []*Dialect // the dialect of the program's own hooks, then the dialects of the Config
	tools    map[string]*knownTool
	resolved sync.Map     // from name to *knownTool
	kept     atomic.Int64 // number of names in resolved
	closed   atomic.Bool

	mu       sync.Mutex
	sessions map[*Session]bool
}

// Open makes the Hooks of a process. It reads no files: the settings of a directory are read for its first session. It
// returns an error if the Config has a mistake in its tools or dialects.
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
		HostRechecks: true, // across all dialects; see recheck
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

// joinProfiles replaces two LLxprt dialects by one dialect for both profiles, at the position of the first, because
// hooks of both profiles share their events.
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
		return fmt.Errorf("%d dialects are given, and the limit is %d; give fewer", len(all), maxDialects-1)
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

// knownTool is a tool of the host, translated for each dialect.
type knownTool struct {
	Tool
	by [][]*translated // for each dialect: the translated tool, then its variants
}

// nameless is an undeclared tool, which keeps the host's names in every dialect.
var nameless = new(knownTool)

// know translates a tool for every dialect, and keeps the result.
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

// tool returns the knownTool for a name, or nameless.
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

// mostResolved and mostResolvedBytes limit the number and length of cached tool names, because a model may invent any
// name.
const mostResolved, mostResolvedBytes = 4096, 256

// named returns the host's name of a tool by its name in a dialect, or name if Config.Tools has no such tool.
func (h *Hooks) named(dialect int, name string) string {
	for _, t := range h.cfg.Tools {
		if h.tools[t.Name].by[dialect][0].name == name {
			return t.Name
		}
	}
	return name
}

// System returns the engine below Hooks, for its Reload, SetEnabled and FailedOpen.
func (h *Hooks) System() *pipeline.System { return h.sys }

// Close ends all sessions and hook runs, and returns when they have ended; a hook in Go that calls Close does not wait
// for the running fires. Moments after Close are denials with [hook.ErrClosed]. Close may be called more than once.
func (h *Hooks) Close() {
	h.closed.Store(true)
	h.mu.Lock()
	open := h.sessions
	h.sessions = map[*Session]bool{}
	for s := range open {
		s.shut.Store(1)
	}
	h.mu.Unlock()
	_ = h.sys.Close() // fails only if a hook in Go calls Close: the hook cannot wait for its own fire
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for s := range open {
		_ = s.end(ended)
	}
}

func (h *Hooks) scope() pipeline.Scope {
	if h == nil {
		return nil
	}
	return h.sys
}
