package wire

import (
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
)

// Encode returns an output in its common form, the inverse of [Decode]. An answer that a hook wrote is returned as
// written, except for a decision and a reason that the exit status changed. Fields that are zero and not in Set are
// left out.
func Encode[T any](o *hook.Output[T]) Object {
	if o.Raw != nil {
		return encodeRaw(o)
	}
	b := Object("{")
	has := o.Common()
	if has.Has(hook.SetStop) {
		b = appendMember(b, "continue", boolean(!o.Stop))
	}
	b = appendText(b, "stopReason", o.StopReason, has.Has(hook.SetStopReason))
	if has.Has(hook.SetSuppress) {
		b = appendMember(b, "suppressOutput", boolean(o.Suppress))
	}
	b = appendText(b, "systemMessage", o.Message, has.Has(hook.SetMessage))
	b = appendText(b, "decision", string(o.Decision), has.Has(hook.SetDecision))
	b = appendText(b, "reason", o.Reason, has.Has(hook.SetReason))
	if specific := encodeSpecific(o, has); specific != nil {
		b = appendMember(b, "hookSpecificOutput", jsontext.Value(specific))
	}
	return append(b, '}')
}

func encodeRaw[T any](o *hook.Output[T]) Object {
	raw := Object(o.Raw)
	if o.Decision != "" && raw.Text("decision") != string(o.Decision) {
		raw = raw.With("decision", Quote(string(o.Decision)))
	}
	if o.Reason != "" && raw.Text("reason") != o.Reason {
		raw = raw.With("reason", Quote(o.Reason))
	}
	return raw
}

func encodeSpecific[T any](o *hook.Output[T], has hook.Fields) Object {
	zero := reflect.ValueOf(&o.Specific).Elem().IsZero()
	if zero && !o.Set.Has(hook.SetSpecific) && !has.Has(hook.SetContext) {
		return nil
	}
	own, err := json.Marshal(&o.Specific, asJavaScript, json.Deterministic(true))
	if err != nil || jsontext.Value(own).Kind() != '{' {
		own = []byte("{}")
	}
	specific := Object("{}").Merge(own) // removes repeated names
	if has.Has(hook.SetContext) {
		specific = specific.With("additionalContext", textOrNull(o.Context))
	}
	return specific
}

func appendText(b Object, name, text string, has bool) Object {
	if !has {
		return b
	}
	return appendMember(b, name, textOrNull(text))
}

func textOrNull(text string) jsontext.Value {
	if text == "" {
		return jsontext.Value("null")
	}
	return Quote(text)
}

func boolean(v bool) jsontext.Value {
	if v {
		return jsontext.Value("true")
	}
	return jsontext.Value("false")
}
