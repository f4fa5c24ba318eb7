package copilot

import (
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the Copilot system. By default exit status 0 reads the output; after any other status the hook has failed,
// and the action goes ahead (G30). Before a tool a failed command denies, unless it was late or its answer is invalid
// (G31). Status 2 denies before a tool and at permissionRequest (G32, G33). Hooks have 30 seconds, and run one after
// another in the order of their files (G40).
var Dialect = &pipeline.Dialect{
	Name: "copilot",
	Unit: time.Second,
	Rules: pipeline.Rules{
		Exits:      hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.Fail},
		Text:       hook.TextIgnored,
		Match:      matchNative,
		Readings:   []func(string) (hook.Matcher, string){ignoreMatcher},
		Timeout:    30 * time.Second,
		Sequential: true,
		LateOpens:  true,

		UnreadOpens: true,
	},
	Head:       head,
	BaseNames:  []string{"sessionId", "timestamp", "cwd"},
	Members:    ownMembers,
	OwnMembers: slices.Concat(ownMembers, claudeMembers),
	HostLast:   true,
}

// ownMembers lists the members of answers that Copilot reads in addition to the common ones.
var ownMembers = []string{
	"permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext", "modifiedResult", "behavior",
	"message", "interrupt", "modifiedResponse", "modifiedTransformedPrompt", "initialPrompt",
}

// claudeMembers lists the further members of Claude Code's hookSpecificOutput that are read (G38).
var claudeMembers = []string{"updatedInput", "decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage"}

// head appends the members that every payload of a camelCase hook has (G20).
func head(dst []byte, h pipeline.Head) []byte {
	dst = append(append(dst, `"sessionId":`...), wire.Quote(h.Session)...)
	dst = append(append(dst, `,"timestamp":`...), wire.Quote(h.Now.UTC().Format(isoTime))...)
	return append(append(dst, `,"cwd":`...), wire.Quote(h.Dir)...)
}

// isoTime is the layout of timestamps in the engine's payload and in those of PascalCase hooks.
// Payloads of camelCase hooks have milliseconds as a number.
const isoTime = "2006-01-02T15:04:05.000Z"

// traits holds facts about an event for which a Spec has no field.
type traits struct {
	pascal  string   // the name in Claude Code's spelling
	also    []string // further spellings
	members []string // the members of answers that are honoured
	tool    bool     // matchers test a tool's name; matchers of PascalCase hooks follow Claude Code's rules
	native  bool     // matchers test the subject; false: they are ignored
	closed  bool     // a command that fails denies
	denies  bool     // exit status 2 denies, and members of standard output are read too
	spread  bool     // later answers override members of earlier ones, and no denial ends the chain
	guides  bool     // after exit status 2 standard output is context, even if it is plain text
	resumes bool     // a block sends the agent back to work
	named   string   // the member that holds the event's name in camelCase payloads; "": none
	shown   string   // the event's name as this member has it
	joined  int      // the contexts are joined to one text, cut at this many bytes; 0: each is a text
	local   bool     // the chat of VS Code has the event
	console bool     // the command line has the event, and the cloud agent does not
}

// table holds the traits of every event by its name.
var table = map[string]*traits{}

// declare makes an event of the dialect. It sets the functions that follow from the traits.
func declare[In any](t traits, ev pipeline.Spec[In, Output]) *pipeline.Event[In, Output] {
	table[ev.Name] = &t
	ev.Decode = t.decoder(ev.Name)
	ev.Reduce, ev.ReducesCommon = t.reduce, true
	ev.Refine = func(s *pipeline.Session, _ *In, r *hook.Report[Output]) { t.refine(s, ev.Name, r) }
	ev.Effects = func(_ In, res *hook.Result[Output]) any { return t.effects(res) }
	return pipeline.Declare(Dialect, ev)
}

// About returns the types of hooks that an event runs. told is the reader of the text of a refusal: "model", or ""
// where hooks cannot refuse.
func About(event string) (types []string, told string) {
	t := table[event]
	if t == nil {
		return nil, ""
	}
	if t.closed || t.denies || t.resumes {
		told = "model"
	}
	if event == SessionStart.Info().Name {
		return []string{"command", "http", "prompt"}, told
	}
	return []string{"command", "http"}, told
}

// Effects lists everything that a caller has to apply after a fire.
type Effects = format.Effects
