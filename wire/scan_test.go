package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// read returns the members that walk yields; it stops after most members.
func read(walk func(func([]byte, jsontext.Value) bool) error, most int) (members []string, err error) {
	err = walk(func(name []byte, value jsontext.Value) bool {
		members = append(members, fmt.Sprintf("%s=%s", name, value))
		return len(members) < most
	})
	return members, err
}

// sameAsDecoder checks that a walk over o yields the same as the decoder alone, even if the walk
// ends early; for a valid object also that a walk without checks does.
func sameAsDecoder(t *testing.T, o Object) {
	t.Helper()
	for _, most := range []int{1, 2, len(o) + 1} {
		got, err := read(o.walk, most)
		want, wrong := read(func(yield func([]byte, jsontext.Value) bool) error { return o.decode(0, yield) }, most)
		if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(err) != fmt.Sprint(wrong) {
			t.Errorf("%q: at most %d members are %q, %v; want %q, %v", o, most, got, err, want, wrong)
		}
		got, _ = read(func(yield func([]byte, jsontext.Value) bool) error { o.EachMemberOfValid(yield); return nil }, most)
		if len(o) > 0 && o.IsValid() && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: at most %d members without checks are %q, want %q", o, most, got, want)
		}
	}
}

var everyday = []string{
	`{}`, ` { } `, `{"command":"ls -la"}`, `{"a":"é\n\"\\","b":[1,{"c":null}],"a":true}`, `{"a" : -0.5e+3 , "b":[ ] , "c":{ } }`, "\t{\"n\":10,\"f\":false}\n",
}

var odd = []string{
	`{"a":"\\","b":"\\\"","c":"\\\\\"\\","d":["\"",{"e":"\\\\"}]}`, `{"a":"\\\"\\\\","\\":"\"","b":2}`, `{"a":"\"\"\"","b":"\\\"\\\"\""}`,
	``, ` `, `{`, `[1]`, `null`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,}`, `{,}`, `{"a":1}x`, `{"a":1}{}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":-}`, `{"a":1e}`, `{"a":+1}`,
	`{"a":tru}`, `{"a":truex}`, `{"a":nul`, `{"a":"`, `{"a":"\`, `{"a":"\x"}`, `{"a":"\u0041"}`, `{"a":"\ud800"}`, `{"a":"\u00"}`, "{\"a\":\"\x01\"}", "{\"a\":\"\xff\"}", "{\"\xff\":1}",
	`{"é":1}`, `{"\u0061":1}`, "{\"\x7f\":1}", `{"a":[1,]}`, `{"a":[,1]}`, `{"a":[1 2]}`, `{"a":{"b"}}`, `{"a":{"b":1,}}`, `{"a":{"\n":1}}`, `{"a":{b:1}}`, `{"a":[1}`, `{"a":{"b":1]}`,
	`{"a":1,"b":2,"c":tru}`, `{"a":1 "b":2}`, `{"a" 1}`, `{a:1}`, "{\"a\":1}\x00", "\uFEFF{}", `{"a":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}`, `{"a":1,"b":{"c":{}},"d":"\u0000","e":2}`,
}

func TestEverydayObjectsNeedNoDecoder(t *testing.T) {
	for _, o := range everyday {
		if _, done := Object(o).scan(reader{}, func([]byte, jsontext.Value) bool { return true }); !done {
			t.Errorf("%q is left to the decoder", o)
		}
		sameAsDecoder(t, Object(o))
	}
}

func TestWhatIsOddIsWhatTheDecoderSays(t *testing.T) {
	for _, o := range odd {
		sameAsDecoder(t, Object(o))
		sameAsDecoder(t, Object(`{"before":"x","nested":`+o+`,"after":[`+o+`]}`))
	}
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	sameAsDecoder(t, Object(deep))
}

func FuzzWalk(f *testing.F) {
	for _, o := range append(everyday, odd...) {
		f.Add([]byte(o))
	}
	f.Fuzz(func(t *testing.T, o []byte) { sameAsDecoder(t, o) })
}

func BenchmarkWalk(b *testing.B) {
	small := Object(`{"command":"ls -la /tmp","timeout":30}`)
	large := Object(`{"content":` + string(Quote(strings.Repeat("a line of text, \"quoted\"\n", 40_000))) + `}`)
	for name, o := range map[string]Object{"small": small, "large": large} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(o)))
			for b.Loop() {
				_ = o.walk(func([]byte, jsontext.Value) bool { return true })
			}
		})
		b.Run(name+" with a decoder", func(b *testing.B) {
			b.SetBytes(int64(len(o)))
			for b.Loop() {
				_ = o.decode(0, func([]byte, jsontext.Value) bool { return true })
			}
		})
	}
}
