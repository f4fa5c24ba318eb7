package codex

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Output is the event's own part of an answer, with the members of all events. A hook in Go denies with the common
// Decision and Reason; of these members it uses only UpdatedInput.
type Output struct {
	PermissionDecision       string      `json:"permissionDecision,omitzero"` // for PreToolUse, as the hook wrote it
	PermissionDecisionReason string      `json:"permissionDecisionReason,omitzero"`
	UpdatedInput             wire.Object `json:"updatedInput,omitzero"` // for PreToolUse: the whole new input
	Decision                 *Grant      `json:"decision,omitzero"`     // for PermissionRequest, as the hook wrote it
}

// Grant is the answer to a permission request.
type Grant struct {
	Behavior string `json:"behavior"` // allow or deny
	Message  string `json:"message,omitzero"`
}

// answerForm describes the answers that an event accepts (CX22 to CX32).
type answerForm struct {
	unread bool     // the output of hooks is not read
	noText bool     // plain text makes the run Failed
	top    []string // the members of an answer, except hookSpecificOutput
	own    []string // the members of hookSpecificOutput, except hookEventName; nil: the event has none
	words  []string // the words of "decision"; nil: only block

	// read reads the event's own members; nil if the event has none. An error makes the run Failed.
	read func(a *answer, o *hook.Output[Output]) error
}

// answer is an answer as its hook wrote it. A pointer is nil where the member is missing or null.
type answer struct {
	goOn, suppress               bool
	stopReason, message, reason  *string
	decision                     string
	context, permissionReason    *string
	permission                   string
	updatedInput, updatedOutput  jsontext.Value
	behavior                     string
	grantMessage                 *string
	grantInput, grantPermissions jsontext.Value
	interrupt, granted           bool
}

// events lists the possible values of hookEventName, all of which Codex accepts at any event.
var events = []string{
	"PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit",
	"SubagentStart", "SubagentStop", "Stop", "Interrupt",
}

// places maps each member of an answer that f allows to the destination of its value: a field of a, or a function that
// reads it.
func (a *answer) places(f *answerForm) format.Members {
	const specific = "hookSpecificOutput"
	words := f.words
	if words == nil {
		words = []string{"block"}
	}
	var event string
	decision := format.Members{
		"behavior":     required("hookSpecificOutput.decision.behavior", &a.behavior, "allow", "deny"),
		"message":      &a.grantMessage,
		"updatedInput": &a.grantInput, "updatedPermissions": &a.grantPermissions, "interrupt": &a.interrupt,
	}
	all := format.Members{
		"continue": &a.goOn, "stopReason": &a.stopReason, "suppressOutput": &a.suppress, "systemMessage": &a.message,
		"decision": format.OneOf("decision", &a.decision, words...), "reason": &a.reason,
	}
	own := format.Members{
		"additionalContext":        &a.context,
		"permissionDecision":       format.OneOf(specific+".permissionDecision", &a.permission, "allow", "deny", "ask"),
		"permissionDecisionReason": &a.permissionReason,
		"updatedInput":             &a.updatedInput,
		"updatedMCPToolOutput":     &a.updatedOutput,
		"decision":                 grant(specific+".decision", decision, a),
	}
	top := lo.PickByKeys(all, f.top)
	if f.own == nil {
		return top
	}
	known := lo.PickByKeys(own, f.own)
	known["hookEventName"] = required(specific+".hookEventName", &event, events...)
	there := false
	read := format.Object(specific, known, &there)
	top[specific] = func(value jsontext.Value) error {
		event = ""
		if err := read(value); err != nil || !there {
			return err
		}
		if event == "" {
			return errors.New(`"hookSpecificOutput.hookEventName" is missing; write the name of the event`)
		}
		return nil
	}
	return top
}

// required returns a reader for a word that may not be null.
func required(name string, to *string, words ...string) func(jsontext.Value) error {
	read := format.OneOf(name, to, words...)
	return func(value jsontext.Value) error {
		if value.Kind() == 'n' {
			return fmt.Errorf("%q is null; want %s", name, strings.Join(words, ", "))
		}
		return read(value)
	}
}

// grant returns a reader for the answer to a permission request, which needs a behavior.
func grant(name string, members format.Members, a *answer) func(jsontext.Value) error {
	read := format.Object(name, members, &a.granted)
	return func(value jsontext.Value) error {
		if err := read(value); err != nil || !a.granted {
			return err
		}
		if a.behavior == "" {
			return fmt.Errorf("%q is missing; want allow or deny", name+".behavior")
		}
		return nil
	}
}

// decoder returns the Decode of an event. Output that begins like JSON has to be one whole object
// that the event accepts; anything else is plain text, which is an error at some events (CX21).
func decoder(event string, t *traits) stages.Decode[Output] {
	f := &t.answerForm
	return func(stdout []byte) (out hook.Output[Output], notes []string, err error) {
		text := wire.Trim(stdout)
		switch {
		case f.unread || len(text) == 0:
			return out, nil, nil
		case text[0] == '{' || text[0] == '[':
		case f.noText:
			return out, nil, &format.AnswerError{Why: "it is plain text; " + event + " wants one JSON object, or nothing"}
		default:
			return out, nil, wire.ErrText
		}
		object := wire.Object(text)
		a := answer{goOn: true}
		if err := a.places(f).Read("", object); err != nil {
			if !object.IsValid() {
				err = format.ErrNotWhole
			}
			return out, nil, &format.AnswerError{Why: err.Error()}
		}
		o, err := a.output(f)
		if err != nil {
			return out, nil, &format.AnswerError{Why: err.Error(), Message: lo.FromPtr(a.message)}
		}
		o.Raw = text
		return o, nil, nil
	}
}

