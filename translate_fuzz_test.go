package snaphook

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/wire"
)

// dialects lists the dialects of this package, which all translate the names of tools.
var dialects = []*Dialect{Claude(ClaudeConfig{}), LLxprt(LLxprtConfig{}), Xcsh(XcshConfig{})}

// FuzzTranslation checks tools and arguments, both of which come from outside: every dialect sees a
// valid call of every tool that Open accepts, and the host gets back unchanged each value that no
// hook has changed.
func FuzzTranslation(f *testing.F) {
	f.Add("execute_command", int(Shell), "command", "cmd", "", `{"cmd":"ls","cwd":"/w"}`)
	f.Add("put_file", int(Write), "path", "content", "content", `{"content":"a","path":"b","file_path":"c"}`)
	f.Add("look", int(Read), "", "", "", `{"absolute_path":"a","path":"b","path":"c"}`)
	f.Add("x", 99, "path", "p", "p", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"path":9}`)
	f.Add("y", int(Edit), "old", "new", "old", `[1]`)
	f.Fuzz(func(t *testing.T, name string, kind int, canonical, host, other, args string) {
		if len(args) > 1<<12 {
			return // the input would only test the JSON decoder
		}
		tool := Tool{Name: name, Kind: Kind(kind), Server: "s", Args: map[string]string{canonical: host, "path": other}}
		if other == "" {
			delete(tool.Args, "path")
		}
		if tool.check() != nil {
			return // Open refuses the tool with an error
		}
		call := &ToolCall{Name: name, Input: wire.Object(args)}
		if call.Input.Check() != nil {
			return // BeforeTool refuses the call too
		}
		for _, d := range dialects {
			checkView(t, d.name, d.translate(&tool), object(call.Input))
		}
	})
}

// checkView checks the arguments of a call as a dialect sees them.
func checkView(t *testing.T, dialect string, tr *translated, args wire.Object) {
	t.Helper()
	var seen rename.View
	seen.Show(tr.args, args)
	if err := seen.Object.Check(); err != nil {
		t.Fatalf("%s sees %s: %v", dialect, seen.Object, err)
	}
	if changes := seen.Whole(seen.Object); len(changes) > 0 {
		t.Errorf("%s: %s has the changes %v against itself", dialect, seen.Object, changes)
	}
	hosts := (&rename.View{Object: args}).Patch(args)
	for _, c := range seen.Patch(seen.Object) {
		found := false
		for _, h := range hosts {
			found = found || h.Name == c.Name && string(h.Value) == string(c.Value)
		}
		if !found {
			t.Errorf("%s sees %s, of which the host would call a member %q in %s", dialect, seen.Object, c.Name, args)
		}
		if c.Name == "" && !strings.Contains(string(args), `""`) {
			t.Errorf("%s: a change of an argument without a name: %s", dialect, seen.Object)
		}
	}
}
