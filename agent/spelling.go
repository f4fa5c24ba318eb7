package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// words are what the dialects call a tool, or an argument of one, where they do not use
// its canonical name. A second word of a dialect, after a "|", is one that its hooks may
// answer with. Hosts are further words by which an argument of a host is recognised.
type words struct{ claude, llxprt, xcsh, hosts string }

// kinds are the kinds of tools, with their arguments by their canonical names. The tool
// of an MCP server has its name and that of the server in its words.
var kinds = [...]struct {
	name string
	tool words
	args map[string]words
}{
	Shell: {"Shell", words{"Bash", "run_shell_command", "bash", ""}, map[string]words{
		"command": {hosts: "cmd"}, "timeout": {}, "description": {},
	}},
	Read: {"Read", words{"Read", "read_file", "read", ""}, map[string]words{
		"path": {"file_path", "absolute_path|file_path", "", ""}, "offset": {}, "limit": {},
	}},
	Write: {"Write", words{"Write", "write_file", "write", ""}, map[string]words{
		"path": {"file_path", "file_path", "", "absolute_path"}, "content": {},
	}},
	Edit: {"Edit", words{"Edit", "replace", "edit", ""}, map[string]words{
		"path": {"file_path", "file_path", "", "absolute_path"},
		"old":  {"old_string", "old_string", "oldText", ""},
		"new":  {"new_string", "new_string", "newText", ""},
		"all":  {"replace_all", "replace_all", "", ""},
	}},
	List: {"List", words{"LS", "list_directory", "ls", ""}, map[string]words{"path": {hosts: "dir_path"}}},
	Glob: {"Glob", words{"Glob", "glob", "find", ""}, map[string]words{"pattern": {}, "path": {hosts: "dir_path"}}},
	Grep: {"Grep", words{"Grep", "search_file_content", "grep", ""}, map[string]words{
		"pattern": {}, "path": {hosts: "dir_path"}, "include": {"glob", "", "glob", ""},
	}},
	Fetch:  {"Fetch", words{"WebFetch", "web_fetch", "fetch", ""}, map[string]words{"url": {}, "prompt": {}}},
	Search: {"Search", words{"WebSearch", "google_web_search", "web_search", ""}, map[string]words{"query": {}}},
	Task: {"Task", words{"Task", "task", "task", ""}, map[string]words{
		"prompt": {}, "description": {}, "agent": {"subagent_type", "subagent_name", "", ""},
	}},
	Todo:  {"Todo", words{"TodoWrite", "todo_write", "todo_write", ""}, map[string]words{"todos": {}}},
	MCP:   {name: "MCP", tool: words{"mcp__%s__%s", "mcp__%s__%s", "mcp_%s_%s", ""}},
	Other: {name: "Other"},
}

// all are the words of every dialect and host.
func (w words) all() []string {
	return strings.FieldsFunc(strings.Join([]string{w.claude, w.llxprt, w.xcsh, w.hosts}, "|"), func(r rune) bool {
		return r == '|'
	})
}

// translated is a host's tool in a dialect.
type translated struct {
	name string              // the dialect's
	in   map[string]argument // the dialect's name of an argument, by the host's
	out  map[string]string   // the host's, by the dialect's
	same bool                // no argument has another name
}

// argument is a dialect's name of one, and the same as JSON.
type argument struct {
	name   string
	quoted []byte
}

func quote(name string) argument { return argument{name, wire.Quote(name)} }

// translate puts a tool into the words of a dialect.
func translate(t *Tool, word func(words) string) *translated {
	tr := &translated{name: t.Name, in: map[string]argument{}, out: map[string]string{}, same: true}
	if word == nil {
		return tr
	}
	kind := kinds[t.Kind]
	if name := word(kind.tool); t.Kind == MCP {
		tr.name = fmt.Sprintf(name, t.Server, t.Name)
	} else if name != "" {
		tr.name = name
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(kind.args)), maps.Keys(t.Args))
	slices.Sort(names)
	for _, canonical := range slices.Compact(names) {
		tr.add(t, canonical, kind.args[canonical], word)
	}
	for host, theirs := range tr.in {
		tr.same = tr.same && host == theirs.name
	}
	return tr
}

// add maps one argument. What the tool's Args name is the host's beyond doubt.
func (tr *translated) add(t *Tool, canonical string, w words, word func(words) string) {
	first, second, _ := strings.Cut(cmp.Or(word(w), canonical), "|")
	named := slices.Collect(maps.Values(t.Args))
	host, mapped := t.Args[canonical]
	if !mapped {
		if slices.Contains(named, canonical) {
			return // the host calls another argument so
		}
		host = canonical
		for _, alias := range w.all() {
			if _, taken := tr.in[alias]; !taken && alias != canonical && !slices.Contains(named, alias) {
				tr.in[alias] = quote(first)
			}
		}
	}
	tr.in[host], tr.out[first] = quote(first), host
	if second != "" {
		tr.out[second] = host
	}
}

