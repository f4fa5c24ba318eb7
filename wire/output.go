package wire

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
)

// ErrText says that what a hook printed is not JSON.
var ErrText = errors.New("not JSON")

// Answer finds the answer in what a hook printed (seed 003 §4.2): one JSON
// document, of which a string is decoded a second time. Surrounding white
// space and a byte order mark are skipped. Nothing, null, false, 0 and "" are
// silence, a nil Value; what is not one JSON document is [ErrText].
func Answer(stdout []byte) (jsontext.Value, error) {
	v := jsontext.Value(Trim(stdout))
	if len(v) == 0 {
		return nil, nil
	}
	if !v.IsValid(asJavaScript) {
		return nil, ErrText
	}
	if v.Kind() == '"' {
		inner, _ := Text(v)
		if inner == "" {
			return nil, nil
		}
		v = jsontext.Value(Trim([]byte(inner)))
		if len(v) == 0 || !v.IsValid(asJavaScript) {
			return nil, ErrText
		}
	}
	switch v.Kind() {
	case 'n', 'f':
		return nil, nil
	case '"':
		if len(v) == 2 {
			return nil, nil
		}
	case '0':
		var f float64
		if json.Unmarshal(v, &f) == nil && f == 0 {
			return nil, nil
		}
	}
	return v, nil
}

// Trim removes the white space around b, as JavaScript counts it: a byte
// order mark is white space too.
func Trim(b []byte) []byte {
	return bytes.TrimFunc(b, func(r rune) bool { return r == '\uFEFF' || isSpace(r) })
}

func isSpace(r rune) bool {
	return r != '\u0085' && strings.ContainsRune("\t\n\v\f\r \u00A0\u1680\u2028\u2029\u202F\u205F\u3000", r) || r >= '\u2000' && r <= '\u200A'
}

// Decode reads an answer in the common form: decision, reason, continue,
// stopReason, suppressOutput, systemMessage and hookSpecificOutput, of which
// additionalContext goes to Context and the rest to Specific.
//
// It is lenient, member by member: one of the wrong type counts as absent,
// with a note that says what was expected, and never hides the others. Raw
// keeps it all. JSON other than an object is an assumed permission.
func Decode[T any](answer jsontext.Value) (out hook.Output[T], notes []string) {
	out.Given = hook.Spoke
	if answer.Kind() != '{' {
		out.Decision, out.Assumed = hook.Allow, true
		return out, []string{fmt.Sprintf("the answer is %s; want an object", KindName(answer.Kind()))}
	}
	out.Raw = answer.Clone()
	d := reader[T]{out: &out}
	for name, value := range Object(answer).Members() {
		d.member(name, value)
	}
	return out, d.notes
}

type reader[T any] struct {
	out   *hook.Output[T]
	notes []string
}

func (d *reader[T]) member(name string, value jsontext.Value) {
	o := d.out
	switch name {
	case "decision":
		word := string(o.Decision)
		d.text(name, value, &word, hook.GaveDecision)
		o.Decision = hook.Decision(word)
	case "reason":
		d.text(name, value, &o.Reason, hook.GaveReason)
	case "stopReason":
		d.text(name, value, &o.StopReason, hook.GaveStopReason)
	case "systemMessage":
		d.text(name, value, &o.Message, hook.GaveMessage)
	case "continue":
		goOn := !o.Stop
		d.bool(name, value, &goOn, true, hook.GaveStop)
		o.Stop = !goOn
	case "suppressOutput":
		d.bool(name, value, &o.Suppress, false, hook.GaveSuppress)
	case "hookSpecificOutput":
		d.specific(name, value)
	}
}

func (d *reader[T]) text(name string, value jsontext.Value, to *string, field hook.Fields) {
	s, ok := Text(value)
	if !ok && value.Kind() != 'n' {
		d.wrong(name, value, "a string")
		return
	}
	*to = s
	d.out.Given |= field
}

func (d *reader[T]) bool(name string, value jsontext.Value, to *bool, null bool, field hook.Fields) {
	switch value.Kind() {
	case 't', 'f':
		*to = value.Kind() == 't'
	case 'n':
		*to = null
	default:
		d.wrong(name, value, "true or false")
		return
	}
	d.out.Given |= field
}

