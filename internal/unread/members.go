package unread

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Form has the names of the members that the answers of an event have.
type Form struct {
	Top []string // of the answer
	Own []string // names of the members of hookSpecificOutput
}

// Common lists the members that answers have in every dialect.
var Common = []string{
	"decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput",
}

// FormOf returns the form of answers whose hookSpecificOutput has the type own. more lists members of the dialect
// besides [Common], and moreOwn members of its hookSpecificOutput besides the type's.
func FormOf(more, moreOwn []string, own reflect.Type) Form {
	return Form{
		Top: append(append([]string{}, Common...), more...),
		Own: names(own, append([]string{"hookEventName", "additionalContext"}, moreOwn...)),
	}
}

// names appends the JSON names of a struct's fields, including those of embedded structs.
func names(t reflect.Type, to []string) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return to
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "":
			to = names(field.Type, to)
		case !field.IsExported() || strings.Contains(options, "embed"):
		case name == "":
			to = append(to, field.Name)
		default:
			to = append(to, strings.Trim(name, "'"))
		}
	}
	return to
}

// Reading describes the parts of an answer that its event does not use.
type Reading struct {
	// describes the first unused part, or the first whose name is near; empty if everything is used
	Why      string
	Near     bool           // the name of an unused member resembles the name of one that decides
	Unread   []byte         // the text of all unused parts
	Decision jsontext.Value // the member "decision", or nil
}

// Read compares an answer, the text of one valid JSON object, with the form.
func (f *Form) Read(answer []byte) (r Reading) {
	var own jsontext.Value
	f.members(&r, answer, f.Top, "", func(name string, value jsontext.Value) {
		switch name {
		case "decision":
			r.Decision = value
		case "hookSpecificOutput":
			own = value
		}
	})
	if own.Kind() == '{' {
		f.members(&r, wire.Object(own), f.Own, "hookSpecificOutput.", nil)
	}
	return r
}

// members reads the members of one object. If a name occurs twice with different values, all its values count as
// unused.
func (f *Form) members(r *Reading, object wire.Object, known []string, path string, see func(string, jsontext.Value)) {
	const most = 32
	var first [most]jsontext.Value
	var twice [most]bool
	object.EachMemberOfValid(func(name []byte, value jsontext.Value) bool {
		i := index(known, name)
		switch {
		case i < 0:
			r.add(fmt.Sprintf("it has the member %q, which answers of this event do not have", path+short(name)), name, value)
			return true
		case i >= most:
		case first[i] == nil:
			first[i] = value
		case !bytes.Equal(first[i], value):
			if !twice[i] {
				r.add(fmt.Sprintf("it has the member %q twice", path+known[i]), name, first[i])
				twice[i] = true
			}
			r.add("", name, value)
		}
		if see != nil {
			see(known[i], value)
		}
		return true
	})
}

func (r *Reading) add(why string, name []byte, value jsontext.Value) {
	if near := Resembles(name); near && !r.Near {
		r.Why, r.Near = why, true
	} else if r.Why == "" {
		r.Why = why
	}
	r.Unread = append(r.Unread, '"')
	r.Unread = append(r.Unread, name...)
	r.Unread = append(r.Unread, `": `...)
	r.Unread = append(append(r.Unread, value...), '\n')
}

func index(known []string, name []byte) int {
	for i, k := range known {
		if k == string(name) {
			return i
		}
	}
	return -1
}

// short cuts a name from a hook to a limited length.
func short(name []byte) string {
	const most = 60
	if len(name) > most {
		return string(name[:most]) + "…"
	}
	return string(name)
}
