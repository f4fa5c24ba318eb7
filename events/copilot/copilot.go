package copilot

import (
	"time"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the Copilot system: exit status 0 is read, and after any other one the hook has failed
// and the action goes ahead, but before a tool (G30, G31). Hooks have 30 seconds, and run one after
// another in the order of their files (G40).
var Dialect = &pipeline.Dialect{
	Name: "copilot",
	Unit: time.Second,
	Rules: pipeline.Rules{
		Exits:      hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.Fail},
		Text:       hook.TextIgnored,
		Match:      matchNative,
		Timeout:    30 * time.Second,
		Sequential: true,
		LateOpens:  true,
	},
	Head:      head,
	BaseNames: []string{"sessionId", "timestamp", "cwd"},
	Members: []string{
		"permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext", "modifiedResult", "behavior",
		"message", "interrupt", "modifiedResponse", "modifiedTransformedPrompt", "initialPrompt",
	},
	HostLast: true,
}

// head appends the members that every payload of a camelCase hook has (G20).
func head(dst []byte, h pipeline.Head) []byte {
	dst = append(append(dst, `"sessionId":`...), wire.Quote(h.Session)...)
	dst = append(append(dst, `,"timestamp":`...), wire.Quote(h.Now.UTC().Format(isoTime))...)
	return append(append(dst, `,"cwd":`...), wire.Quote(h.Dir)...)
}

// isoTime is the layout of timestamps in payloads of PascalCase hooks. The engine's own payload has
// it too, and the payload of a camelCase hook the number of milliseconds.
const isoTime = "2006-01-02T15:04:05.000Z"

// traits holds the facts about an event that its declaration has no field for.
type traits struct {
	pascal  string   // the name in Claude Code's spelling
	also    []string // further spellings
	members []string // the members of answers that count
	tool    bool     // matchers test the name of a tool, in PascalCase by Claude Code's rules
	native  bool     // matchers test the subject in camelCase too; without it they mean nothing
	closed  bool     // a command that fails denies
	denies  bool     // exit status 2 denies, and standard output goes below the denial
	spread  bool     // later answers override members of earlier ones, and no denial ends the chain
	guides  bool     // with exit status 2 standard output is context, also as plain text
	resumes bool     // a block sends the agent back to work
	named   string   // the member with the event's name in camelCase; "": there is none
	shown   string   // the name in that member
	joined  int      // contexts are one text of at most so many bytes; 0: each is a text
	local   bool     // the chat of VS Code has the event
	console bool     // the command line alone has it, and not the cloud agent
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

// About returns the types of hooks that an event runs, and who gets the text of a refusal: "model",
// or "" where there is nothing to refuse.
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
