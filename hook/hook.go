package hook

import (
	"context"
	"strconv"
	"time"
)

// Func is a hook written in Go. An error means that the hook failed: its output is not used, and
// the event's rules determine whether that blocks.
//
// A panic is caught and becomes the hook's error. The context ends when the hook's timeout has
// passed, when the caller no longer waits, or when the answer is no longer needed; a Func that
// ignores it delays its fire.
type Func[In, Out any] func(ctx context.Context, in In) (Output[Out], error)

// Hook is one configured hook. Its fields are in four embedded groups, and can be read directly:
// h.Name. It is shared by every fire and must not change once it is part of a snapshot.
type Hook struct {
	Identity  // which hook it is, and where it comes from
	Selection // when it runs, and with which other hooks
	Execution // how it runs, and what its exit status means
	Exclusion // why it can never run

	Runner Runner // starts it; nil for a Go function
	Func   any    // a Func of the event's types, or nil
}

// Identity identifies a hook and its origin.
type Identity struct {
	ID      string // unique within a project, and stable while the settings are unchanged: "project/BeforeTool/0/1"
	Dialect string // "llxprt"
	Event   string // "BeforeTool"
	Name    string // as configured; may be empty
	Type    string // "command", "plugin", "go"
	Command string // the text by which a person would recognise the hook
	Argv    []string
	Vars    []string // "NAME=value", the environment variables that its entry sets

	// EntrySum is the SHA-256 of the entry in the settings, as canonical JSON; zero for a hook
	// without an entry. Trust in a project covers it: a change to a member of the entry that no
	// other field holds, such as the headers of a request, is noticed.
	EntrySum [32]byte

	Source       Source
	Position     Position
	UserProvided bool // a callback that the program passes on for its users: the settings' policies apply to it
}

// Selection determines when a hook runs, and with which other hooks.
type Selection struct {
	Pattern    string    // the matcher as configured
	Matcher    Matcher   // nil matches everything
	If         string    // the condition as configured
	Condition  Condition // nil is always true
	Key        string    // hooks with the same key run once; a hook with an empty key is never a duplicate
	Rank       int       // hooks that a program registers run by rank, and in order of registration if equal
	Once       bool      // runs once in a session
	Sequential bool      // makes all hooks of the event run one at a time
	// OwnOnly limits the effect of a hook to what the user has agreed to. Its Sequential affects
	// only hooks with OwnOnly, which then run one after another at the same time as the others, and
	// an equal hook without OwnOnly replaces it.
	OwnOnly bool
}

// Execution determines how a hook runs, and what its exit status means. The zero Execution leaves
// everything to the event's Rules.
type Execution struct {
	Timeout    time.Duration // 0 means the event's default, negative none
	Background Background    // whether the fire goes on while it runs
	Wake       *Wake         // the texts of a hook that wakes the model; nil adds nothing
	Exits      Exits         // the effect of each exit status; nil means the event's Rules
	Text       Text          // the meaning of plain text; 0 means the event's Rules
	FailClosed bool          // blocks when it fails, as if the event's Rules said so; not in the background
	NoEnvFile  bool          // gets no file for variables; see Rules.EnvFile of package pipeline
	NoPermit   bool          // its Runner limits its own runs: they take no permit of a system's Workers
	Status     string        // a host may show this while the hook runs

	// Policy holds the demands of the hook's operator, or nil. The engine sets it in a copy of
	// the hook, when settings are loaded.
	Policy *EffectivePolicy
}

// Exclusion is the reason why a hook can never run, for any input. The zero Exclusion excludes
// nothing.
type Exclusion struct {
	Skip       SkipReason
	SkipDetail string // describes Skip
	SkippedBy  Source // whose settings exclude it; Host if no settings do

	// Unusable is the mistake in the settings entry for which the hook guards nothing. A policy
	// can make it a failure of [ClassInvalid]; the hook then matches everything that its matcher
	// could have meant. It has no effect while the hook is [Disabled].
	Unusable string
}

// Label is the name to show to people: the configured name, else the command.
func (h *Hook) Label() string {
	if h.Name != "" {
		return h.Name
	}
	return h.Command
}

// Matcher selects events by their subject, such as a tool's name or a trigger. Match is called from
// many goroutines. A Matcher that panics matches.
type Matcher interface{ Match(subject string) bool }

// Condition selects events by their input, while a [Matcher] sees only the subject. Holds is called
// from many goroutines, for every fire. A Condition that panics is true.
type Condition interface{ Holds(ConditionInput) bool }

// ConditionInput is the part of an event's input that a [Condition] sees.
type ConditionInput struct {
	Tool  string
	Input []byte // the tool's arguments, one JSON object
	Dir   string // the directory in which the agent works
}

// Background determines whether and how a hook runs while its fire goes on.
type Background uint8

// The kinds of background. A hook in the background decides nothing.
const (
	Foreground Background = iota
	Async                 // its answer is for the model's next turn
	Rewake                // if it ends with status 2, its answer wakes the model
)

// Wake holds the texts that accompany the answer of a hook that wakes the model.
type Wake struct {
	Message string // precedes the answer
	Summary string // one line for the user
}

// Source names where a hook comes from, as in reports. A dialect can have further sources; each
// dialect orders its sources.
type Source string

// The sources that dialects have in common.
const (
	Host        Source = ""            // registered by the program, in Go; String says "host"
	Project     Source = "project"     // the project's settings
	User        Source = "user"        // the user's settings
	SystemWide  Source = "system"      // the machine's settings
	Extension   Source = "extension"   // an extension's settings
	Local       Source = "local"       // the user's settings for the project
	Flag        Source = "flag"        // settings given when the program was started
	Managed     Source = "managed"     // the settings of the machine's administrator
	Plugin      Source = "plugin"      // a plugin's settings
	FrontMatter Source = "frontmatter" // the front matter of a skill or of an agent
)

func (s Source) String() string {
	if s == Host {
		return "host"
	}
	return string(s)
}

// TrustRank ranks the source of a hook by trust: of equal hooks the first runs, unless one of a higher rank guards
// more. A project to which the user has not agreed has rank 0, and a source that the host adds ranks like a project.
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

// Position is a position in a settings file; the zero Position means none. Line and Column count
// from 1, columns in bytes.
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

// SkipReason is a reason for which a hook does not run.
type SkipReason string

// The reasons for which a configured hook does not run.
const (
	NotMatched      SkipReason = "matcher"          // its matcher does not match the subject
	ConditionFalse  SkipReason = "condition"        // its condition is false
	Disabled        SkipReason = "disabled"         // switched off by name, or all hooks are
	Untrusted       SkipReason = "untrusted"        // the project's folder is not trusted
	Duplicate       SkipReason = "duplicate"        // an earlier hook with the same key runs
	Policy          SkipReason = "policy"           // a policy excludes it
	UnsupportedType SkipReason = "unsupported_type" // the engine has no way to run its type
	Invalid         SkipReason = "invalid"          // its settings entry cannot be used
)
