package settings_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

func TestGet(t *testing.T) {
	v := parse(t, `{"a": 1, "b": null, "a": 2, "A": 3, "\u0062c": 4, "": 5}`)
	for name, want := range map[string]string{"a": "2", "b": "null", "A": "3", "bc": "4", "": "5", "nope": ""} {
		if got := v.Get(name); string(got.JSON()) != want || got.Exists() != (want != "") {
			t.Errorf("Get(%q) is %s, exists %v; want %s", name, got.JSON(), got.Exists(), want)
		}
	}
	if v.Get("a").Get("x").Exists() {
		t.Error("a number has members, want none")
	}
}

func TestMembersAreInTheOrderOfTheFileEachNameOnce(t *testing.T) {
	var got []string
	for name, value := range parse(t, `{"z": 1, "a": {"x": [2]}, "\u007a": 3, "b": 4}`).Members() {
		got = append(got, fmt.Sprintf("%s=%s at %d", name, value.JSON(), value.Position().Column))
	}
	want := []string{`a={"x":[2]} at 15`, `z=3 at 37`, `b=4 at 45`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestElements(t *testing.T) {
	var got []string
	for i, v := range parse(t, `[[1, 2], {"a": 3}, null]`).Elements() {
		got = append(got, fmt.Sprintf("%d %s %s", i, v.JSON(), v.Path()))
	}
	want := []string{`0 [1,2] /0`, `1 {"a":3} /1`, `2 null /2`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestIterationsCanStopAndNeedTheRightKind(t *testing.T) {
	v := parse(t, `{"a": [1, 2], "b": 2}`)
	for range v.Members() {
		break
	}
	for range v.Get("a").Elements() {
		break
	}
	if n := len(maps.Collect(v.Elements())) + len(maps.Collect(v.Get("a").Members())); n != 0 {
		t.Errorf("got %d elements of an object and members of an array, want 0", n)
	}
}

func TestScalars(t *testing.T) {
	v := parse(t, `["a\n\u00e9", true, false, -1.5e2, 1e400, null, {}]`)
	element := slices.Collect(maps.Values(maps.Collect(v.Elements())))
	slices.SortFunc(element, func(a, b settings.Value) int { return strings.Compare(a.Path(), b.Path()) })
	type scalar struct {
		Text    string
		IsText  bool
		Bool    bool
		IsBool  bool
		Number  float64
		IsNumer bool
	}
	var got []scalar
	for _, e := range append(element, settings.Value{}) {
		var s scalar
		s.Text, s.IsText = e.Text()
		s.Bool, s.IsBool = e.Bool()
		s.Number, s.IsNumer = e.Number()
		got = append(got, s)
	}
	want := []scalar{
		{Text: "a\né", IsText: true}, {Bool: true, IsBool: true}, {IsBool: true},
		{Number: -150, IsNumer: true}, {Number: math.Inf(1), IsNumer: true}, {}, {}, {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPathIsAJSONPointer(t *testing.T) {
	v := parse(t, `{"hooks": {"Before/Tool~": [{"hooks": [1, {"timeout": 5}]}]}}`)
	v = v.Get("hooks")
	for range 2 {
		for _, in := range v.Members() {
			v = in
		}
		for _, in := range v.Elements() {
			v = in
		}
	}
	timeout := v.Get("timeout")
	want := "/hooks/Before~1Tool~0/0/hooks/1/timeout"
	if got := timeout.Path(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := timeout.Name().Path(); got != want {
		t.Errorf("the name has path %q, want %q", got, want)
	}
	if got := parse(t, "{}").Path(); got != "" {
		t.Errorf("the file has path %q, want none", got)
	}
}

func TestNameHasItsOwnPlace(t *testing.T) {
	v := parse(t, `{"BeforeTol": [1]}`).Get("BeforeTol")
	name := v.Name()
	if text, _ := name.Text(); text != "BeforeTol" || name.Position().Column != 2 {
		t.Errorf("got %q in column %d, want BeforeTol in column 2", text, name.Position().Column)
	}
	for _, in := range v.Elements() {
		if in.Name().Exists() {
			t.Error("an element has a name, want none")
		}
	}
	if name.Name().Exists() || (settings.Value{}).Name().Exists() {
		t.Error("a name or a value that is not there has a name, want none")
	}
}

func TestWantSaysWhatIsThere(t *testing.T) {
	v := parse(t, `{"a": 1, "b": "x", "c": true, "d": null, "e": [], "f": {}}`)
	for name, want := range map[string]string{
		"a": "settings.json:1:7: got a number, want a string", "b": "settings.json:1:15: got a string, want a string",
		"c": "settings.json:1:25: got true, want a string", "d": "settings.json:1:36: got null, want a string",
		"e": "settings.json:1:47: got an array, want a string", "f": "settings.json:1:56: got an object, want a string",
		"g": "settings.json:1:1: got nothing, want a string",
	} {
		got := v.Get(name).Want("a string")
		if got.String() != want || got.Error() != want || got.Fatal {
			t.Errorf("got %s, fatal %v; want %s", got, got.Fatal, want)
		}
	}
}

func TestValueThatIsNotThere(t *testing.T) {
	var v settings.Value
	if v.Exists() || v.Kind() != 0 || v.JSON() != nil || v.Position() != (hook.Position{}) || v.Path() != "" || v.Duplicates() != nil {
		t.Errorf("got %v %v %s %v %q, want nothing at all", v.Exists(), v.Kind(), v.JSON(), v.Position(), v.Path())
	}
}

func TestDuplicates(t *testing.T) {
	v := parse(t, `{
  "hooks": {"BeforeTool": [{"type": "command", "type": "plugin"}], "AfterTool": []},
  "other": [{"x": 1}, {"x": 2}],
  "hooks": {"Before\u0054ool": 1, "BeforeTool": 2, "BeforeTool": 3}
}`)
	want := []string{
		`settings.json:2:48: "type" is given twice; the last value counts: merge both, the other is in line 2, column 29 /hooks/BeforeTool/0/type`,
		`settings.json:4:3: "hooks" is given twice; the last value counts: merge both, the other is in line 2, column 3 /hooks`,
		`settings.json:4:35: "BeforeTool" is given twice; the last value counts: merge both, the other is in line 4, column 13 /hooks/BeforeTool`,
		`settings.json:4:52: "BeforeTool" is given twice; the last value counts: merge both, the other is in line 4, column 13 /hooks/BeforeTool`,
	}
	var got []string
	for _, p := range v.Duplicates() {
		got = append(got, p.String()+" "+p.Path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := len(v.Get("hooks").Duplicates()); got != 2 {
		t.Errorf("got %d duplicates in the second hooks, want 2", got)
	}
	if got := v.Get("other").Duplicates(); got != nil {
		t.Errorf("got %v for equal names in two objects, want none", got)
	}
}

func TestDuplicatesAreCheapAndFew(t *testing.T) {
	const n = 1 << 13
	for name, text := range map[string]string{
		"one object":    `{` + strings.Repeat(`"a": 1, `, n) + `}`,
		"many objects":  `[` + strings.Repeat(`{"a":1,"a":2},`, n) + `]`,
		"deep objects":  strings.Repeat(`{"a":1,"a":`, 900) + `[` + strings.Repeat(`{},`, n) + `]` + strings.Repeat(`}`, 900),
		"a long name":   `{"` + strings.Repeat("x", 1<<19) + `": [` + strings.Repeat(`{"a":1,"a":2},`, n) + `]}`,
		"no duplicates": `[` + strings.Repeat(`{"a":1,"b":2},`, n) + `]`,
	} {
		v := parse(t, text)
		start := time.Now()
		got := v.Duplicates()
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if want := 20; name == "no duplicates" && len(got) != 0 || name != "no duplicates" && len(got) != want {
			t.Errorf("%s: got %d problems, want %d", name, len(got), want)
		}
	}
}
