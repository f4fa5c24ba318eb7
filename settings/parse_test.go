package settings_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/settings"
)

const file = "settings.json"

func parse(t *testing.T, text string) settings.Value {
	t.Helper()
	v, err := settings.Parse(file, []byte(text))
	if err != nil {
		t.Fatalf("Parse(%.100q…): %v", text, err)
	}
	return v
}

func problem(t *testing.T, err error) settings.Problem {
	t.Helper()
	p, ok := errors.AsType[settings.Problem](err)
	if !ok {
		t.Fatalf("got error %v, want a Problem", err)
	}
	if !p.Fatal {
		t.Errorf("%v is not fatal, want a fatal problem", p)
	}
	return p
}

func TestParseReads(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain JSON", ` {"a": [1, true, null, "x"]} `, `{"a":[1,true,null,"x"]}`},
		{"line comments", "// one\n{ // two\n\"a\": 1 // three\n} // four", `{"a":1}`},
		{"block comments anywhere", `/**/{/* , */"a"/*:*/:/*"*/1/* } */}/* ** */`, `{"a":1}`},
		{"a comment over several lines", "{/*\n//\n*/}", `{}`},
		{"trailing commas", `{"a": [1, 2, ], "b": {}, }`, `{"a":[1,2],"b":{}}`},
		{"a trailing comma before a comment", "[1, // one\n]", `[1]`},
		{"a trailing comma behind a comment", "[1 /* one */, ]", `[1]`},
		{"what looks like a comment in a string", `["// no", "/* no */", "\"// no", ",]"]`, `["// no","/* no */","\"// no",",]"]`},
		{"a byte order mark", "\uFEFF{}", `{}`},
		{"an empty file", "", `{}`},
		{"a blank file", " \r\n\t", `{}`},
		{"only a byte order mark", "\uFEFF", `{}`},
		{"only comments", "// nothing yet\n", `{}`},
		{"numbers and strings as they are written", `[1e400, 12345678901234567890, "\u0041"]`, `[1e400,12345678901234567890,"\u0041"]`},
		{"a value that is no object", `"x"`, `"x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(parse(t, tt.text).JSON()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a comma is missing", "{\"a\": 1\n \"b\": 2}", `2:2: a comma is missing before this`},
		{"a colon is missing", `{"a" 1}`, `1:6: a colon is missing between the name and its value`},
		{"a value is missing", `{"a": }`, `1:7: a value or another bracket is missing before this`},
		{"a comma too many", `[1,,2]`, `1:4: this comma follows nothing; remove it, or write a value before it`},
		{"nothing but a comma", `{,}`, `1:2: this comma follows nothing; remove it, or write a value before it`},
		{"two trailing commas", `[1,,]`, `1:4: this comma follows nothing; remove it, or write a value before it`},
		{"a name without quotes", `{a: 1}`, `1:2: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"single quotes", `{'a': 1}`, `1:2: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"typographic quotes", `{"a": “x”}`, `1:7: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"a word", `{"a": yes}`, `1:7: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"a word of Python", `[True]`, `1:2: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"a misspelt word", `{"a": ture}`, `1:7: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"a number with a unit", `{"timeout": 5s}`, `1:13: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"a number without its zero", `[.5]`, `1:2: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"a sign alone", `[-]`, `1:2: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"a quote inside a string", `{"command": "echo "hi""}`, `1:20: text follows the string; write \" for a quote inside a string`},
		{"a path inside a string", `{"command": "echo "./x""}`, `1:20: text follows the string; write \" for a quote inside a string`},
		{"a line break in a string", "[\"a\nb\"]", `1:4: a string cannot go over several lines; close it, or write \n for a line break`},
		{"a tab in a string", "[\"a\tb\"]", `1:4: a string cannot hold this character; write \t for a tab, else \u and four hexadecimal digits`},
		{"a Windows path", `["C:\Users"]`, `1:5: a string has no such escape; write \\ for a backslash`},
		{"half a surrogate pair", `["\ud800"]`, `1:3: this is half a character; write both of its \u escapes, or the character itself`},
		{"a string that is not closed", "{\n \"a\": \"x", `2:7: this is not closed; write " where it ends`},
		{"an object that is not closed", "{\n\"a\": [1]\n", `1:1: this is not closed; write } where it ends`},
		{"an array that is not closed", `{"a": [1`, `1:7: this is not closed; write ] where it ends`},
		{"half a word", `tru`, `1:1: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`},
		{"the wrong bracket", `{"a": [1}`, `1:9: a value or another bracket is missing before this`},
		{"the wrong bracket behind a comma", `{"a": [1,}`, `1:10: a value or another bracket is missing before this`},
		{"the wrong bracket at once", `{]`, `1:2: a value or another bracket is missing before this`},
		{"a bracket that closes nothing", `}`, `1:1: a value or another bracket is missing before this`},
		{"two values", "{}\n{}", `2:1: a file holds one value; remove the text after this value`},
		{"text behind the value", "{} x", `1:4: a file holds one value; remove the text after this value`},
		{"a comment that is not closed", "{} /* x", `1:4: this is not closed; write */ where it ends`},
		{"a slash", "[1 / 2]", `1:4: a comma is missing before this`},
		{"not UTF-8 in a string", "{\n\"a\": \"\xff\"}", `2:7: byte 0xFF is not UTF-8; save the file as UTF-8`},
		{"not UTF-8 in a comment", "// é\xe9\n{}", `1:6: byte 0xE9 is not UTF-8; save the file as UTF-8`},
		{"UTF-16", "\xFF\xFE{\x00}\x00", `1:1: byte 0xFF is not UTF-8; save the file as UTF-8`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := settings.Parse(file, []byte(tt.text))
			if got, want := problem(t, err).String(), file+":"+tt.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestParseStrictWantsPlainJSON(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a line comment", "{\n\"a\": 1 // one\n}", `2:8: comments are not allowed in this file; remove the comment`},
		{"a block comment first", "/* one */ {}", `1:1: comments are not allowed in this file; remove the comment`},
		{"a comment last", "{} // one", `1:4: comments are not allowed in this file; remove the comment`},
		{"a trailing comma in an object", "{\"a\": 1, \n}", `1:8: a comma before the end of an object or array is not allowed in this file; remove it`},
		{"a trailing comma in an array", "[1,]", `1:3: a comma before the end of an object or array is not allowed in this file; remove it`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := settings.ParseStrict(file, []byte(tt.text))
			if got, want := problem(t, err).String(), file+":"+tt.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	for _, text := range []string{"", "\uFEFF {} ", `{"a": "// no, ]"}`} {
		if _, err := settings.ParseStrict(file, []byte(text)); err != nil {
			t.Errorf("ParseStrict(%q): %v, want no error", text, err)
		}
	}
}

// Every string value contains its own position.
func TestPositionsAreThoseOfAnEditor(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"the first byte", `"1:1"`},
		{"behind a byte order mark", "\uFEFF\"1:1\""},
		{"lines that end with LF", "\n[\n \"3:2\",\n\"4:1\"]"},
		{"lines that end with CRLF", "\r\n[\r\n \"3:2\",\r\n\"4:1\"]"},
		{"a tab is one column", "[\n\t\t\"2:3\"]"},
		{"columns are bytes", "[\"1:2\", \"1:9\", /* é😀 */ \"1:29\"]"},
		{"comments before the value", "/* a\nb */ [ // c\n/* d */ \"3:9\"]"},
		{"deep inside", "{\"a\": [{\"b\":\n  {\"c\": [[\"2:11\"]]}}, \"2:23\"]}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var visit func(v settings.Value)
			visit = func(v settings.Value) {
				if said, ok := v.Text(); ok {
					if got, want := v.Position().String(), file+":"+said; got != want {
						t.Errorf("got %s, want %s", got, want)
					}
				}
				for _, in := range v.Elements() {
					visit(in)
				}
				for _, in := range v.Members() {
					visit(in)
				}
			}
			visit(parse(t, tt.text))
		})
	}
}

