package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/unread"
	"github.com/snaphook-go/snaphook/wire"
)

// answerTraits describes how a system reads the output of its hooks.
type answerTraits struct {
	streams  [3]answerStream          // where the answer is, by [hookEnding]
	words    map[string]hook.Decision // the words of "decision" with their meanings; "" is not a decision
	nested   map[string]hook.Decision // the words of permissionDecision; nil: Claude Code's words
	top      []string                 // the members that are read, other than decision and reason
	own      []string                 // the members of hookSpecificOutput that are read; nil: no member
	rename   map[string]string        // maps the system's names of members of hookSpecificOutput to their names here
	text     textUse                  // the meaning of plain text at all events except prompted
	prompted string                   // the event at which "message", or else the whole output, is context; "": none
	blocking []string                 // the events whose answers have an effect; nil: as in Claude Code
	demands  bool                     // where hooks can block, output that is not empty must have a decision
	merges   bool                     // updatedInput is merged into the arguments of the call
	noReason string                   // default reason of a denial, with %s for the event; "": the engine's
}

// hookEnding classifies the end of a hook for reading its output.
type hookEnding int

// The endings, in the order of answerTraits.streams.
const (
	endedWell hookEnding = iota // status 0
	endedByTwo
	endedBadly
)

func endingOf(r *hook.Reply) hookEnding {
	switch {
	case r.Signal == nil && r.Exit == 0:
		return endedWell
	case r.Signal == nil && r.Exit == 2:
		return endedByTwo
	}
	return endedBadly
}

// answerStream selects the output that has the answer.
type answerStream uint8

// The streams.
const (
	fromNowhere answerStream = iota
	fromStdout
	fromStderr
	fromEither // standard output or, if that is not an object, standard error
)

// textUse is the meaning of plain text in place of an answer.
type textUse uint8

// The meanings. After a status other than 0, textForUser makes the text the message of a failure.
const (
	textNothing textUse = iota
	textForUser
)

// ownMembers lists members of hookSpecificOutput that several systems have.
var ownMembers = []string{
	"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext", "decision",
}

// The variables map exit statuses of other systems' hooks to effects. The hooks' answers are already translated to
// Claude Code's words.
var (
	blockingEnds = hook.Exits{0: hook.ParseAnswer, 2: hook.DenyWithReason, hook.OtherStatus: hook.ParseOrFail}
	watchingEnds = hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.ParseOrFail}
)

// decides reports whether answers have an effect at an event.
func (a *answerTraits) decides(event string) bool {
	return a.blocking == nil || slices.Contains(a.blocking, event)
}

// translator runs a hook of another system. It translates the payload to that system's words, and the answer to Claude
// Code's.
type translator struct {
	hook.Runner
	*profile
	event   string // its name in Claude Code
	subject string // the member of the payload that matchers test
}

// Unwrap returns the Runner of the hook itself.
func (s translator) Unwrap() hook.Runner { return s.Runner }

// Run runs the hook. Only the system's own protocol is available: a hook can neither move to the background while it
// runs, nor ask the user, nor export variables.
func (s translator) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	input := wire.Object(call.Payload)
	call.Payload = s.payloads.of(s.named(s.event), s.subject, input)
	call.Detach, call.Ask, call.Env = nil, nil, foreignVars(call.Env)
	reply, err := s.Runner.Run(ctx, call)
	if err != nil || reply.Truncated&hook.Stdout != 0 {
		return reply, err
	}
	return s.read(reply, input)
}

