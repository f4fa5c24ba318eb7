package copilot

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/stages"
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

// decoder returns the Decode of an event (G32 to G38). It returns no errors: invalid output is an empty answer with a
// note.
func (t *traits) decoder(event string) stages.Decode[Output] {
	return func(stdout []byte) (out hook.Output[Output], notes []string, err error) {
		messages, text := progress(stdout)
		out.Message = strings.Join(messages, "\n")
		if len(text) == 0 {
			if out.Message != "" {
				out.Set, out.Raw = hook.SetAnswer|hook.SetMessage, []byte("{}")
			}
			return out, nil, nil
		}
		out.Set, out.Raw = hook.SetAnswer, []byte("{}")
		if text[0] != '{' || !wire.Object(text).IsValid() {
			return out, []string{lost(text, "standard output is not one JSON object: it has no effect")}, nil
		}
		r := answerReader{t: t, event: event, out: &out}
		r.read(wire.Object(text), "")
		if len(r.notes) == 0 {
			out.Raw = text
		}
		return out, r.notes, nil
	}
}

// reduce merges the answers in the order of the hooks. It keeps the last rewrite, unless there is a denial. At a
// permission request later members override earlier ones (G42).
func (t *traits) reduce(outs iter.Seq[hook.Output[Output]]) (all hook.Output[Output]) {
	var contexts, messages []string
	for o := range outs {
		if rank[o.Decision] > rank[all.Decision] {
			all.Decision, all.Reason = o.Decision, o.Reason
		}
		if o.Stop && !all.Stop {
			all.Stop, all.StopReason = true, o.StopReason
		}
		contexts, messages = add(contexts, o.Context), add(messages, o.Message)
		all.Specific.over(&o.Specific)
	}
	all.Set = hook.SetAnswer
	all.Context, all.Message = strings.Join(contexts, "\n\n"), strings.Join(messages, "\n")
	if t.joined > 0 {
		all.Context = strings.ToValidUTF8(all.Context[:min(len(all.Context), t.joined)], "")
	}
	if t.spread && all.Specific.Behavior != "" {
		all.Decision = hook.Decision(all.Specific.Behavior)
		if m := all.Specific.Message; m != nil {
			all.Reason = *m
		}
	}
	if all.Decision.Blocks() {
		all.Specific.ModifiedArgs, all.Specific.ModifiedResponse = nil, nil
	}
	return all
}

// refine adjusts the report of one hook. It removes a stop on all surfaces except the chat of VS Code, which alone
// honours stops. If a failed command denies, refine sets the reason that the original system writes.
func (t *traits) refine(s *pipeline.Session, event string, r *hook.Report[Output]) {
	o := &r.Output
	if o.Stop && surfaceOf(s) != VSCode && r.Err == nil {
		o.Stop, o.StopReason = false, ""
		note := `"continue": false has no effect on ` + event
		if t.closed || t.denies || t.resumes {
			note += "; the denial in it is lost"
		}
		r.Notes = append(r.Notes, note)
	}
	if late, ok := errors.AsType[*hook.TimeoutError](r.Err); ok { // a timeout does not end the fire
		r.Err = &hook.Error{Hook: r.Hook, Err: &hook.ClassError{Class: hook.ClassTimeout, Err: errors.New(late.Error())}}
	}
	byTwo := r.Reply != nil && r.Reply.Signal == nil && r.Reply.Exit == 2
	switch {
	case r.Err == nil && byTwo && o.Decision.Blocks():
		r.Notes = append(r.Notes, "exit status 2 denies")
	case r.Err == nil || r.Backgrounded:
	case o.Decision.Blocks() && r.Hook.Policy == nil:
		o.Reason = fmt.Sprintf("Denied by a %s hook (hook errored)", event)
		r.Notes = append(r.Notes, "the hook has failed, which denies here: "+r.Err.Error())
	case t.closed || t.denies || t.resumes:
		format.NoteLostDenial(r)
	}
}

// effects returns everything that a caller has to apply.
func (t *traits) effects(res *hook.Result[Output]) *Effects {
	e := format.EffectsOf(res)
	p := &res.Specific
	switch {
	case t.resumes && res.Blocked() && res.OverriddenBlock == "":
		e.Followup = &res.Reason
	case t.denies:
		e.Decide(res.Decision)
	}
	if p.InitialPrompt != "" {
		e.Followup = &p.InitialPrompt
	}
	e.UpdatedInput = p.ModifiedArgs
	if p.ModifiedPrompt != nil {
		e.UpdatedInput = wire.Quote(*p.ModifiedPrompt)
	}
	if p.ModifiedResult != nil {
		e.UpdatedOutput = []byte(p.ModifiedResult)
	}
	if p.ModifiedResponse != nil {
		e.UpdatedOutput = wire.Quote(*p.ModifiedResponse)
	}
	if t.joined > 0 && res.Context != "" {
		e.ModelSees = []string{res.Context}
	}
	if res.Decision.Blocks() {
		e.TellModel(res.Reason)
	}
	if res.Decision == hook.Ask {
		e.TellUser(res.Reason)
	}
	e.TellUser(res.OverriddenBlock)
	for i := range res.Reports {
		if r := &res.Reports[i]; r.Err != nil && !errors.Is(r.Err, hook.ErrNotNeeded) {
			e.TellUser(notice(r))
		}
	}
	return e
}

// payload returns the engine's payload in a spelling.
func (t *traits) payload(s spelling, payload wire.Object) []byte {
	dst := append(make([]byte, 0, len(payload)+100), '{')
	put := func(name string, value jsontext.Value) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, wire.Quote(name)...), ':'), value...)
	}
	if s.names != nil {
		put("hook_event_name", wire.Quote(t.pascal))
	}
	for name, value := range payload.Members() {
		there, renamed := s.names[name]
		switch {
		case name == "toolCalls" || name == t.named && s.names != nil:
		case s.names == nil && name == "toolUseId":
		case s.names == nil && name == "timestamp":
			put(name, milliseconds(value))
		case s.names == nil:
			put(name, value)
		case name == "toolResult":
			put(s.result, result(s.result, value))
		case name == "toolName" && s.claude:
			tool, _ := wire.Text(value)
			put(there, wire.Quote(claudeNamesOf(tool)[0]))
		case there == "tool_input":
			put(there, parsed(value))
		case renamed && there != "":
			put(there, value)
		case !renamed:
			put(name, value)
		}
	}
	if s.names == nil && t.named != "" {
		put(t.named, wire.Quote(t.shown))
	}
	return append(dst, '}')
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