// output converts the answer to the engine's form.
func (a *answer) output(f *answerForm) (o hook.Output[Output], err error) {
	o = hook.Output[Output]{
		Set: hook.SetAnswer, Suppress: a.suppress, Message: lo.FromPtr(a.message),
		Stop: !a.goOn, StopReason: lo.FromPtr(a.stopReason),
	}
	if text := lo.FromPtr(a.context); strings.TrimSpace(text) != "" {
		o.Context = text
		o.Set |= hook.SetContext
	}
	if f.read != nil {
		err = f.read(a, &o)
	}
	if !o.Stop {
		o.StopReason = ""
	}
	return o, err
}

// said returns a text without surrounding white space; "" for nil.
func said(text *string) string { return strings.TrimSpace(lo.FromPtr(text)) }

var errNoReason = errors.New(`"decision" is "block", and "reason" is missing or blank; write the reason`)

// readBlock reads a block, which needs a reason. A stop overrides it.
func readBlock(a *answer, o *hook.Output[Output]) error {
	switch {
	case !a.goOn:
	case a.decision != "" && said(a.reason) == "":
		return errNoReason
	case a.decision != "":
		o.Decision, o.Reason = hook.Block, *a.reason
	}
	return nil
}

// readFeedback reads the feedback on a result (CX27).
func readFeedback(a *answer, o *hook.Output[Output]) error {
	switch {
	case !a.goOn:
		o.Reason = lo.CoalesceOrEmpty(said(a.reason), lo.FromPtr(a.stopReason), "PostToolUse hook stopped execution")
		return nil
	case a.suppress:
		return unsupported("suppressOutput", "true")
	case a.updatedOutput != nil:
		return errors.New(`"hookSpecificOutput.updatedMCPToolOutput" is not supported by Codex; leave it out`)
	case a.decision == "" && a.reason != nil:
		return errors.New(`"reason" stands without "decision": "block"`)
	}
	return readBlock(a, o)
}

// gated returns an error for common members that a gate does not accept.
func (a *answer) gated() error {
	switch {
	case !a.goOn:
		return unsupported("continue", "false")
	case a.stopReason != nil:
		return errors.New(`"stopReason" is not supported by Codex here; leave it out`)
	case a.suppress:
		return unsupported("suppressOutput", "true")
	}
	return nil
}

func unsupported(member, value string) error {
	return fmt.Errorf("%q is %s, which Codex does not support here; leave it out", member, value)
}

// readGate reads the answer about a call (CX25): hookSpecificOutput if it has a permission, or else the older member
// decision.
func readGate(a *answer, o *hook.Output[Output]) error {
	o.Stop = false
	if err := a.gated(); err != nil {
		return err
	}
	own := a.permission != "" || a.permissionReason != nil || a.updatedInput != nil
	switch {
	case own && a.updatedInput != nil && a.permission != "allow":
		return errors.New(`"updatedInput" stands without "permissionDecision": "allow"`)
	case a.permission == "allow" && a.updatedInput == nil:
		return errors.New(`"permissionDecision" is "allow" without an "updatedInput", which approves nothing in Codex; print nothing to let the call pass`)
	case a.permission == "ask":
		return errors.New(`"permissionDecision" is "ask", which Codex does not support; print nothing, and the user is asked as usual`)
	case a.permission == "deny" && said(a.permissionReason) == "":
		return errors.New(`"permissionDecision" is "deny", and "permissionDecisionReason" is missing or blank; write the reason`)
	case own && a.permission == "":
		return errors.New(`"permissionDecisionReason" stands without "permissionDecision"`)
	case a.permission == "deny":
		o.Decision, o.Reason = hook.Deny, said(a.permissionReason)
	case own:
		o.Specific.UpdatedInput = wire.Object(a.updatedInput)
	case a.decision == "approve":
		return errors.New(`"decision" is "approve", which Codex does not support; print nothing to let the call pass`)
	case a.decision != "" && said(a.reason) == "":
		return errNoReason
	case a.decision != "":
		o.Decision, o.Reason = hook.Block, said(a.reason)
	case a.reason != nil:
		return errors.New(`"reason" stands without "decision": "block"`)
	}
	o.Specific.PermissionDecision, o.Specific.PermissionDecisionReason = a.permission, lo.FromPtr(a.permissionReason)
	o.Set |= hook.SetSpecific
	return nil
}

// readPermission reads the answer to a permission request (CX26).
func readPermission(a *answer, o *hook.Output[Output]) error {
	o.Stop = false
	if err := a.gated(); err != nil || !a.granted {
		return err
	}
	switch {
	case a.grantInput != nil:
		return errors.New(`"updatedInput" is not supported by Codex here; rewrite the input at PreToolUse`)
	case a.grantPermissions != nil:
		return errors.New(`"updatedPermissions" is not supported by Codex; leave it out`)
	case a.interrupt:
		return unsupported("interrupt", "true")
	}
	o.Decision = hook.Decision(a.behavior)
	if o.Decision == hook.Deny {
		o.Reason = lo.CoalesceOrEmpty(said(a.grantMessage), "PermissionRequest hook denied approval")
	}
	o.Specific.Decision = &Grant{a.behavior, o.Reason}
	o.Set |= hook.SetSpecific
	return nil
}
