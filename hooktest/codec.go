package hooktest

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/snaphook-go/snaphook/wire"
)

// Codec checks that the input and the answer of an event survive JSON, the form in which hooks outside the process get
// and give them: encoding, decoding and encoding again yields the same JSON, without losing an unknown member or a
// digit of a number.
//
// Only the event's types are used. Types that cannot hold unknown members fail, unless [DropsUnknown]: give them a
// field jsontext.Value with the tag `json:",embed"`.
func Codec[In, Out any](t testing.TB, event Event[In, Out], but ...Exception) {
	t.Helper()
	allowed := declared(t, but)
	roundTrip[In](t, "input", allowed)
	roundTrip[Out](t, "answer", allowed)
}

// strangers is an object with members that no type declares.
const strangers = `{"hooktest unknown":{"n":[12345678901234567890,0.10000000000000000001,1e400,-0.0]},"hooktest größe":null}`

func roundTrip[T any](t testing.TB, what string, allowed map[exception]bool) {
	t.Helper()
	values := Values[T]()
	check(t, func(t *rapid.T) {
		text, err := wire.Of(values.Draw(t, what))
		if err != nil {
			t.Fatalf("the %s does not encode to a JSON object: %v", what, err)
		}
		if !allowed[dropsUnknown] {
			text = text.Merge(wire.Object(strangers))
		}
		if again := reencode[T](t, what, text); again != canonical(text) {
			t.Fatalf("the %s changes on its way through JSON; members that it does not know need a field jsontext.Value with "+
				"the tag `json:\",embed\"`, or the exception DropsUnknown:\nbefore %s\nafter  %s", what, canonical(text), again)
		}
	})
}

// reencode decodes an object into a T, and returns the JSON of the T.
func reencode[T any](t *rapid.T, what string, text wire.Object) string {
	var v T
	if err := text.Into(&v); err != nil {
		t.Fatalf("the %s cannot be read from what it was written to: %v\n%s", what, err, text)
	}
	again, err := wire.Of(v)
	if err != nil {
		t.Fatalf("the %s that was read from %s cannot be encoded: %v", what, text, err)
	}
	return canonical(again)
}

// canonical sorts members; numbers stay as written.
func canonical(text wire.Object) string {
	v := jsontext.Value(slices.Clone(text))
	sorted := []jsontext.Options{jsontext.ReorderRawObjects(true), jsontext.AllowInvalidUTF8(true)}
	if err := v.Format(sorted...); err != nil {
		return string(text)
	}
	return string(v)
}