func TestParseEndsWhateverTheSize(t *testing.T) {
	const mega = 1 << 20
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct{ name, text, want string }{
		{"1000 levels", deep(1000), ""},
		{"1000 levels and brackets that are none", strings.Repeat("[", 1000) + "\"[\\\"[\", /*/ [ */ // [\n" + strings.Repeat("]", 1000), ""},
		{"1001 levels", deep(1001), file + ":1:1001: nested deeper than 1000 levels; write fewer"},
		{"a bomb of arrays", strings.Repeat("[", mega/8), file + ":1:1001: nested deeper than 1000 levels; write fewer"},
		{"a bomb of objects", strings.Repeat(`{"":`, mega/8), file + ":1:4001: nested deeper than 1000 levels; write fewer"},
		{"1 MiB", `"` + strings.Repeat("x", mega-2) + `"`, ""},
		{"more than 1 MiB", strings.Repeat(" ", mega+1), file + ": the file is longer than 1 MiB; shorten it"},
		{"lines without end", strings.Repeat("\n", mega/8), ""},
		{"commas without end", "[" + strings.Repeat(",", mega/8), file + ":1:2: this comma follows nothing; remove it, or write a value before it"},
		{"quotes without end", strings.Repeat(`"`, mega/8), file + ":1:3: a file holds one value; remove the text after this value"},
		{"a comment without end", "/" + strings.Repeat("*", mega/8), file + ":1:1: this is not closed; write */ where it ends"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			_, err := settings.Parse(file, []byte(tt.text))
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if err == nil {
				err = errors.New("")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseDoesNotKeepItsInput(t *testing.T) {
	data := []byte(`{"a": 1, /* x */ }`)
	before := string(data)
	v, err := settings.Parse(file, data)
	if err != nil || string(data) != before {
		t.Fatalf("err %v, the input is now %q, want it unchanged", err, data)
	}
	clear(data)
	if got, want := string(v.JSON()), `{"a":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