// read returns a reply whose standard output is an answer in Claude Code's words, or empty. If the system would read no
// decision from the output, read fails in three cases: the output has a denial, it looks like a damaged answer, or the
// system demands a decision.
func (s translator) read(r hook.Reply, input wire.Object) (hook.Reply, error) {
	a, end := &s.answers, endingOf(&r)
	whole := r.Stdout
	if len(r.Stderr) > 0 {
		whole = slices.Concat(r.Stdout, []byte("\n"), r.Stderr)
	}
	object, text, wrong := a.find(&r, end)
	out := rawAnswer{}
	if a.decides(s.event) {
		out = a.read(s.event, object, input)
	}
	said := r.Stdout
	r.Stdout = out.encode(s.event)
	switch {
	case !a.decides(s.event):
		if end == endedByTwo || unread.DeniesFormally(whole) {
			r.Notes = append(r.Notes, fmt.Sprintf("the denial has no effect: %s lets no hook of %s block", s.system, s.event))
		}
		return r, nil
	case a.prompted == s.event && end == endedWell && out.decision != hook.Deny:
		r.Stdout = promptContext(s.event, object, said)
		return r, nil
	case end == endedByTwo:
		if object != nil { // the object was on standard error
			r.Stderr = []byte(out.reason)
		}
		if plain(r.Stderr) == "" && a.noReason != "" {
			r.Stderr = fmt.Appendf(nil, a.noReason, s.named(s.event))
		}
		return r, nil
	case out.decision == hook.Deny:
		return r, nil
	case unread.DeniesFormally(whole):
		return r, &hook.UnreadError{Why: s.system + " does not read the denial in it", Denies: true}
	case a.demands && end == endedWell && !out.decided && (object != nil || text != "" || wrong != ""):
		why := "the hook ended with status 0 without a decision on standard output; print nothing, or {\"decision\": \"allow\"}"
		return r, &hook.ClassError{Class: hook.ClassOutput, Err: errors.New(why)}
	case !out.decided && a.isDamaged(object, lo.Ternary(wrong == "", []byte(text), said)):
		return r, &hook.UnreadError{Why: s.system + " reads no decision in it; if the answer was a denial, the denial is lost"}
	}
	if object == nil && text != "" && a.text == textForUser {
		a.tellUser(&r, end, text)
	}
	return r, nil
}

// isDamaged reports whether output without a decision looks like a part of an answer, or has a member with a name or
// a word that is nearly a decision.
func (a *answerTraits) isDamaged(object wire.Object, text []byte) bool {
	if object == nil {
		return unread.LooksLikeAnswer(text, false)
	}
	for name, value := range object.Members() {
		switch {
		case name == "hookSpecificOutput" && value.Kind() == '{':
			for name, value := range wire.Object(value).Members() {
				known := name == "hookEventName" || slices.Contains(ownMembers, name)
				if !known && unread.Resembles([]byte(name)) || name == "permissionDecision" && !isDecisionWord(value) {
					return true
				}
			}
		case name == "decision" && !isDecisionWord(value), name == "continue" && !fits(name, value):
			return true
		case !slices.Contains(unread.Common, name) && unread.Resembles([]byte(name)):
			return true
		}
	}
	return false
}

// isDecisionWord reports whether a value is null or a decision word of some system.
func isDecisionWord(value jsontext.Value) bool {
	text, isText := wire.Text(value)
	switch hook.Decision(text) {
	case hook.Allow, hook.Approve, hook.Ask, hook.Block, hook.Defer, hook.Deny:
		return isText
	}
	return value.Kind() == 'n'
}

// tellUser makes plain text a message to the user, or the message of the failure if the hook
// failed.
func (a *answerTraits) tellUser(r *hook.Reply, end hookEnding, text string) {
	if end == endedWell {
		r.Stdout = wire.Object(nil).With("systemMessage", wire.Quote(text))
	} else if plain(r.Stderr) == "" {
		r.Stderr = []byte(text)
	}
}

// find returns the object with the answer, or else the text. wrong is the reason why the output cannot be read at all.
func (a *answerTraits) find(r *hook.Reply, end hookEnding) (object wire.Object, text, wrong string) {
	var streams [][]byte
	switch a.streams[end] {
	case fromStdout:
		streams = [][]byte{r.Stdout}
	case fromStderr:
		streams = [][]byte{r.Stderr}
	case fromEither:
		streams = [][]byte{r.Stdout, r.Stderr}
	}
	for _, s := range streams {
		said := wire.Trim(s)
		if !utf8.Valid(said) {
			wrong = "it is not UTF-8"
			continue
		}
		if len(said) > 0 && isStrict(said) {
			return wire.Object(said), "", ""
		}
		if text == "" {
			text = string(said)
		}
	}
	return nil, text, wrong
}

// isStrict reports whether valid UTF-8 is an object in which each escape is a character. Half surrogates are not.
func isStrict(text wire.Object) bool {
	return text.IsValid() &&
		(!bytes.Contains(text, []byte(`\u`)) || jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)))
}

