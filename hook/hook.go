package hook

import (
	"context"
	"strconv"
	"time"
)

// Func is a hook written in Go. If it returns an error, the hook failed: its output is ignored, and the event's rules
// determine whether the failure blocks.
//
// A panic is caught and becomes the hook's error. The context ends at the hook's timeout, when the caller no longer
// waits, or when the answer is no longer needed; a Func that ignores its context delays the fire.
type Func[In, Out any] func(ctx context.Context, in In) (Output[Out], error)

// Hook is one configured hook. The fields of its four embedded groups can be read directly: h.Name. All fires share a
// Hook, which must not change once it is part of a snapshot.
type Hook struct {
	Identity  // the hook's identity and origin
	Selection // when it runs, and with which other hooks
	Execution // how it runs, and the meaning of its exit status
	Exclusion // why it can never run

	Runner Runner // starts the hook; nil for a Go function
	Func   any    // a Func of the event's types, or nil
}

// Identity identifies a hook and its origin.
type Identity struct {
	ID      string // unique within a project, and stable while the settings are unchanged: "project/BeforeTool/0/1"
	Dialect string // "llxprt"
	Event   string // "BeforeTool"
	Name    string // as configured; may be empty
	Type    string // such as "command", "http" or "go"
	Command string // identifies the hook to people: the command line, URL or prompt
	Argv    []string
	Vars    []string // "NAME=value", the environment variables that its entry sets

	// EntrySum is the SHA-256 of the settings entry, as canonical JSON; zero for a hook without an entry. Trust in a
	// project covers EntrySum, which detects changes to members that no other field holds, such as the headers of a
	// request.
	EntrySum [32]byte

	Source       Source
	Position     Position
	UserProvided bool // a callback that the program passes on for its users; it is subject to the policies of the settings
}

// Selection determines when a hook runs, and with which other hooks.
type Selection struct {
	Pattern    string    // the matcher as configured
	Matcher    Matcher   // nil matches everything
	If         string    // the condition as configured
	Condition  Condition // nil is always true
	Key        string    // only one of the hooks with the same key runs; a hook with an empty key is never a duplicate
	Rank       int       // order of hooks that a program registers; equal ranks run in order of registration
	Once       bool      // runs once in a session
	Sequential bool      // makes all hooks of the event run one at a time
	// OwnOnly marks a hook of a project that the user has not agreed to: it can affect only other hooks with OwnOnly.
	// If it is Sequential, the hooks with OwnOnly run one after another, in parallel with the others. A duplicate
	// without OwnOnly replaces the hook.
	OwnOnly bool
}

// Execution determines how a hook runs, and the meaning of its exit status. The zero Execution leaves
// everything to the event's Rules.
type Execution struct {
	Timeout    time.Duration // 0 means the event's default, negative no limit
	Background Background    // whether the fire continues while the hook runs
	Wake       *Wake         // texts for a hook that wakes the model; nil adds none
	Exits      Exits         // the effect of each exit status; nil means the event's Rules
	Text       Text          // the meaning of plain text; 0 means the event's Rules
	FailClosed bool          // blocks when it fails, as if the event's Rules said so; not in the background
	NoEnvFile  bool          // has no file for exported variables; see Rules.EnvFile of package pipeline
	NoPermit   bool          // its Runner limits its own runs, which take no worker permit
	Status     string        // a host may show this while the hook runs

	// Policy is the effective policy, or nil. The engine sets it in a copy of the hook when settings are loaded.
	Policy *EffectivePolicy
}

// Exclusion is the reason why a hook can never run, for any input. The zero Exclusion means that it can.
type Exclusion struct {
	Skip       SkipReason
	SkipDetail string // describes Skip
	SkippedBy  Source // the source whose settings exclude the hook; Host if no settings do

	// Unusable describes the mistake in the settings entry that makes the hook ineffective. A policy can turn it into a
	// failure of [ClassInvalid]; the hook then matches everything that its matcher could have meant. Unusable is
	// ignored while the hook is [Disabled].
	Unusable string
}

// Label returns the name to show to people: the configured name, or else the command.
func (h *Hook) Label() string {
	if h.Name != "" {
		return h.Name
	}
	return h.Command
}

// Matcher selects events by their subject, such as a tool's name or a trigger. Match is called from
// many goroutines. A Matcher that panics matches.
type Matcher interface{ Match(subject string) bool }

// Condition selects events by their input; a [Matcher] sees only the subject. Holds is called from many goroutines, for
// every fire. A Condition that panics counts as true.
type Condition interface{ Holds(ConditionInput) bool }

// ConditionInput is the part of an event's input that a [Condition] sees.
type ConditionInput struct {
	Tool  string
	Input []byte // the tool's arguments, one JSON object
	Dir   string // the agent's working directory
}

// Background determines whether and how a hook runs while its fire goes on.
type Background uint8

// The kinds of background. The answer of a background hook never decides.
const (
	Foreground Background = iota
	Async                 // the model gets its answer in the next turn
	Rewake                // if it ends with status 2, its answer wakes the model
)

// Wake holds the texts that accompany the answer of a hook that wakes the model.
type Wake struct {
	Message string // precedes the answer
	Summary string // one line for the user
}

// Source is the origin of a hook, as shown in reports. A dialect can define further sources, and orders its sources.
type Source string

// The sources that dialects have in common.
const (
	Host        Source = ""            // registered by the program; String returns "host"
	Project     Source = "project"     // the project's settings
	User        Source = "user"        // the user's settings
	SystemWide  Source = "system"      // the machine's settings
	Extension   Source = "extension"   // an extension's settings
	Local       Source = "local"       // the user's settings for the project
	Flag        Source = "flag"        // settings given on the program's command line
	Managed     Source = "managed"     // settings of the machine's administrator
	Plugin      Source = "plugin"      // a plugin's settings
	FrontMatter Source = "frontmatter" // the front matter of a skill or of an agent
)

func (s Source) String() string {
	if s == Host {
		return "host"
	}
	return string(s)
}

// TrustRank ranks the hook's source by trust. Among duplicate hooks, the first one runs, unless one with a higher rank
// guards more. A project that the user has not agreed to has rank 0. A source added by the host ranks like a project.
func (h *Hook) TrustRank() int {
	if h.OwnOnly {
		return 0
	}
	switch h.Source {
	case SystemWide, Managed: // written by the machine's administrator
		return 3
	case User, Flag, Host:
		return 2
	}
	return 1
}

// Position is a position in a settings file. The zero Position means unknown. Line and Column count from 1, columns in
// bytes.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// SkipReason is the reason why a hook does not run.
type SkipReason string

// The reasons why a configured hook does not run.
const (
	NotMatched      SkipReason = "matcher"          // its matcher does not match the subject
	ConditionFalse  SkipReason = "condition"        // its condition is false
	Disabled        SkipReason = "disabled"         // disabled by name, or together with all hooks
	Untrusted       SkipReason = "untrusted"        // the project's folder is not trusted
	Duplicate       SkipReason = "duplicate"        // another hook with the same key runs
	Policy          SkipReason = "policy"           // a policy excludes it
	UnsupportedType SkipReason = "unsupported_type" // the engine cannot run this type
	Invalid         SkipReason = "invalid"          // its settings entry is invalid
)
