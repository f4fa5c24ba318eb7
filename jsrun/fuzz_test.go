package jsrun

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzValues sends JSON through a handler that returns it. The expected value has numbers as
// float64 and the last of equal names, like JavaScript.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{
		`null`, `0`, `-0`, `1e300`, `9007199254740993`, `""`, `"\ud800"`, `"\u0000\u2028"`, `[[],{}]`,
		`{"__proto__":{"a":1},"constructor":null,"toJSON":1,"then":2}`, `{"1":1,"0":0}`, `{"a":1,"a":2}`, "\"\xff\"", `],[`, ` [ 1 , 2 ] `,
		`{"$function":1}`,
	} {
		f.Add([]byte(seed))
	}
	a := handling(f, "e => e", Options{})
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			t.Skip()
		}
		got, err := a.fire(t.Context(), "call", string(text))
		var want, have any
		if json.Unmarshal(text, &want) != nil {
			return // not JSON, or a number or nesting that JavaScript cannot hold
		}
		if err != nil {
			if depth(text) < 1000 {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		if err := json.Unmarshal(got, &have); err != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%s came back as %s, %v", text, got, err)
		}
	})
}

// depth returns an upper limit of the nesting of text.
func depth(text []byte) (n int) {
	for _, c := range text {
		if c == '[' || c == '{' {
			n++
		}
	}
	return n
}