func (d *reader[T]) specific(name string, value jsontext.Value) {
	switch value.Kind() {
	case '{':
	case 'n':
		return
	default:
		d.wrong(name, value, "an object")
		return
	}
	d.out.Given |= hook.GaveSpecific
	rest := Object(value)
	context := rest.Get("additionalContext")
	if s, ok := Text(context); ok {
		d.out.Context = s
		d.out.Given |= hook.GaveContext
		rest = rest.Without("additionalContext")
	} else if context != nil && context.Kind() != 'n' {
		d.notes = append(d.notes, "hookSpecificOutput.additionalContext is "+KindName(context.Kind())+"; want a string")
	}
	for _, note := range lenient(rest, &d.out.Specific) {
		d.notes = append(d.notes, "hookSpecificOutput."+note)
	}
}

func (d *reader[T]) wrong(name string, value jsontext.Value, want string) {
	d.notes = append(d.notes, name+" is "+KindName(value.Kind())+"; want "+want)
}

// lenient decodes o into the struct at ptr. Members that do not fit their
// field are collected, with those that have none, in the field that embeds
// the rest.
func lenient(o Object, ptr any) (notes []string) {
	if json.Unmarshal(o, ptr, asJavaScript) == nil {
		return nil
	}
	// Something does not fit. Try every member alone, and keep those out.
	reflect.ValueOf(ptr).Elem().SetZero()
	fit, rest := Object("{"), Object("{")
	for name, value := range o.Members() {
		one := append(appendMember([]byte{'{'}, name, value), '}')
		probe := reflect.New(reflect.TypeOf(ptr).Elem())
		if err := json.Unmarshal(one, probe.Interface(), asJavaScript); err != nil {
			notes = append(notes, name+" is "+KindName(value.Kind())+"; "+wanted(err))
			rest = appendMember(rest, name, value)
			continue
		}
		fit = appendMember(fit, name, value)
	}
	if json.Unmarshal(append(fit, '}'), ptr, asJavaScript) != nil {
		return notes // each fits, so all do
	}
	if extra := reflect.ValueOf(ptr).Elem().FieldByName("Extra"); extra.IsValid() && extra.Type() == reflect.TypeFor[jsontext.Value]() {
		all := Object(extra.Bytes()).Merge(append(rest, '}'))
		extra.SetBytes(all)
	}
	return notes
}

func wanted(err error) string {
	var se *json.SemanticError
	if !errors.As(err, &se) || se.GoType == nil {
		return "it cannot be used"
	}
	return "want " + Wanted(se.GoType)
}

// Wanted says in words what JSON a Go type takes: "a string".
func Wanted(t reflect.Type) string {
	if t == reflect.TypeFor[Object]() {
		return "an object"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	}
	return "an object"
}

// Encode gives an output its common form, the inverse of [Decode]. An answer
// that a hook wrote is given as it wrote it, except for a decision and a
// reason that its exit status changed. Fields that are neither given nor set
// are left out.
func Encode[T any](o *hook.Output[T]) Object {
	if o.Raw != nil {
		return encodeRaw(o)
	}
	b := Object("{")
	has := o.Common()
	if has.Has(hook.GaveStop) {
		b = appendMember(b, "continue", boolean(!o.Stop))
	}
	b = appendText(b, "stopReason", o.StopReason, has.Has(hook.GaveStopReason))
	if has.Has(hook.GaveSuppress) {
		b = appendMember(b, "suppressOutput", boolean(o.Suppress))
	}
	b = appendText(b, "systemMessage", o.Message, has.Has(hook.GaveMessage))
	b = appendText(b, "decision", string(o.Decision), has.Has(hook.GaveDecision))
	b = appendText(b, "reason", o.Reason, has.Has(hook.GaveReason))
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
	if zero && !o.Given.Has(hook.GaveSpecific) && !has.Has(hook.GaveContext) {
		return nil
	}
	own, err := json.Marshal(&o.Specific, asJavaScript, json.Deterministic(true))
	if err != nil || jsontext.Value(own).Kind() != '{' {
		own = []byte("{}")
	}
	specific := Object("{}").Merge(own) // settles equal names
	if has.Has(hook.GaveContext) {
		specific = specific.With("additionalContext", Quote(o.Context))
	}
	return specific
}

func appendText(b Object, name, text string, has bool) Object {
	if !has {
		return b
	}
	if text == "" {
		return appendMember(b, name, jsontext.Value("null"))
	}
	return appendMember(b, name, Quote(text))
}

func boolean(v bool) jsontext.Value {
	if v {
		return jsontext.Value("true")
	}
	return jsontext.Value("false")
}

// Valid gives b as text: every maximal part that is not UTF-8 becomes one
// U+FFFD, the way browsers and Node decode. A character that a reader cut in
// two is whole here, since b is decoded at once.
func Valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			for n < len(b) && !utf8.FullRune(b[:n]) && !utf8.FullRune(b[:n+1]) {
				n++
			}
		}
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}
