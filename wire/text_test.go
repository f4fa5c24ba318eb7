package wire_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

func TestAnswerIsFoundInWhatAHookPrinted(t *testing.T) {
	const text = "(text)"
	tests := map[string]struct{ printed, want string }{
		"nothing":                              {"", ""},
		"white space":                          {" \r\n\t", ""},
		"an object":                            {`{"a":1}`, `{"a":1}`},
		"an empty object is an answer":         {`{}`, `{}`},
		"white space around":                   {"\n {\"a\":1} \n", `{"a":1}`},
		"a byte order mark":                    {"\uFEFF{\"a\":1}", `{"a":1}`},
		"white space of other kinds":           {"\u00A0\u2003{}\u2028", `{}`},
		"an array":                             {`[1]`, `[1]`},
		"true":                                 {`true`, `true`},
		"a number":                             {`42`, `42`},
		"null is silence":                      {`null`, ""},
		"false is silence":                     {`false`, ""},
		"zero is silence":                      {`0`, ""},
		"every zero is":                        {`-0.0e5`, ""},
		"a number too small to tell from zero": {`1e-999`, ""},
		"a number too large for a float":       {`1e999`, `1e999`},
		"an empty string is silence":           {`""`, ""},
		"a string is decoded again":            {`"{\"a\":1}"`, `{"a":1}`},
		"with white space in it":               {`" {} "`, `{}`},
		"a null in a string":                   {`"null"`, ""},
		"an empty string in a string":          {`"\"\""`, ""},
		"a string in a string is no object":    {`"\"{}\""`, `"{}"`},
		"a string of plain text":               {`"hello"`, text},
		"a string of white space":              {`"  "`, text},
		"plain text":                           {"all fine", text},
		"text before JSON":                     {"Welcome!\n{\"decision\":\"deny\"}", text},
		"text behind JSON":                     {`{"decision":"deny"} done`, text},
		"two documents":                        {"{}\n{}", text},
		"JSON that breaks off":                 {`{"a":`, text},
		"a comment":                            {`{} // fine`, text},
		"a trailing comma":                     {`{"a":1,}`, text},
		"single quotes":                        {`{'a':1}`, text},
		"NaN":                                  {`NaN`, text},
		"equal names":                          {`{"a":1,"a":2}`, `{"a":1,"a":2}`},
		"a byte that is not UTF-8":             {"{\"a\":\"\xff\"}", "{\"a\":\"\xff\"}"},
		"half a surrogate pair":                {`{"a":"\ud800"}`, `{"a":"\ud800"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v, err := wire.Answer([]byte(test.printed))
			got := string(v)
			if err != nil {
				got = text
			}
			if got != test.want || err != nil && (v != nil || !errors.Is(err, wire.ErrText)) {
				t.Errorf("the answer in %q is %q, err %v; want %q", test.printed, v, err, test.want)
			}
			if silent := v == nil && err == nil; silent != (test.want == "") {
				t.Errorf("silent %v", silent)
			}
		})
	}
}

// The table follows the Encoding Standard, "UTF-8 decoder": a character that breaks off becomes one U+FFFD, for the
// longest piece that could begin a character.
func TestValidReplacesLikeBrowsersDo(t *testing.T) {
	tests := map[string]struct{ bytes, want string }{
		"nothing":                              {"", ""},
		"text":                                 {"aé€😀", "aé€😀"},
		"U+FFFD itself":                        {"\uFFFD", "\uFFFD"},
		"a byte that begins nothing":           {"a\x80b", "a\uFFFDb"},
		"two of them":                          {"\x80\xBF", "\uFFFD\uFFFD"},
		"bytes that are never used":            {"\xC0\xAF\xFE\xFF", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		"one byte of two":                      {"\xC3", "\uFFFD"},
		"one byte of two, and text":            {"\xC3A", "\uFFFDA"},
		"two bytes of three":                   {"\xE2\x82", "\uFFFD"},
		"two bytes of three, and text":         {"\xE2\x82A", "\uFFFDA"},
		"three bytes of four":                  {"\xF0\x9F\x98", "\uFFFD"},
		"three bytes of four, and text":        {"\xF0\x9F\x98A", "\uFFFDA"},
		"two bytes of four, then another":      {"\xF0\x9F\xE2\x82\xAC", "\uFFFD€"},
		"half a surrogate pair":                {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
		"a long form of three bytes":           {"\xE0\x80\xAF", "\uFFFD\uFFFD\uFFFD"},
		"a long form of four bytes":            {"\xF0\x80\x80\xAF", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		"beyond the last character":            {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		"beginnings without ends":              {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "\uFFFD\uFFFD\uFFFD\uFFFDA"},
		"an end in place of a second byte":     {"\xF0\xC3\xA9", "\uFFFDé"},
		"text before and behind what is wrong": {"€\xE2\x82€", "€\uFFFD€"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := wire.Valid([]byte(test.bytes)); got != test.want {
				t.Errorf("%q is %q, want %q", test.bytes, got, test.want)
			}
		})
	}
}

func TestTrimRemovesWhatJavaScriptDoes(t *testing.T) {
	space := "\t\n\v\f\r \u00A0\u1680\u2000\u2005\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF"
	if got := string(wire.Trim([]byte(space + "a b" + space))); got != "a b" {
		t.Errorf("got %q, want %q", got, "a b")
	}
	if got := wire.Trim([]byte(space)); len(got) != 0 {
		t.Errorf("of white space %q is left", got)
	}
	for _, text := range []string{"\u0085", "\u180E", "\u200B", "\u2060", "\x00", "\xff", "\uFFFD"} {
		if got := string(wire.Trim([]byte(text))); got != text {
			t.Errorf("%q was trimmed to %q", text, got)
		}
	}
}

func TestKindsAreNamed(t *testing.T) {
	for value, want := range map[string]string{"null": "null", "true": "a boolean", "false": "a boolean", `""`: "a string", "-1": "a number", "[]": "an array", "{}": "an object", "x": "no JSON"} {
		if got := wire.KindName(jsontext.Value(value).Kind()); got != want {
			t.Errorf("%s is %s, want %s", value, got, want)
		}
	}
}
