package claude

import (
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the Claude Code system. Exit status 0 reads the output, and 2 blocks with the text on standard error.
// After any other status a JSON answer takes effect; without one the hook has failed and the action goes ahead (rule
// C35; release 2.1.239). Hooks have 10 minutes (C7) and run in parallel; the unit of timeouts in settings is the
// second.
var Dialect = &pipeline.Dialect{
	Name: "claude",
	Unit: time.Second,
	Rules: pipeline.Rules{
		Exits:   hook.Exits{0: hook.ParseAnswer, 2: hook.DenyWithReason, hook.OtherStatus: hook.ParseOrFail},
		Text:    hook.TextIgnored,
		Match:   match.List,
		Timeout: 10 * time.Minute,
		Readings: append([]func(string) (hook.Matcher, string){match.WideList}, lo.Map(profiles,
			func(p *profile, _ int) func(string) (hook.Matcher, string) { return p.match })...),
	},
	Base:      base,
	BaseNames: []string{"session_id", "transcript_path", "hook_event_name"},
	Members:   []string{"terminalSequence", "async", "asyncTimeout"},
	Newline:   true, // without a newline, read -r in a shell would fail (C26)
	HostLast:  true,
	Detaches:  true,
}

// base appends the members that every payload has besides the session's.
func base(dst []byte, event string, _ time.Time) []byte {
	return append(append(dst, `,"hook_event_name":`...), wire.Quote(event)...)
}

// Level selects the release whose rules apply where releases differ.
type Level uint8

// The levels. The zero Level is release 2.1.88.
const (
	Base Level = iota
	// Docs is release 2.1.239. Some of its rules: matchers such as "code-reviewer" and "Edit, Write" are names; a
	// command that mentions ${user_config.…} is refused unless it has "args"; plain text of a Setup hook is not
	// context; "once" has an effect only in front matter.
	Docs
)

// The variables map exit statuses to their effects, at events where the dialect's effects do not apply.
var (
	ignoresTwo  = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAnswer, hook.OtherStatus: hook.ParseOrFail}
	ignoresAll  = hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.ParseAnswer}
	everyStatus = hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.DenyWithReason}
)

// audience is the reader of a text.
type audience uint8

const (
	logOnly audience = iota // only the log gets the text
	model
	user
)

// traits holds facts about an event that the documentation lists in tables, and for which a Spec has no field.
type traits struct {
	kinds  kinds    // the types of hooks it runs
	reason audience // the reader of the reason of a block

	decides     bool   // the answer's "decision" has an effect, not only an exit status
	permission  bool   // the decision is a permission, which hooks can also grant
	noContinue  bool   // "continue" has no effect
	noMessage   bool   // "systemMessage" has no effect
	silent      bool   // answers have no effect, except a terminal sequence
	quiet       bool   // the user gets no notice of hooks that failed
	stopBlocks  bool   // "continue": false keeps the action from going ahead
	stopFrees   bool   // "continue": false lifts every block
	contextHold bool   // context keeps the agent working, like a block
	neverWaits  bool   // every hook of the settings runs in the background
	conditions  bool   // hooks may have an "if"
	narrow      bool   // matchers are lists of plain names at every level
	baseText    bool   // plain text is read only at the level Base
	erases      bool   // a block erases the user's prompt
	lastLine    bool   // a command's answer is its last line of output
	inAgent     string // in an agent's front matter, hooks of this event belong to the event inAgent

	timeout time.Duration // the timeout of commands and requests at the newer level; 0: the event's own timeout
	verdict refusalEffect // the effect if the model of a prompt hook refuses

	// derive sets the next fields from the event's declaration.
	exitTwoDenies bool // exit status 2 refuses
	blocks        bool // hooks can block
	contexts      bool // hooks can add context
}

// derive sets the traits that follow from an event's declaration.
func (t *traits) derive(exits hook.Exits, can pipeline.Capability) {
	if exits == nil {
		exits = Dialect.Rules.Exits
	}
	t.exitTwoDenies = exits.Of(&hook.Reply{Exit: 2}) == hook.DenyWithReason
	t.blocks, t.contexts = can&pipeline.CanBlock != 0, can&pipeline.CanAddContext != 0
}

// runs returns the types of hooks that the event runs at a level. At the base level it runs all types, except HTTP
// hooks at SessionStart and Setup.
func (t *traits) runs(level Level) kinds {
	switch {
	case level == Docs:
		return t.kinds
	case t.kinds&requests == 0:
		return all &^ requests
	}
	return all
}

// table holds the traits of every event of this package by its name.
var table = map[string]*traits{}

// traitsOf returns the traits of an event. An event that a program itself declares in the dialect runs hooks of every
// type, and honours the answers that its declaration lists.
func traitsOf(event string) *traits {
	if t := table[event]; t != nil {
		return t
	}
	t := &traits{kinds: all, reason: model, decides: true, conditions: true, verdict: block}
	for _, e := range pipeline.Events(Dialect) {
		if info := e.Info(); info.Name == event {
			t.derive(info.Rules.Exits, info.Can)
		}
	}
	return t
}

// commonIn and commonOut are implemented by the inputs and outputs of all events.
type commonIn interface{ common() *CommonInput }

type commonOut interface{ own() *CommonOutput }

// declare makes an event of the dialect, with its traits. add merges the event's part of one hook's answer into the
// parts of the earlier hooks; it is nil if the event has no such part.
func declare[In, Out any, I interface {
	*In
	commonIn
}, O interface {
	*Out
	commonOut
}](t traits, add func(all *Out, one *hook.Output[Out]), ev pipeline.Spec[In, Out]) *pipeline.Event[In, Out] {
	t.derive(ev.Rules.Exits, ev.Can)
	table[ev.Name] = &t
	if ev.SubjectName == toolSubject {
		ev.Rules.Renamed = toolNames.Matcher
	}
	ev.Reduce, ev.ReducesCommon = reducer[Out, O](&t, add), true
	ev.Refine = refining[*In, Out, O](refiner{event: ev.Name, traits: &t}, ev.Refine)
	ev.CheckOutput = checkOutput[Out]
	ev.Decode = decoder[Out, O](ev.Name)
	ev.Dir, ev.Vars = dirOf[*In], varsOf[*In]
	ev.Effects = func(_ In, res *hook.Result[Out]) any { return EffectsOf[Out, O](res) }
	return pipeline.Declare(Dialect, ev)
}

// In is always a pointer to an input, which declare ensures. Go therefore compiles each of these functions once for all
// inputs.

func dirOf[In any](in In) string { return any(in).(commonIn).common().Cwd }

func varsOf[In any](s *pipeline.Session, in In) []string {
	return variables(s, any(in).(commonIn).common())
}

// variables returns the environment variables of one call (release 2.1.239).
func variables(s *pipeline.Session, c *CommonInput) []string {
	vars := []string{"CLAUDE_CODE_SESSION_ID=" + s.ID()}
	if c.Effort != nil && c.Effort.Level != "" {
		vars = append(vars, "CLAUDE_EFFORT="+c.Effort.Level)
	}
	return vars
}
