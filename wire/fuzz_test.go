package wire_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"", "null", `{"a":1}`, `"{}"`, `"\"\""`, "\uFEFF{}", "text", `{"a":"\ud800"}`, "0e5", "{} x", "\"\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, printed []byte) {
		before := slices.Clone(printed)
		v, err := wire.Answer(printed)
		if v != nil && !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("the answer in %q is %q, which is not JSON", printed, v)
		}
		if v != nil && err != nil {
			t.Errorf("%q has an answer and an error", printed)
		}
		if !slices.Equal(printed, before) {
			t.Errorf("%q was changed to %q", before, printed)
		}
	})
}

// FuzzDecode decodes any output of a hook, and checks that encoding restores it.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `{"decision":"deny","reason":null,"continue":false,"stopReason":"s","suppressOutput":false,"systemMessage":"m"}`,
		`{"hookSpecificOutput":{"word":"w","yes":true,"small":200,"ratio":1e99,"names":["a"],"edit":{"a":1},"additionalContext":"c","new":{"a":[1]}}}`,
		`{"hookSpecificOutput":{"word":1,"additionalContext":2}}`, `{"decision":1,"hookSpecificOutput":null}`, `{"hookSpecificOutput":{"new":1,"new":2}}`,
		`{"reason":"\ud800"}`, `{"hookSpecificOutput":{"additionalContext":null}}`, `{"hookSpecificOutput":{"a":1},"hookSpecificOutput":{"word":[]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, printed []byte) {
		answer, err := wire.Answer(printed)
		if err != nil || answer == nil {
			return
		}
		out, _ := wire.Decode[own](answer)
		if o := wire.Object(answer); out.Raw != nil && o.Text("decision") == string(out.Decision) && o.Text("reason") == out.Reason {
			if got := wire.Encode(&out); string(got) != string(answer) {
				t.Errorf("%q is written as %q", answer, got)
			}
		}
		again, _ := wire.Decode[own](answer)
		if !reflect.DeepEqual(out, again) {
			t.Errorf("%q is decoded as %+v, then as %+v", answer, out, again)
		}
	})
}

// FuzzDecodeEncoded checks that the output of a Go hook survives encoding and decoding.
func FuzzDecodeEncoded(f *testing.F) {
	f.Add("deny", "r", true, "s", true, "m", "c", "w", int8(3), `{"x":1.0}`)
	f.Add("", "", false, "", false, "", "", "", int8(0), ``)
	f.Add("\xff", "a\n\"b", false, "\u2028", true, "\x00", "<é>", "", int8(-1), `{"a":1,"a":2}`)
	f.Fuzz(func(t *testing.T, decision, reason string, stop bool, stopReason string, suppress bool, message, context, word string, small int8, extra string) {
		text := func(s string) string { return strings.ToValidUTF8(s, "?") }
		want := hook.Output[own]{
			Decision: hook.Decision(text(decision)), Reason: text(reason), Stop: stop, StopReason: text(stopReason),
			Suppress: suppress, Message: text(message), Context: text(context), Specific: own{Word: text(word), Small: small},
		}
		if o := wire.Object(nil).Merge(wire.Object(extra)).Without("word", "yes", "small", "ratio", "names", "edit", "additionalContext"); jsontext.Value(o).IsValid() && !o.IsEmpty() {
			compact := jsontext.Value(o)
			_ = compact.Compact() // it is valid
			want.Specific.Extra = compact
		}
		encoded := wire.Encode(&want)
		got, notes := wire.Decode[own](jsontext.Value(encoded))
		if len(notes) > 0 {
			t.Errorf("%q has notes %q", encoded, notes)
		}
		if got.Common() != want.Common() {
			t.Errorf("%q gives the fields %b, want %b", encoded, got.Common(), want.Common())
		}
		got.Raw, got.Set = nil, 0
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q\ngot  %+v\nwant %+v", encoded, got, want)
		}
	})
}
