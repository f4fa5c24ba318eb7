package claudecases

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// objectMember is one member of an object. A list of members keeps their order.
type objectMember struct {
	name  string
	value jsontext.Value
}

// input adds the event's own fields to the base fields, overriding fields of the same name. Order of fields and
// spelling of numbers are preserved.
func (p *Prepared) input(event string, own jsontext.Value) (jsontext.Value, error) {
	all := p.base(event)
	fields, err := membersOf(own)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if i := slices.IndexFunc(all, func(m objectMember) bool { return m.name == f.name }); i >= 0 {
			all[i] = f
		} else {
			all = append(all, f)
		}
	}
	return object(all)
}

// base returns the fields of every event.
func (p *Prepared) base(event string) []objectMember {
	return []objectMember{
		{"session_id", quote(SessionID)},
		{"transcript_path", quote(p.Transcript)},
		{"cwd", quote(p.Dir)},
		{"permission_mode", quote("default")},
		{"hook_event_name", quote(event)},
	}
}

func quote(s string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 is replaced
	return quoted
}

// membersOf reads an object; nil is an empty one.
func membersOf(text jsontext.Value) (all []objectMember, err error) {
	if text == nil {
		return nil, nil
	}
	in := jsontext.NewDecoder(bytes.NewReader(text))
	if brace, err := in.ReadToken(); err != nil {
		return nil, err
	} else if brace.Kind() != '{' {
		return nil, fmt.Errorf("want an object, got %s", text)
	}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		m := objectMember{name: name.String()}
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		m.value = value.Clone()
		all = append(all, m)
	}
	_, err = in.ReadToken()
	return all, err
}

func object(all []objectMember) (jsontext.Value, error) {
	var text bytes.Buffer
	out := jsontext.NewEncoder(&text)
	if err := out.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for _, m := range all {
		if err := out.WriteToken(jsontext.String(m.name)); err != nil {
			return nil, err
		}
		if err := out.WriteValue(m.value); err != nil {
			return nil, err
		}
	}
	err := out.WriteToken(jsontext.EndObject)
	return bytes.TrimSpace(text.Bytes()), err
}
