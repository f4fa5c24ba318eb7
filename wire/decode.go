package wire

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
)

// Decode reads an answer in the common form: decision, reason, continue, stopReason, suppressOutput, systemMessage and
// hookSpecificOutput. The additionalContext of hookSpecificOutput goes to Context, its other members to Specific.
//
// Decode is lenient: a member of the wrong type counts as absent, with a note that names the expected type, and does
// not affect the others. Raw keeps the whole answer. JSON other than an object becomes an assumed allow.
func Decode[T any](answer jsontext.Value) (out hook.Output[T], notes []string) {
	d := answerReader{what: reflect.TypeFor[T]()}
	d.decode(answer)
	return output[T](&d), d.notes
}

func (d *answerReader) decode(answer jsontext.Value) {
	d.out.Set = hook.SetAnswer
	if answer.Kind() != '{' {
		d.out.Decision, d.out.Synthetic = hook.Allow, true
		d.notes = []string{fmt.Sprintf("the answer is %s; want an object", KindName(answer.Kind()))}
		return
	}
	d.out.Raw = answer.Clone()
	_ = Object(answer).walk(d.member)
}

// output returns the answer that d has read.
//
//go:noinline
func output[T any](d *answerReader) (out hook.Output[T]) {
	common.Put(&out, &d.out)
	if own, ok := d.own.(*T); ok {
		out.Specific = *own
	}
	return out
}

// answerReader reads an answer whose Specific has any type.
type answerReader struct {
	out   common.Output
	what  reflect.Type // the type of Specific
	own   any          // points to Specific; nil if there is none
	notes []string
}

func (d *answerReader) member(key []byte, value jsontext.Value) (more bool) {
	o := &d.out
	switch name := string(key); name {
	case "decision":
		word := string(o.Decision)
		d.text(name, value, &word, hook.SetDecision)
		o.Decision = hook.Decision(word)
	case "reason":
		d.text(name, value, &o.Reason, hook.SetReason)
	case "stopReason":
		d.text(name, value, &o.StopReason, hook.SetStopReason)
	case "systemMessage":
		d.text(name, value, &o.Message, hook.SetMessage)
	case "continue":
		goOn := !o.Stop
		d.bool(name, value, &goOn, true, hook.SetStop)
		o.Stop = !goOn
	case "suppressOutput":
		d.bool(name, value, &o.Suppress, false, hook.SetSuppress)
	case "hookSpecificOutput":
		d.readSpecific(name, value)
	}
	return true
}

func (d *answerReader) text(name string, value jsontext.Value, to *string, field hook.Fields) {
	s, ok := Text(value)
	if !ok && value.Kind() != 'n' {
		d.wrong(name, value, "a string")
		return
	}
	*to = s
	d.out.Set |= field
}

func (d *answerReader) bool(name string, value jsontext.Value, to *bool, null bool, field hook.Fields) {
	switch value.Kind() {
	case 't', 'f':
		*to = value.Kind() == 't'
	case 'n':
		*to = null
	default:
		d.wrong(name, value, "true or false")
		return
	}
	d.out.Set |= field
}

func (d *answerReader) readSpecific(name string, value jsontext.Value) {
	if kind := value.Kind(); kind != '{' && kind != 'n' {
		d.wrong(name, value, "an object")
		return
	}
	// If the member occurs twice, the last one replaces the first completely.
	d.own, d.out.Context = nil, ""
	d.out.Set &^= hook.SetSpecific | hook.SetContext
	if value.Kind() == 'n' {
		return
	}
	d.out.Set |= hook.SetSpecific
	rest := Object(value)
	context := rest.Get("additionalContext")
	if s, ok := Text(context); ok {
		d.out.Context = s
		d.out.Set |= hook.SetContext
		rest = rest.Without("additionalContext")
	} else if context.Kind() == 'n' {
		d.out.Set |= hook.SetContext
		rest = rest.Without("additionalContext")
	} else if context != nil {
		d.notes = append(d.notes, "hookSpecificOutput.additionalContext is "+KindName(context.Kind())+"; want a string")
	}
	d.own = reflect.New(d.what).Interface()
	for _, note := range lenient(rest, d.own) {
		d.notes = append(d.notes, "hookSpecificOutput."+note)
	}
}

func (d *answerReader) wrong(name string, value jsontext.Value, want string) {
	d.notes = append(d.notes, name+" is "+KindName(value.Kind())+"; want "+want)
}

// lenient decodes o into the struct at ptr. Members that have no field, or do not fit their field, are collected in the
// field Extra, if there is one. For a type other than a struct, it decodes the members that fit.
func lenient(o Object, ptr any) (notes []string) {
	if json.Unmarshal(o, ptr, asJavaScript) == nil {
		return nil
	}
	// Some member does not fit: decode each alone, and leave out those that fail.
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
		return notes // every member fits alone
	}
	keep(reflect.ValueOf(ptr).Elem(), append(rest, '}'))
	return notes
}

// keep merges members that fit no field into the field Extra, if v has one that embeds JSON text.
func keep(v reflect.Value, rest Object) {
	if v.Kind() != reflect.Struct {
		return
	}
	if extra := v.FieldByName("Extra"); extra.IsValid() && extra.Type() == reflect.TypeFor[jsontext.Value]() {
		extra.SetBytes(Object(extra.Bytes()).Merge(rest))
	}
}

func wanted(err error) string {
	var se *json.SemanticError
	if !errors.As(err, &se) || se.GoType == nil {
		return "it cannot be used"
	}
	return "want " + Wanted(se.GoType)
}

// Wanted describes the JSON that decodes to a Go type, such as "a string".
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
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a number"
	}
	return "an object"
}

// ErrText reports output of a hook that is not JSON.
var ErrText = errors.New("not JSON")

// Answer finds the answer in the output of a hook (L27). The output has to be one JSON document; a string is decoded a
// second time. Surrounding white space and a byte order mark are skipped. Empty output, null, false, 0 and "" are no
// answer: the Value is nil. For other output the error is [ErrText].
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

// Read combines [Answer] and [Decode]. It scans an object only once, which matters for long answers; Raw is then a
// slice of stdout.
func Read[T any](stdout []byte) (out hook.Output[T], notes []string, err error) {
	d := answerReader{what: reflect.TypeFor[T]()}
	if err := d.read(stdout); err != nil {
		return out, nil, err
	}
	return output[T](&d), d.notes, nil
}

func (d *answerReader) read(stdout []byte) error {
	text := Trim(stdout)
	if len(text) == 0 || text[0] != '{' {
		answer, err := Answer(text)
		if err == nil && answer != nil {
			d.decode(answer)
		}
		return err
	}
	d.out.Set, d.out.Raw = hook.SetAnswer, text
	if Object(text).walk(d.member) != nil {
		return ErrText
	}
	return nil
}
