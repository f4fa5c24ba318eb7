package rename

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// FuzzNames renames the members of an arbitrary object: the view is one JSON object, it has no changes against itself,
// and renaming its members back gives members of the original.
func FuzzNames(f *testing.F) {
	f.Add("cmd", "command", "", "", `{"cmd":"ls","cwd":"/w"}`)
	f.Add("target", "file_path", "path", "file_path", `{"content":"a","path":"b","target":"c","file_path":"d"}`)
	f.Add("path", "absolute_path", "", "", `{"absolute_path":"a","path":"b","path":"c"}`)
	f.Add("old", "new", "new", "old", `{"old":1,"new":2,"a":1,"a":2}`)
	f.Add("path", "p", "", "", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"path":9}`)
	f.Fuzz(func(t *testing.T, one, theirOne, two, theirTwo, text string) {
		o := wire.Object(text)
		if len(text) > 1<<12 || !utf8.ValidString(strings.Join([]string{one, theirOne, two, theirTwo}, " ")) {
			return // callers have checked the names
		}
		n := New(map[string]string{one: theirOne, two: theirTwo}, map[string]string{theirOne: one, theirTwo: two})
		var seen View
		if ok := seen.Show(n, o); ok != (o.Check() == nil) {
			t.Fatalf("%s is an object: %v; want %v", o, ok, !ok)
		} else if !ok {
			return
		}
		if err := seen.Object.Check(); err != nil {
			t.Fatalf("%s is shown as %s: %v", o, seen.Object, err)
		}
		if changes := seen.Whole(seen.Object); len(changes) > 0 {
			t.Errorf("%s has the changes %v against itself", seen.Object, changes)
		}
		ours := map[string]string{}
		for _, m := range members(o) {
			ours[m.Name] = string(m.Value)
		}
		for i, c := range seen.Patch(seen.Object) {
			if value, there := ours[c.Name]; !there || value != string(c.Value) {
				t.Errorf("%s is shown as %s, whose member %d is %q: %s of ours", o, seen.Object, i, c.Name, c.Value)
			}
		}
		if string(seen.Object) == text { // unchanged text is right, even if two of its members have one name
			return
		}
		slow := View{names: n, was: o, back: n.names(o)}
		if slow.Object = slow.first(); !wire.Equal(jsontext.Value(seen.Object), jsontext.Value(slow.Object)) {
			t.Errorf("%s is shown as %s; where names clash it would be %s", o, seen.Object, slow.Object)
		}
	})
}

func TestChangesAreAppliedInTheirOrder(t *testing.T) {
	got := Apply(wire.Object(`{"a":1,"b":2}`), []Change{
		{"a", jsontext.Value("3")}, {"b", nil}, {"a", jsontext.Value("4")}, {"c", jsontext.Value("5")}, {"d", nil},
	})
	if want := `{"a":4,"c":5}`; !wire.Equal(jsontext.Value(got), jsontext.Value(want)) {
		t.Errorf("got %s; want %s", got, want)
	}
}
