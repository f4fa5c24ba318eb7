package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// show returns the members of an object as "name=value" words.
func show(o wire.Object) string {
	var words []string
	for name, value := range o.Members() {
		words = append(words, name+"="+string(value))
	}
	return strings.Join(words, " ")
}

func TestMembersAreGivenAsTheyStand(t *testing.T) {
	tests := map[string]struct{ object, want string }{
		"nothing":                           {"", ""},
		"no members":                        {"{}", ""},
		"the order stays":                   {`{"b":1,"a":2}`, "b=1 a=2"},
		"equal names are all given":         {`{"a":1,"a":2}`, "a=1 a=2"},
		"white space around is left out":    {" \n{ \"a\" : [ 1 ] ,\t\"b\":{} } ", "a=[ 1 ] b={}"},
		"names are decoded":                 {`{"\u0061\n":"\u0061"}`, "a\n=\"\\u0061\""},
		"big numbers keep their digits":     {`{"n":12345678901234567890.10}`, "n=12345678901234567890.10"},
		"values within values":              {`{"a":{"a":{"b":[{}]}}}`, `a={"a":{"b":[{}]}}`},
		"an array has none":                 {`[1]`, ""},
		"a string has none":                 {`"a"`, ""},
		"null has none":                     {`null`, ""},
		"white space alone":                 {"  ", ""},
		"no JSON":                           {"nonsense", ""},
		"up to where the text breaks":       {`{"a":1,"b":`, "a=1"},
		"a missing comma":                   {`{"a":1 "b":2}`, "a=1"},
		"a name that is no string":          {`{"a":1,2:3}`, "a=1"},
		"a name without an end":             {`{"a`, ""},
		"names that are not UTF-8":          {"{\"a\xff\":1}", "a\uFFFD=1"},
		"what follows the object is no one": {`{"a":1} {"b":2}`, "a=1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := show(wire.Object(test.object)); got != test.want {
				t.Errorf("members %q, want %q", got, test.want)
			}
		})
	}
}

func TestMembersStopWhenTheirConsumerDoes(t *testing.T) {
	seen := 0
	for range wire.Object(`{"a":1,"b":2}`).Members() {
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("%d members after a break, want 1", seen)
	}
}

func TestMembersOutliveTheIteration(t *testing.T) {
	o := wire.Object(`{"a":[1,2,3],"b":"` + strings.Repeat("x", 10_000) + `","c":true}`)
	values := map[string]jsontext.Value{}
	for name, value := range o.Members() {
		values[name] = value
	}
	if a, b, c := string(values["a"]), len(values["b"]), string(values["c"]); a != "[1,2,3]" || b != 10_002 || c != "true" {
		t.Errorf("a %s, b of %d bytes, c %s after the iteration", a, b, c)
	}
	if cap(values["a"]) != len(values["a"]) {
		t.Error("appending to a value would write into the object")
	}
}

