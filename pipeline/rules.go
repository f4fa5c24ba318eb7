package pipeline

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Dialect is one hook system: a name, and the default rules of its events.
type Dialect struct {
	Name  string
	Rules Rules

	// Settings reads the settings of users from the system's usual places. A program that opens its
	// hooks without naming settings reads the settings of every dialect that is linked; see
	// [LinkedSettings]. It may be nil. It is set before main begins.
	Settings Load

	// Unit is the unit of timeouts in the settings.
	Unit time.Duration

	// Base appends the members that every payload of the dialect has in addition to session_id,
	// transcript_path and cwd, each with a comma before it. Nil appends none. BaseNames lists the
	// names of all of them: hosts need not send them, and cannot change them.
	Base      func(dst []byte, event string, now time.Time) []byte
	BaseNames []string

	// Members lists the members of answers other than the common ones and hookSpecificOutput. A
	// member that is in neither list is unknown: see [hook.UnreadError].
	Members []string

	// OwnMembers lists members of hookSpecificOutput that the dialect reads although the output type
	// of an event has no field for them: hooks of another system write them.
	OwnMembers []string

	// Head appends the members that every payload of the dialect has, separated by commas, in place
	// of session_id, transcript_path, cwd and the members of Base: for a dialect with other names
	// for them. It appends at least one. Nil appends the standard members.
	Head func(dst []byte, h Head) []byte

	// Newline ends every payload with a newline, for scripts that read a line.
	Newline bool

	// HostLast runs the program's own hooks after the settings' hooks, and the session's own last.
	HostLast bool

	// Detaches lets a running hook move itself to the background, with
	// {"async": true} as its first line of output.
	Detaches bool
}

// Head holds the common facts of a payload; see Head of [Dialect].
type Head struct {
	Event      string
	Session    string
	Transcript string // empty: no transcript
	Dir        string // the directory of the hook
	Now        time.Time
}

// Rules hold how an event runs its hooks and reads their answers. The zero value of a field
// inherits from the dialect.
type Rules struct {
	// Exits maps exit statuses to effects, and Text is the effect of plain text in place of an
	// answer. If neither the dialect nor the event sets Exits, the answer is read for status 0, and
	// 2 denies.
	Exits hook.Exits
	Text  hook.Text

	// Match compiles a matcher from the settings; a nil Matcher accepts everything. The note is
	// for the author of the pattern.
	Match func(pattern string) (m hook.Matcher, note string)

	// Renamed extends a matcher to the other names of its subjects, such as those of renamed tools.
	// A nil matcher stays nil. A nil Renamed means that each subject has one name.
	Renamed func(hook.Matcher) hook.Matcher

	// Timeout is the default timeout of a hook; negative means no limit.
	Timeout time.Duration

	// Sequential runs the hooks one at a time, whatever the settings.
	Sequential bool

	// FailClosed makes a hook that fails block: it crashed, gave no answer in
	// time, or could not be started. Without it such a hook lets the action
	// go ahead (L32, L33).
	FailClosed bool

	// Propagate is FailClosed, and makes Fire return the error of a failed hook. The caller then
	// handles it: listeners are not called. In a sequential plan the hooks after it do not run
	// (X17).
	Propagate bool

	// Unstoppable runs hooks in Go even if the caller's ctx has ended. They see that in their ctx;
	// the guarded action may go ahead nevertheless.
	Unstoppable bool

	// Live applies hooks that a hook registers or removes during a sequential plan to the same
	// fire, if they come after it.
	Live bool

	// Asks reports that a host asks the user when an answer's Decision is ask. For other events, a
	// policy whose action is to ask denies.
	Asks bool

	// LateBlocks makes a hook block if it returns no answer in time; LateFuncBlocks does so only
	// for hooks written in Go.
	LateBlocks, LateFuncBlocks bool

	// UnreadBlocks makes a hook block if its answer cannot be used, or is longer than the engine's
	// limit.
	UnreadBlocks bool

	// LateOpens lets the action go ahead when a hook returns no answer in time, although its other
	// failures block.
	LateOpens bool

	// UnreadOpens lets the action go ahead when the answer of a hook cannot be used, although its other
	// failures block. A policy that demands answers that can be used has priority.
	UnreadOpens bool

	// Budget limits the whole fire, including the wait for workers, to the longest timeout of its
	// foreground hooks. If one of them has no limit, the fire has none.
	Budget bool

	// EnvFile is the name of a variable with the path of a separate file for each hook outside the
	// process, to which it writes shell text that sets variables; see [Session.EnvFiles]. Empty:
	// hooks have no such file.
	EnvFile string
}

func (r Rules) over(base Rules) Rules {
	if r.Exits == nil {
		r.Exits = base.Exits
	}
	if r.Text == 0 {
		r.Text = base.Text
	}
	if r.EnvFile == "" {
		r.EnvFile = base.EnvFile
	}
	if r.Match == nil {
		r.Match = base.Match
	}
	if r.Renamed == nil {
		r.Renamed = base.Renamed
	}
	if r.Timeout == 0 {
		r.Timeout = base.Timeout
	}
	r.Sequential = r.Sequential || base.Sequential
	r.FailClosed = r.FailClosed || base.FailClosed
	r.Propagate = r.Propagate || base.Propagate
	r.Unstoppable = r.Unstoppable || base.Unstoppable
	r.Live = r.Live || base.Live
	r.Asks = r.Asks || base.Asks
	r.LateBlocks = r.LateBlocks || base.LateBlocks
	r.LateOpens = r.LateOpens || base.LateOpens
	r.UnreadOpens = r.UnreadOpens || base.UnreadOpens
	r.LateFuncBlocks = r.LateFuncBlocks || base.LateFuncBlocks
	r.UnreadBlocks = r.UnreadBlocks || base.UnreadBlocks
	r.Budget = r.Budget || base.Budget
	return r
}

// renamed returns m with the other names of its subjects.
func (r *Rules) renamed(m hook.Matcher) hook.Matcher {
	if r.Renamed == nil || m == nil {
		return m
	}
	return r.Renamed(m)
}

// Capability is a set of effects that an event honours from its hooks.
type Capability uint8

// The effects of hooks. An event's list documents it, and determines Blocked of a [JSONResult]; a
// test compares it with the sources.
const (
	CanBlock Capability = 1 << iota
	CanStop
	CanRewriteInput
	CanRewriteOutput
	CanAddContext
	CanSelectTools
)

var powers = [...]string{"block", "stop", "rewrite input", "rewrite output", "add context", "select tools"}

// Words returns the names of the capabilities in p.
func (p Capability) Words() []string {
	var words []string
	for i, word := range powers {
		if p&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return words
}
