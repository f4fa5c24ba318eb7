package settings_test

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", " ", "\uFEFF{}", "null", `{"a": [1, true, "x\n"], "b": {"c": -1.5e3}}`, "{\r\n\"a\": 1, // x\r\n}",
		"[1, /* é\n */ ]", `{"a": 1, "a": [2,],}`, `[{"a":`, `"\ud800"`, "[1,,]", "/*", "//", "\xFF\xFE", `{"a~/b": [[]]}`, `{a: 'b'}`, "[\"x\ny\"]",
		"[1 /", "{]", `"/*"`, `"\`, "]", `{"a" /*:*/ : 5s}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		strict, strictErr := settings.ParseStrict(file, data)
		v, err := settings.Parse(file, data)
		if err != nil {
			p := problem(t, err)
			checkPlace(t, data, p.Position)
			if p.Message == "" || strings.ContainsAny(p.Message, "\r\n") {
				t.Fatalf("got the message %q, want one line", p.Message)
			}
			if plain(data) {
				t.Fatalf("%v, but it is plain JSON", err)
			}
			if strictErr == nil {
				t.Fatalf("%v, but ParseStrict reads it", err)
			}
			return
		}
		if strictErr == nil && !bytes.Equal(strict.JSON(), v.JSON()) {
			t.Fatalf("ParseStrict reads %s, Parse %s", strict.JSON(), v.JSON())
		}
		if plain(data) {
			if strictErr != nil {
				t.Fatalf("ParseStrict: %v, but it is plain JSON", strictErr)
			}
			checkSame(t, data, v.JSON())
		}
		checkValue(t, data, v, v)
		for _, p := range v.Duplicates() {
			checkPlace(t, data, p.Position)
		}
	})
}

func plain(data []byte) bool { return jsontext.Value(data).IsValid() }

func checkSame(t *testing.T, data []byte, got jsontext.Value) {
	t.Helper()
	var want, have any
	if wantErr, err := json.Unmarshal(data, &want), json.Unmarshal(got, &have); !reflect.DeepEqual(want, have) || (wantErr == nil) != (err == nil) {
		t.Fatalf("%s reads as %s (%v, %v)", data, got, wantErr, err)
	}
}

// checkPlace checks that a position lies within data, or at its end.
func checkPlace(t *testing.T, data []byte, at hook.Position) {
	t.Helper()
	if at == (hook.Position{File: file}) {
		return // a problem of the file as a whole
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	lines := bytes.Split(data, []byte("\n"))
	if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > len(lines[at.Line-1])+1 {
		t.Fatalf("%q: %v is outside of the file", data, at)
	}
}

// checkValue checks v and all nested values: their positions, names and paths from root.
func checkValue(t *testing.T, data []byte, root, v settings.Value) {
	checkPlace(t, data, v.Position())
	if text, ok := v.Text(); ok && !utf8.ValidString(text) {
		t.Fatalf("%q is not UTF-8", text)
	}
	if same := find(root, v.Path()); same != v {
		t.Fatalf("at %s is %s, want %s", v.Path(), same.JSON(), v.JSON())
	}
	for name, in := range v.Members() {
		if text, _ := in.Name().Text(); text != name || v.Get(name) != in {
			t.Fatalf("the member %q is named %q", name, text)
		}
		checkValue(t, data, root, in)
	}
	for _, in := range v.Elements() {
		checkValue(t, data, root, in)
	}
	if text := v.JSON(); !text.IsValid(jsontext.AllowDuplicateNames(true)) {
		t.Fatalf("%s is not JSON", v.JSON())
	}
}

// find walks a JSON pointer from v.
func find(v settings.Value, path string) settings.Value {
	for token := range jsontext.Pointer(path).Tokens() {
		if v.Kind() == '{' {
			v = v.Get(token)
			continue
		}
		for i, in := range v.Elements() {
			if strconv.Itoa(i) == token {
				v = in
				break
			}
		}
	}
	return v
}
