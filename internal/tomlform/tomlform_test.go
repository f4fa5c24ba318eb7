package tomlform_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/snaphook-go/snaphook/internal/tomlform"
	"github.com/snaphook-go/snaphook/settings"
)

func read(text string) (settings.Value, error) {
	v, _, err := settings.Layer{File: "config.toml", Data: []byte(text), Format: tomlform.Convert}.Read()
	return v, err
}

func TestTOMLIsReadAsTheSameJSON(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    `{}`,
		"# nothing":                           `{}`,
		"a = 1":                               `{"a":1}`,
		"a = 0x1F\nb = 1_000\nc = +7\nd = -3": `{"a":31,"b":1000,"c":7,"d":-3}`,
		"a = 1.5\nb = 1e3\nc = +0.5\nd = inf": `{"a":1.5,"b":1e3,"c":0.5,"d":"inf"}`,
		"a = true\nb = false":                 `{"a":true,"b":false}`,
		"a = 1979-05-27":                      `{"a":"1979-05-27"}`,
		`a = "x\ty\u00e9"`:                    `{"a":"x\tyé"}`,
		`a = 'C:\x'`:                          `{"a":"C:\\x"}`,
		"a = \"\"\"\nx\ny\"\"\"":              `{"a":"x\ny"}`,
		"a.b.c = 1\na.b.d = 2":                `{"a":{"b":{"c":1,"d":2}}}`,
		"a = [1, [2], {b = 3}, ]":             `{"a":[1,[2],{"b":3}]}`,
		"[a.\"b:c\"]\nd = 1\n[a.e]\n":         `{"a":{"b:c":{"d":1},"e":{}}}`,
		"[[h.P]]\nm = 1\n[[h.P.hooks]]\nt = 1\n[[h.P.hooks]]\nt = 2\n[[h.S]]\n[[h.P]]\nm = 2": `{"h":{"P":[{"m":1,"hooks":[{"t":1},{"t":2}]},{"m":2}],"S":[{}]}}`,
	} {
		v, err := read(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := string(v.JSON()); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestEveryValueOfTOMLHasItsPlace(t *testing.T) {
	v, err := read("model = \"x\"\n\n[[hooks.PreToolUse]]\nmatcher = \"a\"\n  [[hooks.PreToolUse.hooks]]\n  type   =  \"command\"\n  list = [ 1, { x = 2 } ]\n[[hooks.Stop]]\n[[hooks.PreToolUse]]\nmatcher = \"b\"\n")
	if err != nil {
		t.Fatal(err)
	}
	groups := v.Get("hooks").Get("PreToolUse")
	first, second := settings.Value{}, settings.Value{}
	for i, g := range groups.Elements() {
		if i == 0 {
			first = g
		} else {
			second = g
		}
	}
	var entry settings.Value
	for _, e := range first.Get("hooks").Elements() {
		entry = e
	}
	var inline settings.Value
	for _, e := range entry.Get("list").Elements() {
		inline = e
	}
	for _, tt := range []struct {
		what string
		v    settings.Value
		at   string
		path string
	}{
		{"a value", v.Get("model"), "config.toml:1:9", "/model"},
		{"a group", first, "config.toml:3:9", "/hooks/PreToolUse/0"},
		{"its matcher", first.Get("matcher"), "config.toml:4:11", "/hooks/PreToolUse/0/matcher"},
		{"an entry", entry, "config.toml:5:22", "/hooks/PreToolUse/0/hooks/0"},
		{"a value after blanks", entry.Get("type"), "config.toml:6:13", "/hooks/PreToolUse/0/hooks/0/type"},
		{"an array", entry.Get("list"), "config.toml:7:10", "/hooks/PreToolUse/0/hooks/0/list"},
		{"an inline table", inline, "config.toml:7:15", "/hooks/PreToolUse/0/hooks/0/list/1"},
		{"a group after another event", second.Get("matcher"), "config.toml:10:11", "/hooks/PreToolUse/1/matcher"},
		{"a name", second.Get("matcher").Name(), "config.toml:10:1", "/hooks/PreToolUse/1/matcher"},
	} {
		if got := tt.v.Position().String(); got != tt.at || tt.v.Path() != tt.path {
			t.Errorf("%s is at %s, %s; want %s, %s", tt.what, got, tt.v.Path(), tt.at, tt.path)
		}
	}
}

func TestWhatIsNotTOMLIsRefusedAtItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"a = ":                                   "config.toml:1:",
		"a = 1\na = 2":                           "config.toml:2:1: not TOML: ",
		"x = 1\n[a\n":                            "config.toml:2:",
		"a = 1\n[a]\nb = 1":                      "config.toml:2:2: not TOML: ",
		"a = 1\n[[a]]":                           "config.toml:2:3: not TOML: ",
		"a = \"x":                                "config.toml:1:",
		"a = " + strings.Repeat("[", 101):        "config.toml:1:105: nested deeper than 100 levels",
		"a" + strings.Repeat(".a", 100) + " = 1": "config.toml:1:201: a key of more than 100 parts",
		"{\"hooks\": {}}":                        "config.toml:1:1: not TOML: ",
	} {
		_, err := read(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: error %v; want %s…", text, err, want)
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add("[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ntimeout = 30 # s\n")
	f.Add("a.b = [1, {c = \"\"\"x\"\"\"}, 1979-05-27T07:32:00Z, 0x1, nan]\n[a.d]\n")
	f.Add("\"\\u0000\" = '''\n''' ")
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]any
		wrong := toml.Unmarshal([]byte(text), &want)
		v, err := read(text)
		switch {
		case err != nil && wrong == nil && !strings.Contains(err.Error(), "write fewer") &&
			!strings.Contains(err.Error(), "its JSON form"):
			t.Fatalf("refused %q: %v", text, err)
		case err == nil && wrong != nil:
			t.Fatalf("took %q, which is %v", text, wrong)
		case err != nil:
			return
		}
		var got map[string]any
		if err := json.Unmarshal(v.JSON(), &got); err != nil {
			t.Fatalf("%q became %s: %v", text, v.JSON(), err)
		}
		if g, w := shape(got), shape(want); !reflect.DeepEqual(g, w) {
			t.Fatalf("%q:\ngot  %v\nwant %v", text, g, w)
		}
	})
}

// shape returns a copy of v in which one text stands for all strings, numbers and nulls.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			out[strings.ToValidUTF8(name, "\uFFFD")] = shape(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = shape(v[i])
		}
		return out
	case bool:
		return v
	}
	return "a scalar"
}