// view is a call as a dialect sees it.
type view struct {
	name string
	args wire.Object

	tr   *translated       // nil: names are the same
	was  wire.Object       // the host's arguments
	back map[string]string // the host's names, by the dialect's; nil until one is asked for
}

// show returns a call of the host to a dialect.
func (tr *translated) show(args wire.Object) view {
	if tr.same {
		return view{name: tr.name, args: args}
	}
	if !tr.renames(args) {
		return view{name: tr.name, args: args, tr: tr, was: args}
	}
	v := view{name: tr.name, tr: tr, was: args}
	var clash bool
	if v.args, clash = tr.renamed(args); clash {
		v.back = tr.names(args)
		v.args = v.first()
	}
	return v
}

// renames reports whether an argument of a call has another name in the dialect.
func (tr *translated) renames(args wire.Object) (found bool) {
	args.EachMember(func(name []byte, _ jsontext.Value) bool {
		theirs, mapped := tr.in[string(name)]
		found = mapped && theirs.name != string(name)
		return !found
	})
	return found
}

// renamed are the arguments in the dialect's names, or says that two of them have one name
// then. So it says of more than a few, which are not looked at for that.
func (tr *translated) renamed(args wire.Object) (now wire.Object, clash bool) {
	var seen [8]string
	n := 0
	b := make([]byte, 1, len(args)+32)
	b[0] = '{'
	args.EachMember(func(name []byte, value jsontext.Value) bool {
		theirs, mapped := tr.in[string(name)]
		if !mapped {
			theirs.name = string(name)
		}
		if clash = n == len(seen) || slices.Contains(seen[:n], theirs.name); clash {
			return false
		}
		seen[n] = theirs.name
		n++
		if !mapped {
			b = appendMember(b, theirs.name, value)
			return true
		}
		b = append(comma(b), theirs.quoted...)
		b = append(append(b, ':'), value...)
		return true
	})
	if clash {
		return nil, true
	}
	return append(b, '}'), false
}

// names are the host's names of the arguments of a call, by the dialect's. Those that are
// mapped come first where two of them have one name.
func (tr *translated) names(args wire.Object) map[string]string {
	back := make(map[string]string, len(tr.in))
	unmapped := []string{}
	for name := range args.Members() {
		theirs, mapped := tr.in[name]
		if !mapped {
			unmapped = append(unmapped, name)
		} else if _, twice := back[theirs.name]; !twice {
			back[theirs.name] = name
		}
	}
	for _, name := range unmapped {
		if _, taken := back[name]; !taken {
			back[name] = name
		}
	}
	for theirs, host := range tr.out {
		if _, there := back[theirs]; !there {
			back[theirs] = host
		}
	}
	return back
}

// first are the arguments in the dialect's names, without those whose name another one
// has: hooks see that one.
func (v *view) first() wire.Object {
	b := make([]byte, 1, len(v.was)+32)
	b[0] = '{'
	for _, m := range members(v.was) {
		theirs := m.name
		if renamed, mapped := v.tr.in[m.name]; mapped {
			theirs = renamed.name
		}
		if v.back[theirs] == m.name {
			b = appendMember(b, theirs, m.value)
		}
	}
	return append(b, '}')
}

// host is the host's name of an argument.
func (v *view) host(name string) string {
	if v.tr == nil {
		return name
	}
	if v.back == nil {
		v.back = v.tr.names(v.was)
	}
	if host, mapped := v.back[name]; mapped {
		return host
	}
	return name
}

// member is one of an object's.
type member struct {
	name  string
	value jsontext.Value
}

// members lists an object's members; of equal names the last one counts, at the
// place of the first.
func members(o wire.Object) (all []member) {
	at := map[string]int{}
	for name, value := range o.Members() {
		if i, twice := at[name]; twice {
			all[i].value = value
			continue
		}
		at[name] = len(all)
		all = append(all, member{name, value})
	}
	return all
}

func appendMember(b []byte, name string, value jsontext.Value) []byte {
	quoted, err := jsontext.AppendQuote(comma(b), name)
	if err != nil { // it is not UTF-8
		quoted = append(comma(b), wire.Quote(name)...)
	}
	return append(append(quoted, ':'), value...)
}

// comma begins the next member.
func comma(b []byte) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return b
}
