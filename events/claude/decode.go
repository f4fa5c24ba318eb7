package claude

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// AnswerError describes the member that makes an answer invalid: the whole answer is ignored (release 2.1.214).
type AnswerError struct {
	Member string // such as "hookSpecificOutput.permissionDecision"
	Got    string // "a number", or the word itself
	Want   string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the answer cannot be used: %s is %s; want %s", e.Member, e.Got, e.Want)
}

// decoder returns the Decode of an event.
//
//go:noinline
func decoder[Out any, O interface {
	*Out
	commonOut
}](event string) stages.Decode[Out] {
	return func(stdout []byte) (out hook.Output[Out], notes []string, err error) {
		c, notes, err := decode(event, stdout, O(&out.Specific))
		if err != nil {
			return hook.Output[Out]{}, nil, err
		}
		common.Put(&out, &c)
		return out, notes, nil
	}
}

// decode reads the standard output of a hook. The output is an answer if an object follows optional white space.
// Anything else is plain text, even a banner followed by an object (C35). Known members must have the right type; null
// counts as absent. Unknown members are not a mistake.
func decode(event string, stdout []byte, part commonOut) (out common.Output, notes []string, err error) {
	text := wire.Trim(stdout)
	if len(text) == 0 {
		return out, nil, nil
	}
	if !wire.Object(text).IsValid() {
		return out, nil, wire.ErrText
	}
	out.Set, out.Raw = hook.SetAnswer, text
	var specific wire.Object
	wire.Object(text).EachMemberOfValid(func(name []byte, value jsontext.Value) bool {
		err = member(&out, part.own(), &specific, string(name), value)
		return err == nil
	})
	if err == nil && specific != nil {
		notes, err = readSpecific(event, &out, part, specific)
	}
	return out, notes, err
}

// member reads one top-level member.
func member(
	out *common.Output,
	own *CommonOutput,
	specific *wire.Object,
	name string,
	value jsontext.Value,
) error {
	if value.Kind() == 'n' {
		return nil
	}
	switch name {
	case "continue":
		goOn, err := boolean(name, value)
		out.Stop = !goOn
		out.Set |= hook.SetStop
		return err
	case "suppressOutput":
		out.Set |= hook.SetSuppress
		return setBool(&out.Suppress, name, value)
	case "stopReason":
		return setText(&out.StopReason, name, value)
	case "systemMessage":
		return setText(&out.Message, name, value)
	case "reason":
		return setText(&out.Reason, name, value)
	case "terminalSequence":
		return setText(&own.TerminalSequence, name, value)
	case "decision":
		return setWord((*string)(&out.Decision), name, value, "approve", "block")
	case "hookSpecificOutput":
		if value.Kind() != '{' {
			return wrongKind(name, value, "an object")
		}
		*specific = wire.Object(value)
	}
	return nil
}

// readSpecific reads hookSpecificOutput. An object for another event is ignored with a note; one
// without hookEventName is an error.
func readSpecific(event string, out *common.Output, part commonOut, o wire.Object) (notes []string, err error) {
	var name string
	if err := setText(&name, "hookSpecificOutput.hookEventName", o.Get("hookEventName")); err != nil {
		return nil, err
	}
	if name != event {
		return []string{fmt.Sprintf("hookSpecificOutput is for %q, and has no effect on %s", name, event)}, nil
	}
	if context := o.Get("additionalContext"); context != nil && context.Kind() != 'n' {
		if err := setText(&out.Context, "hookSpecificOutput.additionalContext", context); err != nil {
			return nil, err
		}
		out.Set |= hook.SetContext
	}
	sequence := part.own().TerminalSequence
	if err := o.Without(append(nulls(o), "additionalContext")...).Into(part); err != nil {
		return nil, answerError(err)
	}
	part.own().TerminalSequence = sequence
	out.Set |= hook.SetSpecific
	if c, ok := part.(checkedPart); ok {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	if v, ok := part.(decider); ok {
		v.decide(&out.Decision, &out.Reason)
	}
	return nil, nil
}

// nulls returns the names of the members that are null, which count as absent.
func nulls(o wire.Object) (names []string) {
	for name, value := range o.Members() {
		if value.Kind() == 'n' {
			names = append(names, name)
		}
	}
	return names
}

// answerError returns an error that names the member of hookSpecificOutput whose type is wrong.
func answerError(err error) error {
	e := &AnswerError{
		Member: "hookSpecificOutput",
		Got:    "not as it should be",
		Want:   "see the documentation of the event",
	}
	if se, ok := errorAs[*json.SemanticError](err); ok && se.GoType != nil {
		e.Member = "hookSpecificOutput" + string(se.JSONPointer)
		e.Got, e.Want = wire.KindName(se.JSONKind), wanted(se.GoType)
	}
	return e
}

func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return wire.Wanted(t)
}

// checkedPart is an event's own part of an answer, with words to check.
type checkedPart interface{ check() error }

// decider is an event's own part of an answer that may contain a decision. decide replaces the common decision and
// reason by the part's own, if the part has a decision.
type decider interface {
	decide(decision *hook.Decision, reason *string)
}

func setText(to *string, name string, value jsontext.Value) error {
	s, ok := wire.Text(value)
	if !ok {
		return wrongKind(name, value, "a string")
	}
	*to = s
	return nil
}

func setBool(to *bool, name string, value jsontext.Value) (err error) {
	*to, err = boolean(name, value)
	return err
}

func boolean(name string, value jsontext.Value) (bool, error) {
	if k := value.Kind(); k != 't' && k != 'f' {
		return false, wrongKind(name, value, "true or false")
	}
	return value.Kind() == 't', nil
}

func setWord(to *string, name string, value jsontext.Value, words ...string) error {
	if err := setText(to, name, value); err != nil {
		return err
	}
	return oneOf(name, *to, words...)
}

func wrongKind(name string, value jsontext.Value, want string) error {
	got := "missing"
	if value != nil {
		got = wire.KindName(value.Kind())
	}
	return &AnswerError{Member: name, Got: got, Want: want}
}
