package pipeline

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Dialect is one hook system: a name, and the default rules of its events.
type Dialect struct {
	Name  string
	Rules Rules

	// Settings reads users' settings from the system's usual places. A program that names no settings reads the
	// settings of every dialect linked into it; see [LinkedSettings]. Settings may be nil, and is set before main
	// begins.
	Settings Load

	// Unit is the unit of timeouts in the settings.
	Unit time.Duration

	// Base appends the members that every payload of the dialect has after session_id, transcript_path and cwd, each
	// preceded by a comma. Nil appends none. BaseNames lists the names of all these members: hosts need not send them,
	// and cannot change them.
	Base      func(dst []byte, event string, now time.Time) []byte
	BaseNames []string

	// Members lists the members of answers that the dialect knows besides the common ones and hookSpecificOutput. All
	// others are unknown; see [hook.UnreadError].
	Members []string

	// OwnMembers lists members of hookSpecificOutput that are known although the output type of an event has no field
	// for them, because hooks of another system write them.
	OwnMembers []string

	// Head is for dialects with other names for session_id, transcript_path, cwd and the members of Base. It appends
	// the members that every payload has, at least one, separated by commas. Nil appends the standard members.
	Head func(dst []byte, h Head) []byte

	// Newline ends every payload with a newline, for scripts that read a single line.
	Newline bool

	// HostLast runs the program's own hooks after the settings' hooks, and the session's own last.
	HostLast bool

	// Detaches lets a running hook move itself to the background, with
	// {"async": true} as its first line of output.
	Detaches bool
}

// Head holds the values that every payload of a session has; see Head of [Dialect].
type Head struct {
	Event      string
	Session    string
	Transcript string // empty: no transcript
	Dir        string // the agent's directory
	Now        time.Time
}

// Rules determine how an event runs its hooks and reads their answers. A zero field inherits from the dialect.
type Rules struct {
	// Exits maps exit statuses to effects. Text is the effect of output that is plain text. If neither the dialect nor
	// the event sets Exits, status 0 reads the answer, and 2 denies.
	Exits hook.Exits
	Text  hook.Text

	// Match compiles a matcher from the settings; a nil Matcher accepts everything. The note describes a problem to the
	// author of the pattern.
	Match func(pattern string) (m hook.Matcher, note string)

	// Readings compile a matcher as other settings of the dialect do. A lost guard blocks each call that Match or one of
	// Readings accepts, because the engine does not know the guard's settings. See Granted of [Config].
	Readings []func(pattern string) (m hook.Matcher, note string)

	// Renamed extends a matcher to other names of the same subject, such as the former name of a tool. It is not called
	// for a nil matcher. A nil Renamed means that each subject has one name.
	Renamed func(hook.Matcher) hook.Matcher

	// Timeout is the default timeout of a hook; negative means no limit.
	Timeout time.Duration

	// Sequential runs the hooks one at a time, whatever the settings.
	Sequential bool

	// FailClosed makes a failed hook block, whether it crashed, timed out or could not be started. Without FailClosed
	// the action goes ahead (L32, L33), unless another rule or a policy blocks it.
	FailClosed bool

	// Propagate implies FailClosed, and makes Fire return the error of a failed hook. The caller then handles the
	// error: failure listeners are not called. In a sequential plan the later hooks do not run (X17).
	Propagate bool

	// Unstoppable runs hooks in Go even after the end of the caller's ctx; the hooks see the end in their ctx. The end
	// of ctx does not block the guarded action.
	Unstoppable bool

	// Live lets a hook of a sequential plan add or remove later hooks of the same fire.
	Live bool

	// Asks reports that hosts ask the user when a Decision is ask. For other events, a policy whose action is ask denies.
	Asks bool

	// LateBlocks makes every hook that times out block; LateFuncBlocks makes hooks written in Go that time out block.
	LateBlocks, LateFuncBlocks bool

	// UnreadBlocks makes a hook block if its answer is invalid, or longer than the engine's limit.
	UnreadBlocks bool

	// LateOpens lets the action go ahead when a hook times out, although its other failures block.
	LateOpens bool

	// UnreadOpens lets the action go ahead when a hook's answer is invalid, although its other failures block. A policy
	// that demands valid answers has priority.
	UnreadOpens bool

	// Budget limits the whole fire, including the wait for permits, to the longest timeout of its foreground hooks. It
	// has no effect if a foreground hook has no timeout.
	Budget bool

	// EnvFile names an environment variable. For each hook outside the process it has the path of a separate file, to
	// which the hook writes shell text that sets variables; see [Session.EnvFiles]. If EnvFile is empty, hooks have no
	// such file.
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
	if r.Readings == nil {
		r.Readings = base.Readings
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

// renamed applies Renamed to m.
func (r *Rules) renamed(m hook.Matcher) hook.Matcher {
	if r.Renamed == nil || m == nil {
		return m
	}
	return r.Renamed(m)
}

// Capability is a set of effects that an event honours from its hooks.
type Capability uint8

// The effects of hooks. An event's set is documentation; CanBlock in the set also decides whether Blocked of a
// [JSONResult] can be true.
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