func TestIsObject(t *testing.T) {
	for text, want := range map[string]bool{"": true, "{}": true, " {\"a\":1}": true, "[]": false, "null": false, `"{}"`: false, "7": false, " ": false, "x": false} {
		if got := wire.Object(text).IsObject(); got != want {
			t.Errorf("%q is an object: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"": true, "{}": true, "[1]": true, `{"a":null}`: false} {
		if got := wire.Object(text).IsEmpty(); got != want {
			t.Errorf("%q is empty: %v, want %v", text, got, want)
		}
	}
}

func TestGetGivesTheLastOfEqualNames(t *testing.T) {
	o := wire.Object(`{"a":1,"A":2,"\u0061":"\ud83d\ude00","n":null}`)
	if got := string(o.Get("a")); got != `"\ud83d\ude00"` {
		t.Errorf("a is %s", got)
	}
	if got := o.Text("a"); got != "😀" {
		t.Errorf("the text of a is %q", got)
	}
	if got := o.Get("missing"); got != nil {
		t.Errorf("a missing member is %s, want nil", got)
	}
	if got := o.Text("A"); got != "" {
		t.Errorf("the text of a number is %q", got)
	}
}

func TestMergeReplacesMembersWhole(t *testing.T) {
	tests := map[string]struct{ object, patch, want string }{
		"new members follow":            {`{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		"a member keeps its place":      {`{"a":1,"b":2}`, `{"a":3}`, `{"a":3,"b":2}`},
		"the merge is shallow":          {`{"a":{"x":1,"y":2}}`, `{"a":{"x":3}}`, `{"a":{"x":3}}`},
		"null is a value":               {`{"a":1}`, `{"a":null}`, `{"a":null}`},
		"nothing takes the patch":       {``, `{"a":1}`, `{"a":1}`},
		"an empty patch changes no one": {`{ "a" : 1 }`, `{}`, `{ "a" : 1 }`},
		"nil changes nothing":           {`{"a":1}`, ``, `{"a":1}`},
		"a patch that is no object":     {`{"a":1}`, `[{"b":2}]`, `{"a":1}`},
		"into what is no object":        {`[1]`, `{"a":1}`, `{"a":1}`},
		"equal names in the patch":      {`{}`, `{"a":1,"a":2}`, `{"a":2}`},
		"equal names in the object":     {`{"a":1,"b":0,"a":2}`, `{"c":3}`, `{"a":2,"b":0,"c":3}`},
		"names spelled differently":     {`{"\u0061":1}`, `{"a":2}`, `{"a":2}`},
		"big numbers":                   {`{"n":1e999}`, `{"m":12345678901234567890}`, `{"n":1e999,"m":12345678901234567890}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := strings.Clone(test.object)
			object := wire.Object(test.object)
			if got := string(object.Merge(wire.Object(test.patch))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if string(object) != before {
				t.Errorf("the object itself became %s", object)
			}
		})
	}
}

func TestWithAndWithout(t *testing.T) {
	o := wire.Object(`{"a":1,"b":2,"a":3}`)
	for _, test := range []struct{ what, got, want string }{
		{"with a new member", string(o.With("c", jsontext.Value("4"))), `{"a":3,"b":2,"c":4}`},
		{"with another value", string(o.With("a", jsontext.Value(`"x"`))), `{"a":"x","b":2}`},
		{"with a name to escape", string(wire.Object(nil).With("\"\n", jsontext.Value("1"))), `{"\"\n":1}`},
		{"without a value", string(wire.Object(`{"a":1}`).With("b", nil)), `{"a":1}`},
		{"without a name given twice", string(o.Without("a")), `{"b":2}`},
		{"without several", string(o.Without("a", "b")), `{}`},
		{"without none", string(o.Without()), `{"a":1,"b":2,"a":3}`},
		{"without an escaped name", string(wire.Object(`{"\u0061":1,"b":2}`).Without("a")), `{"b":2}`},
		{"nil without", string(wire.Object(nil).Without("a")), `{}`},
		{"an array without", string(wire.Object(`[1]`).Without("a")), `{}`},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.what, test.got, test.want)
		}
	}
}

func TestIntoDecodesLikeJavaScript(t *testing.T) {
	var v struct {
		A int         `json:"a"`
		O wire.Object `json:"o"`
	}
	if err := wire.Object(`{"a":1,"A":5,"a":2,"o":{"x":1.50}}`).Into(&v); err != nil || v.A != 2 || string(v.O) != `{"x":1.50}` {
		t.Errorf("got %+v, err %v", v, err)
	}
	if err := wire.Object(nil).Into(&v); err != nil {
		t.Errorf("nil: %v", err)
	}
	if err := wire.Object(`{"o":[1]}`).Into(&v); err == nil || !strings.Contains(err.Error(), "got an array, want an object") {
		t.Errorf("an array for an object: %v", err)
	}
}

func TestOfWantsAnObject(t *testing.T) {
	o, err := wire.Of(map[string]any{"b": 1, "a": "<&>"})
	if err != nil || string(o) != `{"a":"<&>","b":1}` {
		t.Errorf("got %s, err %v", o, err)
	}
	if _, err := wire.Of([]int{1}); err == nil || !strings.Contains(err.Error(), "an array, want an object") {
		t.Errorf("an array: %v", err)
	}
	if o, err := wire.Of(struct{ In wire.Object }{}); err != nil || string(o) != `{"In":{}}` {
		t.Errorf("a nil object encodes to %s, err %v; want {}", o, err)
	}
	if _, err := wire.Of(struct{ In wire.Object }{In: wire.Object("{broken")}); err == nil {
		t.Error("a broken object was encoded")
	}
}

