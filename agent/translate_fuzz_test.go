package agent

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// dialects are all that call tools in their own words.
var dialects = []*Dialect{Claude(ClaudeConfig{}), LLxprt(LLxprtConfig{}), Xcsh(XcshConfig{})}

// FuzzTranslation looks at a tool and at the arguments of a call, both of which come from
// outside: what a host may declare, every dialect sees a call of, and what no hook has
// changed stays as it is in the host.
func FuzzTranslation(f *testing.F) {
	f.Add("execute_command", int(Shell), "command", "cmd", "", `{"cmd":"ls","cwd":"/w"}`)
	f.Add("put_file", int(Write), "path", "content", "content", `{"content":"a","path":"b","file_path":"c"}`)
	f.Add("look", int(Read), "", "", "", `{"absolute_path":"a","path":"b","path":"c"}`)
	f.Add("x", 99, "path", "p", "p", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"path":9}`)
	f.Add("y", int(Edit), "old", "new", "old", `[1]`)
	f.Fuzz(func(t *testing.T, name string, kind int, canonical, host, other, args string) {
		if len(args) > 1<<12 {
			return // the decoder of JSON is what would be tested
		}
		tool := Tool{Name: name, Kind: Kind(kind), Server: "s", Args: map[string]string{canonical: host, "path": other}}
		if other == "" {
			delete(tool.Args, "path")
		}
		if tool.check() != nil {
			return // Open refuses it, and says why
		}
		call := &ToolCall{Name: name, Input: wire.Object(args)}
		if checkArguments(call) != nil {
			return // so does BeforeTool
		}
		for _, d := range dialects {
			checkView(t, d.name, translate(&tool, d.word), object(call.Input))
		}
	})
}

// checkView looks at what a dialect sees of a call.
func checkView(t *testing.T, dialect string, tr *translated, args wire.Object) {
	t.Helper()
	seen := tr.show(args)
	if err := seen.args.Check(); err != nil {
		t.Fatalf("%s sees %s: %v", dialect, seen.args, err)
	}
	if changes := seen.whole(seen.args); len(changes) > 0 {
		t.Errorf("%s: %s has the changes %v against itself", dialect, seen.args, changes)
	}
	hosts := members(args)
	for _, m := range members(seen.args) {
		back := seen.host(m.name)
		found := false
		for _, h := range hosts {
			found = found || h.name == back && string(h.value) == string(m.value)
		}
		if !found {
			t.Errorf("%s sees %q in %s, which the host would call %q in %s", dialect, m.name, seen.args, back, args)
		}
	}
	if tr.same || !tr.renames(args) { // the text as it stands, also of two members of one name
		return
	}
	slow := view{tr: tr, was: args, back: tr.names(args)}
	if slow.args = slow.first(); !wire.Equal(jsontext.Value(seen.args), jsontext.Value(slow.args)) {
		t.Errorf("%s sees %s; where names clash it would be %s", dialect, seen.args, slow.args)
	}
	for _, c := range seen.patch(seen.args) {
		if c.name == "" && !strings.Contains(string(args), `""`) {
			t.Errorf("%s: a change of an argument without a name: %s", dialect, seen.args)
		}
	}
}
