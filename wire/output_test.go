package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// own is an event's own part with a field of every kind.
type own struct {
	Word  string         `json:"word,omitzero"`
	Yes   bool           `json:"yes,omitzero"`
	Small int8           `json:"small,omitzero"`
	Ratio float32        `json:"ratio,omitzero"`
	Names []string       `json:"names,omitzero"`
	Edit  wire.Object    `json:"edit,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

func TestDecodeReadsTheCommonForm(t *testing.T) {
	type output = hook.Output[own]
	tests := map[string]struct {
		answer string
		want   output // Raw and SetAnswer are compared apart
		notes  string
	}{
		"an empty object":                 {`{}`, output{}, ""},
		"a decision":                      {`{"decision":"deny"}`, output{Decision: hook.Deny, Set: hook.SetDecision}, ""},
		"any word is kept":                {`{"decision":"Maybe"}`, output{Decision: "Maybe", Set: hook.SetDecision}, ""},
		"a decision of null is spelled":   {`{"decision":null}`, output{Set: hook.SetDecision}, ""},
		"a decision that is no string":    {`{"decision":{"deny":1},"reason":"r"}`, output{Reason: "r", Set: hook.SetReason}, "decision is an object; want a string"},
		"a reason":                        {`{"reason":"r"}`, output{Reason: "r", Set: hook.SetReason}, ""},
		"a reason of null":                {`{"reason":null}`, output{Set: hook.SetReason}, ""},
		"a reason that is a number":       {`{"reason":42,"decision":"deny"}`, output{Decision: hook.Deny, Set: hook.SetDecision}, "reason is a number; want a string"},
		"continue false":                  {`{"continue":false,"stopReason":"s"}`, output{Stop: true, StopReason: "s", Set: hook.SetStop | hook.SetStopReason}, ""},
		"continue true":                   {`{"continue":true}`, output{Set: hook.SetStop}, ""},
		"continue null":                   {`{"continue":null}`, output{Set: hook.SetStop}, ""},
		"continue as text":                {`{"continue":"false"}`, output{}, "continue is a string; want true or false"},
		"a stop reason that is a list":    {`{"stopReason":["s"]}`, output{}, "stopReason is an array; want a string"},
		"suppressOutput":                  {`{"suppressOutput":true}`, output{Suppress: true, Set: hook.SetSuppress}, ""},
		"suppressOutput false":            {`{"suppressOutput":false}`, output{Set: hook.SetSuppress}, ""},
		"suppressOutput null":             {`{"suppressOutput":null}`, output{Set: hook.SetSuppress}, ""},
		"suppressOutput 1":                {`{"suppressOutput":1}`, output{}, "suppressOutput is a number; want true or false"},
		"a message":                       {`{"systemMessage":"m"}`, output{Message: "m", Set: hook.SetMessage}, ""},
		"a message of null":               {`{"systemMessage":null}`, output{Set: hook.SetMessage}, ""},
		"a message that is true":          {`{"systemMessage":true}`, output{}, "systemMessage is a boolean; want a string"},
		"names count as they are written": {`{"DECISION":"deny","Continue":false}`, output{}, ""},
		"members nobody knows":            {`{"later":[1],"additionalContext":"top"}`, output{}, ""},
		"the last of equal names":         {`{"decision":"deny","decision":"allow"}`, output{Decision: hook.Allow, Set: hook.SetDecision}, ""},
		"a wrong one does not erase":      {`{"decision":"deny","decision":7}`, output{Decision: hook.Deny, Set: hook.SetDecision}, "decision is a number; want a string"},

		"the own part": {`{"hookSpecificOutput":{"word":"w","yes":true,"small":-3,"ratio":0.5,"names":["a"],"edit":{"x":1.0},"additionalContext":"c","new":7}}`,
			output{Context: "c", Set: hook.SetSpecific | hook.SetContext, Specific: own{"w", true, -3, 0.5, []string{"a"}, wire.Object(`{"x":1.0}`), jsontext.Value(`{"new":7}`)}}, ""},
		"an own part of null":      {`{"hookSpecificOutput":null}`, output{}, ""},
		"an own part that is text": {`{"hookSpecificOutput":"x","decision":"deny"}`, output{Decision: hook.Deny, Set: hook.SetDecision}, "hookSpecificOutput is a string; want an object"},
		"a context that is null":   {`{"hookSpecificOutput":{"additionalContext":null}}`, output{Set: hook.SetSpecific | hook.SetContext}, ""},
		"a context that is a list": {`{"hookSpecificOutput":{"additionalContext":["c"],"word":"w"}}`,
			output{Set: hook.SetSpecific, Specific: own{Word: "w", Extra: jsontext.Value(`{"additionalContext":["c"]}`)}}, "hookSpecificOutput.additionalContext is an array; want a string"},
		"wrong members hide no others": {`{"hookSpecificOutput":{"word":1,"yes":"y","small":"s","ratio":[],"names":{},"edit":[1],"new":7,"additionalContext":"c"}}`,
			output{Context: "c", Set: hook.SetSpecific | hook.SetContext, Specific: own{Extra: jsontext.Value(`{"new":7,"word":1,"yes":"y","small":"s","ratio":[],"names":{},"edit":[1]}`)}},
			"hookSpecificOutput.word is a number; want a string|hookSpecificOutput.yes is a string; want true or false|hookSpecificOutput.small is a string; want a number|" +
				"hookSpecificOutput.ratio is an array; want a number|hookSpecificOutput.names is an object; want an array|hookSpecificOutput.edit is an array; want an object"},
		"of two own parts the last counts, whole": {`{"hookSpecificOutput":{"word":"w","old":1,"additionalContext":"c"},"hookSpecificOutput":{"yes":true}}`,
			output{Set: hook.SetSpecific, Specific: own{Yes: true}}, ""},

		"an array":  {`[{"decision":"deny"}]`, output{Decision: hook.Allow, Synthetic: true}, "the answer is an array; want an object"},
		"a number":  {`7`, output{Decision: hook.Allow, Synthetic: true}, "the answer is a number; want an object"},
		"true":      {`true`, output{Decision: hook.Allow, Synthetic: true}, "the answer is a boolean; want an object"},
		"a string":  {`"x"`, output{Decision: hook.Allow, Synthetic: true}, "the answer is a string; want an object"},
		"no answer": {``, output{Decision: hook.Allow, Synthetic: true}, "the answer is no JSON; want an object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, notes := wire.Decode[own](jsontext.Value(test.answer))
			if raw := string(got.Raw); raw != test.answer && !got.Synthetic {
				t.Errorf("raw is %q, want the answer as it was", raw)
			}
			if !got.Set.Has(hook.SetAnswer) {
				t.Error("it did not speak")
			}
			got.Raw, got.Set = nil, got.Set&^hook.SetAnswer
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
			if joined := strings.Join(notes, "|"); joined != test.notes {
				t.Errorf("notes %q\nwant  %q", joined, test.notes)
			}
		})
	}
}

func TestDecodeTakesOwnPartsOfEveryType(t *testing.T) {
	answer := jsontext.Value(`{"decision":"deny","hookSpecificOutput":{"a":"x","b":2}}`)
	check := func(name string, decision hook.Decision, notes []string, want int) {
		t.Helper()
		if decision != hook.Deny || len(notes) != want {
			t.Errorf("%s: decision %q, notes %q; want a denial and %d notes", name, decision, notes, want)
		}
	}
	m, notes := wire.Decode[map[string]int](answer)
	check("a map", m.Decision, notes, 1)
	if len(m.Specific) != 1 || m.Specific["b"] != 2 {
		t.Errorf("the map is %v, want what fits", m.Specific)
	}
	n, notes := wire.Decode[int](answer)
	check("a number", n.Decision, notes, 2)
	p, notes := wire.Decode[*struct{ A int }](answer)
	check("a pointer", p.Decision, notes, 0)
	a, notes := wire.Decode[any](answer)
	check("anything", a.Decision, notes, 0)
	s, notes := wire.Decode[[]string](answer)
	check("a list", s.Decision, notes, 2)
	o, notes := wire.Decode[wire.Object](answer)
	check("an object", o.Decision, notes, 0)
	if string(o.Specific) != `{"a":"x","b":2}` {
		t.Errorf("the object is %s", o.Specific)
	}
	e, notes := wire.Decode[struct{ Extra int }](jsontext.Value(`{"decision":"deny","hookSpecificOutput":{"Extra":"x"}}`))
	check("an Extra of another type", e.Decision, notes, 1)
}

func TestEncodeGivesTheCommonForm(t *testing.T) {
	type output = hook.Output[own]
	tests := map[string]struct {
		out  output
		want string
	}{
		"nothing": {output{}, `{}`},
		"everything, in the order of the documentation": {output{Decision: hook.Block, Reason: "r", Stop: true, StopReason: "s", Suppress: true, Message: "m", Context: "c", Specific: own{Word: "w"}},
			`{"continue":false,"stopReason":"s","suppressOutput":true,"systemMessage":"m","decision":"block","reason":"r","hookSpecificOutput":{"word":"w","additionalContext":"c"}}`},
		"what is given as nothing": {output{Set: hook.SetDecision | hook.SetReason | hook.SetStop | hook.SetSuppress | hook.SetMessage | hook.SetSpecific | hook.SetContext},
			`{"continue":true,"suppressOutput":false,"systemMessage":null,"decision":null,"reason":null,"hookSpecificOutput":{"additionalContext":null}}`},
		"an empty own part that is given": {output{Set: hook.SetSpecific}, `{"hookSpecificOutput":{}}`},
		"unknown members of the own part": {output{Specific: own{Word: "w", Extra: jsontext.Value(`{"b":[1.0],"a":null}`)}}, `{"hookSpecificOutput":{"word":"w","b":[1.0],"a":null}}`},
		"a name given twice":              {output{Specific: own{Word: "w", Extra: jsontext.Value(`{"word":"x"}`)}}, `{"hookSpecificOutput":{"word":"x"}}`},
		"an answer as it was written":     {output{Decision: hook.Allow, Raw: []byte(`{ "decision":"allow", "later":1 }`)}, `{ "decision":"allow", "later":1 }`},
		"with what its status changed":    {output{Decision: hook.Deny, Reason: "no", Raw: []byte(`{"decision":"allow","later":1}`)}, `{"decision":"deny","later":1,"reason":"no"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(wire.Encode(&test.out)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	if got := string(wire.Encode(&hook.Output[chan int]{Set: hook.SetSpecific})); got != `{"hookSpecificOutput":{}}` {
		t.Errorf("a type that JSON cannot say gives %s", got)
	}
}