func TestTextAndQuote(t *testing.T) {
	for value, want := range map[string]string{`"a\tb"`: "a\tb", `""`: "", `"\ud800"`: "\uFFFD", ` "x"`: "x"} {
		if got, ok := wire.Text(jsontext.Value(strings.TrimSpace(value))); !ok || got != want {
			t.Errorf("the text of %s is %q, %v; want %q", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "1", "null", "{}"} {
		if got, ok := wire.Text(jsontext.Value(value)); ok || got != "" {
			t.Errorf("%q has the text %q", value, got)
		}
	}
	for text, want := range map[string]string{"a\"b": `"a\"b"`, "\xff": "\"\uFFFD\"", "<é>": `"<é>"`, "\u2028": "\"\u2028\""} {
		if got := string(wire.Quote(text)); got != want {
			t.Errorf("%q quoted is %s, want %s", text, got, want)
		}
	}
}

func FuzzMerge(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":1}`, `{"a":2,"b":3}`}, {``, `{"a":1}`}, {`{"a":1,"a":2}`, `{}`}, {`[1]`, `{"a":1}`}, {`{"a":`, `{"b":1}`}, {`{"\u0061":1}`, `{"a":2}`}, {"{\"\xff\":1}", "{\"\uFFFD\":2}"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, object, patch string) {
		merged := wire.Object(object).Merge(wire.Object(patch))
		want := map[string]string{}
		for _, part := range []string{object, patch} {
			for name, value := range wire.Object(part).Members() {
				want[name] = string(value)
			}
		}
		got := map[string]string{}
		for name, value := range merged.Members() {
			got[name] = string(value)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q merged with %q is %q: members %q, want %q", object, patch, merged, got, want)
		}
	})
}

func TestCheckWantsOneObject(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "{}": true, ` {"a":1} `: true, `{"a":1,"a":2}`: true,
		"00": false, "null null": false, `"a" "b"`: false, "[1]": false, "7": false, "{}{}": false, `{"a":1`: false,
	} {
		o := wire.Object(text)
		if err := o.Check(); (err == nil) != want {
			t.Errorf("%q: %v; want an object: %v", text, err, want)
		}
		if ok := o.EachMember(func([]byte, jsontext.Value) bool { return true }); ok != want {
			t.Errorf("%q: EachMember says %v; want %v", text, ok, want)
		}
	}
}

// FuzzIsValid compares IsValid with the check of package jsontext.
func FuzzIsValid(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, ` {"a" : [1, "b\u00e9", {"c": null}], "a": true} `, `{"a":1}x`, `{"a":1},`, `{"a":"\ud800"}`, "{\"\xff\":\"\xff\"}",
		`{"a":01}`, `[1]`, `"a"`, `{"a"`, `{"a":1,}`, `{"\u0061":"\x"}`, "{\"a\":\"\n\"}", `{"a":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := jsontext.Value(text)
		want := text == "" || v.Kind() == '{' && v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if got := wire.Object(text).IsValid(); got != want {
			t.Errorf("%q: valid %v, want %v", text, got, want)
		}
	})
}

func TestUniqueKeepsTheLastValueOfEachName(t *testing.T) {
	if got := wire.Object(`{}`).Unique(); string(got) != `{}` {
		t.Errorf("an empty object becomes %q", got)
	}
	for o, want := range map[string]string{
		``: ``, `{"a":1,"b":2}`: `{"a":1,"b":2}`, `{"a":1,"b":2,"a":{"c":3}}`: `{"a":{"c":3},"b":2}`,
		`{"a":1,"\u0061":2}`: `{"a":2}`, `[1]`: `[1]`,
	} {
		if got := show(wire.Object(o).Unique()); got != show(wire.Object(want)) {
			t.Errorf("%s: got %s, want %s", o, got, want)
		}
	}
}