// promptContext returns an answer with context for the prompt: the member "message" of the hook's object, or else the
// whole output.
func promptContext(event string, object wire.Object, said []byte) []byte {
	text := plain(said)
	if message := object.Text("message"); message != "" {
		text = message
	}
	if text == "" {
		return nil
	}
	return rawAnswer{own: wire.Object(nil).With("additionalContext", wire.Quote(text))}.encode(event)
}

// rawAnswer is an answer that is being translated.
type rawAnswer struct {
	top      wire.Object // members other than decision and reason
	own      wire.Object // hookSpecificOutput
	decision hook.Decision
	decided  bool // "decision" had a known word, even one without effect, or permissionDecision decided
	reason   string
}

// read reads the answer in an object; nil is not an answer.
func (a *answerTraits) read(event string, object, input wire.Object) (out rawAnswer) {
	var own wire.Object
	last := map[string]jsontext.Value{} // of several equal members the last counts, except for decisions and reasons
	for name, value := range object.Members() {
		text, isText := wire.Text(value)
		decision, isWord := a.words[text]
		switch {
		case name == "decision" && isText && isWord:
			out.decision, out.decided = decision, true
		case name == "reason" && isText:
			out.reason = text
		case name == "hookSpecificOutput" && value.Kind() == '{':
			own = wire.Object(value)
		case slices.Contains(a.top, name) && fits(name, value):
			last[name] = value
		}
	}
	for _, name := range a.top {
		if value := last[name]; value != nil {
			out.top = out.top.With(name, value)
		}
	}
	clear(last)
	for name, value := range own.Members() {
		if here := a.rename[name]; here != "" {
			name = here
		}
		switch {
		case !slices.Contains(a.own, name) || value.Kind() == 'n':
		case name == "permissionDecision" || name == "permissionDecisionReason":
			out.take(a, name, value, input)
		default:
			last[name] = value
		}
	}
	for _, name := range a.own {
		if value := last[name]; value != nil {
			out.take(a, name, value, input)
		}
	}
	return out
}

// take takes one member of hookSpecificOutput.
func (o *rawAnswer) take(a *answerTraits, name string, value jsontext.Value, input wire.Object) {
	text, isText := wire.Text(value)
	switch name {
	case "permissionDecision":
		word := permissions[hook.Decision(text)]
		if a.nested != nil {
			word = a.nested[text]
		}
		if rank[word] > rank[o.decision] {
			o.decision, o.decided = word, true
			o.reason = ""
		}
	case "permissionDecisionReason":
		if isText && o.reason == "" {
			o.reason = text
		}
	case "updatedInput":
		if a.merges && value.Kind() == '{' {
			value = jsontext.Value(wire.Object(input.Get("tool_input")).Merge(wire.Object(value)))
		}
		o.own = o.own.With(name, value)
	default:
		o.own = o.own.With(name, value)
	}
}

// fits reports whether the value of a member has the JSON kind that the member must have.
func fits(name string, value jsontext.Value) bool {
	if name == "continue" || name == "suppressOutput" {
		return value.Kind() == 't' || value.Kind() == 'f'
	}
	return value.Kind() == '"'
}

// decisionForms maps an event to the function that writes its decision in Claude Code's form; other
// events have the common word "block".
var decisionForms = map[string]func(*rawAnswer){
	"PreToolUse": func(o *rawAnswer) {
		o.own = o.own.With("permissionDecision", wire.Quote(string(o.decision))).
			With("permissionDecisionReason", wire.Quote(o.reason))
	},
	"PermissionRequest": func(o *rawAnswer) {
		if o.own.Get("decision") == nil && o.decision != hook.Ask {
			grant := wire.Object(nil).With("behavior", wire.Quote(string(o.decision))).With("message", wire.Quote(o.reason))
			o.own = o.own.With("decision", jsontext.Value(grant))
		}
	},
}

// encode returns the text of the answer; nil if it is empty.
func (o rawAnswer) encode(event string) []byte {
	out := o.top
	if form := decisionForms[event]; form != nil && o.decision != "" {
		form(&o)
	} else if o.decision == hook.Deny {
		out = out.With("decision", wire.Quote(string(hook.Block))).With("reason", wire.Quote(o.reason))
	}
	if o.own != nil && !o.own.IsEmpty() {
		out = out.With("hookSpecificOutput", jsontext.Value(o.own.With("hookEventName", wire.Quote(event))))
	}
	return out
}
