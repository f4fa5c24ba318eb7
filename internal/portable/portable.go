// Package portable describes hook systems in one form: the file of a project's hooks, the names of events and
// tools, the form of timeouts, and the effect of each answer. Dialects declare this description as data; snaphook
// port translates settings with it, and a test compares it with the behaviour of the engine.
package portable

import (
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
)

// System is one hook system. Events, tools and members have the names of Claude Code as keys.
type System struct {
	Name    string // the name on the command line: a dialect, or a profile of a dialect
	Title   string // the name in texts for people
	Dialect string // the dialect of Name
	Profile string // the profile of the dialect; "": the default

	File   string // path of the file with a project's hooks, with slashes
	OfUser bool   // File lies in the user's home directory: the system has no file of a project
	Form   Form
	Around string // members of the file beside the hooks, as JSON text

	Events map[string]string // absent: the system has no such event
	Fired  map[string]string // names of events in the dialect, if they differ from those in the file
	Tools  map[string]string // absent: the same name
	Also   map[string]string // maps further names of tools to Claude Code's names
	// Members maps members of the input to their names in the system; "" marks a member that the system does not have.
	Members map[string]string
	MCP     string // the tool of an MCP server, with SERVER and TOOL in it

	Matching  Matching
	Unmatched []string      // events, by the system's names, whose matchers have no effect
	Unit      time.Duration // the unit of a timeout in the file
	Timing    string        // the member of a timeout; "": timeout
	Default   time.Duration // the timeout of a hook that sets none
	Longest   time.Duration // the longest timeout; 0: no limit
	Whole     bool          // a timeout is a whole number of Unit

	Closing string   // the member of an entry that makes a failure block, as JSON text; "": none
	Closed  bool     // a failure before a tool blocks even without the member Closing
	Vars    []string // the variables that hold the project's directory, the first preferred

	// Reads lists the files of Claude Code in a project that the system reads too, with slashes. Uses lists the signs
	// that a project is used with the system.
	Reads []string
	Uses  []Use

	// Effects maps each effect to the answers that have it; other answers have no effect. Imported is the map for hooks
	// in .claude/settings.json; it is nil if the system does not read that file, or treats the answers of those hooks
	// like the answers of hooks in the system's own files.
	Effects, Imported map[Effect]string
	// WhenClosed lists the answers that refuse only if the hook's entry has Closing.
	WhenClosed string
}

// ClaudeFiles lists the files of Claude Code in a project, which other systems read too.
var ClaudeFiles = []string{".claude/settings.json", ".claude/settings.local.json"}

// Use is a sign that a project is used with a system: the file or directory File exists and, unless Text is empty, its
// text without white space contains Text.
type Use struct{ File, Text string }

// Form is the format of a file with hooks.
type Form uint8

// The forms.
const (
	Groups Form = iota // {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}
	Flat               // {"version": 1, "hooks": {EVENT: [{"command": …, "matcher": …}]}}
	TOML               // [[hooks]] with event, matcher and command
)

// Matching is the way in which a matcher selects tools.
type Matching uint8

// The ways.
const (
	Names    Matching = iota // a list of names is compared, any other text is an expression that matches anywhere
	Search                   // an expression that matches anywhere
	Anchored                 // an expression that matches the whole name
)

// Effect is the effect of an answer.
type Effect string

// The effects.
const (
	Refuses  Effect = "refuses"
	Asks     Effect = "asks the user"
	Approves Effect = "approves"
	Rewrites Effect = "rewrites the arguments"
	Adds     Effect = "adds context"
	Stops    Effect = "stops the agent"
	Tells    Effect = "tells the user"
	Nothing  Effect = "has no effect"
)

// Switched reports whether the system reads files of Claude Code only if a setting enables this.
func (s *System) Switched() bool {
	return len(s.Uses) > 0 && !slices.ContainsFunc(s.Uses, func(u Use) bool { return u.Text == "" })
}

// Guards reports whether an effect keeps the action from going ahead as it is.
func (e Effect) Guards() bool { return e == Refuses || e == Asks || e == Stops }

// Effect returns the effect of an answer in the system; imported is true for a hook in .claude/settings.json.
func (s *System) Effect(answer string, imported bool) Effect {
	effects := s.Effects
	if imported && s.Imported != nil {
		effects = s.Imported
	}
	for effect, answers := range effects {
		if slices.Contains(strings.Fields(answers), answer) {
			return effect
		}
	}
	return Nothing
}

// EffectOf returns the effect of an answer of a hook in one of the system's own files; closed is true if the
// hook's entry says that a failure blocks.
func (s *System) EffectOf(answer string, closed bool) Effect {
	if closed && slices.Contains(strings.Fields(s.WhenClosed), answer) {
		return Refuses
	}
	return s.Effect(answer, false)
}

// Event returns Claude Code's name of an event by its name in the dialect.
func (s *System) Event(fired string) (name string, ok bool) {
	if name, ok = lo.FindKey(s.Fired, fired); ok {
		return name, ok
	}
	return lo.FindKey(s.Events, fired)
}

// Difference is an answer whose effect changes in a port from one system to another.
type Difference struct {
	Answer   Answer
	Was, Now Effect
}

// Side is one side of a port: a hook as a system has it.
type Side struct {
	*System
	Closed bool // the entry says that a failure blocks
}

// Differences returns the answers of a hook that have one effect in from and another in to; Tells and Nothing count as
// the same effect. event is Claude Code's name of the event. texts are the hook's command and scripts; if they are nil,
// the hook may give every answer.
func Differences(from, to Side, event string, texts []string) (all []Difference) {
	for _, a := range Answers {
		was, now := from.EffectOf(a.ID, from.Closed), to.EffectOf(a.ID, to.Closed)
		minor := (was == Tells || was == Nothing) && (now == Tells || now == Nothing)
		if a.Event == event && was != now && !minor && a.givenBy(texts) {
			all = append(all, Difference{a, was, now})
		}
	}
	return all
}

// givenBy reports whether a hook with these texts may give the answer.
func (a *Answer) givenBy(texts []string) bool {
	return texts == nil || len(a.Marks) == 0 || slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(a.Marks, func(mark string) bool { return strings.Contains(text, mark) }) &&
			(a.And == "" || strings.Contains(text, a.And))
	})
}
