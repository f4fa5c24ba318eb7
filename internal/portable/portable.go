// Package portable describes hook systems side by side: where a project's hooks stand, how an event,
// a tool and a time are written, and the effect of one answer in each. Dialects declare it as data; the
// command ports settings by it, and a test compares it with the answers that run.
package portable

import (
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
)

// System is one hook system. Events, tools and members have the names of Claude Code as keys.
type System struct {
	Name    string // as the command line has it: a dialect, or a profile of one
	Title   string // as people write it
	Dialect string // the dialect of Name
	Profile string // the profile of the dialect; "": the default

	File   string // of a project's hooks, with slashes
	OfUser bool   // File lies in the user's home directory: the system has no file of a project
	Form   Form
	Around string // members of the file beside the hooks, as JSON text

	Events map[string]string // absent: the system has no such event
	Fired  map[string]string // the names of events in the dialect, where they are not those of the file
	Tools  map[string]string // absent: the same name
	Also   map[string]string // further names of tools, by them the names in Claude Code
	// Members are the members of the input with another name; "" is one that is not there.
	Members map[string]string
	MCP     string // the tool of an MCP server, with SERVER and TOOL in it

	Matching  Matching
	Unmatched []string      // events, in the system's words, whose matchers test nothing
	Unit      time.Duration // of a timeout in the file
	Timing    string        // the member of a timeout; "": timeout
	Default   time.Duration // the timeout of a hook that sets none
	Longest   time.Duration // of a timeout; 0: no limit
	Whole     bool          // a timeout is a whole number of Unit

	Closing string   // the member of an entry that makes a failure block, as JSON text; "": there is none
	Closed  bool     // before a tool a failure blocks without it
	Vars    []string // the variables that hold the project's directory, the first preferred

	// Reads lists the files of Claude Code in a project that the system reads too, with slashes, and Uses the signs
	// that a project is used with the system.
	Reads []string
	Uses  []Use

	// Effects has the answers that have an effect, by it; every other one has none. Imported is the
	// same for hooks in .claude/settings.json that the system reads; nil: it does not read them, or
	// they answer as in its own files.
	Effects, Imported map[Effect]string
}

// Use is a sign that a project is used with a system: a file or directory is there, and its text without white
// space has Text in it, unless Text is empty.
type Use struct{ File, Text string }

// Form is the form of a file.
type Form uint8

// The forms.
const (
	Groups Form = iota // {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}
	Flat               // {"version": 1, "hooks": {EVENT: [{"command": …, "matcher": …}]}}
	TOML               // [[hooks]] with event, matcher and command
)

// Matching is the way in which the matcher of a tool selects.
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

// Switched reports whether the system reads files of Claude Code only where it is told to.
func (s *System) Switched() bool {
	return len(s.Uses) > 0 && !slices.ContainsFunc(s.Uses, func(u Use) bool { return u.Text == "" })
}

// Guards reports whether an effect keeps the action from going ahead as it is.
func (e Effect) Guards() bool { return e == Refuses || e == Asks || e == Stops }

// Effect returns the effect of an answer in the system; imported says that the hook stands in
// .claude/settings.json.
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

// Event returns Claude Code's name of an event by its name in the dialect.
func (s *System) Event(fired string) (name string, ok bool) {
	if name, ok = lo.FindKey(s.Fired, fired); ok {
		return name, ok
	}
	return lo.FindKey(s.Events, fired)
}

// Difference is an answer that has another effect elsewhere.
type Difference struct {
	Answer   Answer
	Was, Now Effect
}

// Differences returns the answers at an event, by Claude Code's name, that a hook of a file of from gives and
// that have another effect in to. texts are those of the hook's command and scripts; with none of
// them known (nil) it could give every answer.
func Differences(from, to *System, event string, imported bool, texts []string) (all []Difference) {
	for _, a := range Answers {
		was, now := from.Effect(a.ID, false), to.Effect(a.ID, imported)
		minor := (was == Tells || was == Nothing) && (now == Tells || now == Nothing)
		if a.Event == event && was != now && !minor && a.givenBy(texts) {
			all = append(all, Difference{a, was, now})
		}
	}
	return all
}

// givenBy reports whether a hook with such texts may give the answer.
func (a *Answer) givenBy(texts []string) bool {
	return texts == nil || len(a.Marks) == 0 || slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(a.Marks, func(mark string) bool { return strings.Contains(text, mark) }) &&
			(a.And == "" || strings.Contains(text, a.And))
	})
}
