package run

import (
	"bytes"
	"encoding/json" //nolint:depguard // decodes as everybody else does, to be compared with
	"testing"
	"time"
)

func TestTheWishOfADeclarationIsMilliseconds(t *testing.T) {
	for _, test := range []struct {
		line string
		want time.Duration
		ok   bool
	}{
		{`{"async":true}`, 0, true},
		{`{"async":true,"asyncTimeout":15000}`, 15 * time.Second, true},
		{`{"asyncTimeout":0.5,"async":true}`, 500 * time.Microsecond, true},
		{`{"async":true,"asyncTimeout":0}`, 0, true},
		{`{"async":true,"asyncTimeout":-1}`, 0, true},
		{`{"async":true,"asyncTimeout":"15000"}`, 0, true},
		{`{"async":true,"asyncTimeout":null}`, 0, true},
		{`{"async":true,"asyncTimeout":1e300}`, 1<<62 - 1 + 1, true},
		{`{"async":false,"async":true}`, 0, true},
		{`{"async":1}`, 0, false},
		{`{"async":null}`, 0, false},
		{`{"async":true`, 0, false},
		{`"async"`, 0, false},
		{``, 0, false},
	} {
		if got, ok := declaration([]byte(test.line)); got != test.want || ok != test.ok {
			t.Errorf("%s: got %v, %v; want %v, %v", test.line, got, ok, test.want, test.ok)
		}
	}
}

// reads splits a text into pieces like reads of a pipe; the bytes of cuts select the places.
func reads(text, cuts []byte) (parts [][]byte) {
	for _, cut := range cuts {
		size := min(int(cut), len(text))
		parts, text = append(parts, text[:size]), text[size:]
	}
	return append(parts, text)
}

// However an output is split, only its first line can be a declaration, and is reported once.
func FuzzDeclaration(f *testing.F) {
	for _, text := range []string{"{\"async\":true}\nlater", " {\"async\": true, \"asyncTimeout\": 5}\r\n", "{}\n{\"async\":true}\n", "x\n", "{\"async\":true}", "\n{\"async\":true}\n", "{\"x\":\"\\n\",\"async\":true}\n"} {
		f.Add([]byte(text), []byte{1, 0, 3, 7})
	}
	f.Fuzz(func(t *testing.T, text, cuts []byte) {
		line, _, whole := bytes.Cut(text, []byte("\n"))
		wantWish, want := declaration(line)
		var h asyncMarker
		calls := 0
		var got []byte
		for _, part := range reads(text, cuts) {
			got = append(got, part...)
			if wish, ok := h.scan(got); ok {
				if calls++; wish != wantWish {
					t.Fatalf("%q in %v: got wish %v, want %v", text, cuts, wish, wantWish)
				}
			}
		}
		if (calls == 1) != (want && whole) || calls > 1 {
			t.Fatalf("%q in %v: heard %d times; first line declares %v, is whole %v", text, cuts, calls, want, whole)
		}
		var object map[string]any
		if want && json.Unmarshal(line, &object) != nil {
			t.Fatalf("%q is a declaration, but no object", line)
		}
	})
}
