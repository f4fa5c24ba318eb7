package snaphook

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/rename"
)

// dialectNames holds the dialects' names of a tool or an argument, where they differ from the canonical name. The name
// after a "|" is a second name, with which a dialect's hooks may answer too. hosts lists further names by which a
// host's argument is recognised.
type dialectNames struct{ claude, llxprt, xcsh, hosts string }

// kinds lists the kinds of tools, with the canonical names of their arguments. The name of an MCP tool is a format
// for the names of the server and of the server's tool.
var kinds = [...]struct {
	name string
	tool dialectNames
	args map[string]dialectNames
}{
	Shell: {"Shell", dialectNames{"Bash", "run_shell_command", "bash", ""}, map[string]dialectNames{
		"command": {hosts: "cmd"}, "timeout": {}, "description": {},
	}},
	Read: {"Read", dialectNames{"Read", "read_file", "read", ""}, map[string]dialectNames{
		"path": {"file_path", "absolute_path|file_path", "", ""}, "offset": {}, "limit": {},
	}},
	Write: {"Write", dialectNames{"Write", "write_file", "write", ""}, map[string]dialectNames{
		"path": {"file_path", "file_path", "", "absolute_path"}, "content": {},
	}},
	Edit: {"Edit", dialectNames{"Edit", "replace", "edit", ""}, map[string]dialectNames{
		"path": {"file_path", "file_path", "", "absolute_path"},
		"old":  {"old_string", "old_string", "oldText", ""},
		"new":  {"new_string", "new_string", "newText", ""},
		"all":  {"replace_all", "replace_all", "", ""},
	}},
	List: {"List", dialectNames{"LS", "list_directory", "ls", ""}, map[string]dialectNames{"path": {hosts: "dir_path"}}},
	Glob: {"Glob", dialectNames{"Glob", "glob", "find", ""}, map[string]dialectNames{"pattern": {}, "path": {hosts: "dir_path"}}},
	Grep: {"Grep", dialectNames{"Grep", "search_file_content", "grep", ""}, map[string]dialectNames{
		"pattern": {}, "path": {hosts: "dir_path"}, "include": {"glob", "", "glob", ""},
	}},
	Fetch:  {"Fetch", dialectNames{"WebFetch", "web_fetch", "fetch", ""}, map[string]dialectNames{"url": {}, "prompt": {}}},
	Search: {"Search", dialectNames{"WebSearch", "google_web_search", "web_search", ""}, map[string]dialectNames{"query": {}}},
	Task: {"Task", dialectNames{"Agent", "task", "task", ""}, map[string]dialectNames{
		"prompt": {}, "description": {}, "agent": {"subagent_type", "subagent_name", "", ""},
	}},
	Todo:  {"Todo", dialectNames{"TodoWrite", "todo_write", "todo_write", ""}, map[string]dialectNames{"todos": {}}},
	MCP:   {name: "MCP", tool: dialectNames{"mcp__%s__%s", "mcp__%s__%s", "mcp_%s_%s", ""}},
	Other: {name: "Other"},
}

// all returns the names in all dialects and hosts.
func (w dialectNames) all() []string {
	return lo.Compact(strings.Split(strings.Join([]string{w.claude, w.llxprt, w.xcsh, w.hosts}, "|"), "|"))
}

// mcpName writes the name of a server or a tool as Claude Code does for MCP tools: each character outside of
// [A-Za-z0-9_-] becomes an underscore.
func mcpName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			return c
		}
		return '_'
	}, name)
}

// asIs returns the name of a server or a tool unchanged.
func asIs(name string) string { return name }

// translated has a dialect's names for one tool of the host.
type translated struct {
	name string // the tool's name in the dialect
	args *rename.Names
}

// untranslated returns the translation for a dialect that uses the host's names.
func untranslated(t *Tool) *translated {
	return &translated{t.Name, rename.New(map[string]string{}, map[string]string{})}
}

// spelled returns a translator for one dialect of the table kinds. word selects the dialect's name, and part spells the
// names of an MCP server and its tool.
func spelled(word func(dialectNames) string, part func(name string) string) func(*Tool) *translated {
	return func(t *Tool) *translated {
		name := cmp.Or(word(kinds[t.Kind].tool), t.Name)
		if t.Kind == MCP {
			name = fmt.Sprintf(name, part(t.Server), part(t.Name))
		}
		return translate(t, name, func(canonical string) string { return word(kinds[t.Kind].args[canonical]) })
	}
}

// translate makes the translation of a tool; name is the dialect's name of the tool. argument maps the canonical name
// of an argument to the dialect's; "" means the canonical name.
func translate(t *Tool, name string, argument func(canonical string) string) *translated {
	in, out := map[string]string{}, map[string]string{} // from the host's name to the dialect's, and back
	args := kinds[t.Kind].args
	names := slices.AppendSeq(slices.Collect(maps.Keys(args)), maps.Keys(t.Args))
	slices.Sort(names)
	for _, canonical := range slices.Compact(names) {
		match(t, canonical, cmp.Or(argument(canonical), canonical), args[canonical].all(), in, out)
	}
	return &translated{name, rename.New(in, out)}
}

// match maps one argument. An entry in the tool's Args always determines the host's name of the argument.
func match(t *Tool, canonical, theirs string, aliases []string, in, out map[string]string) {
	first, second, _ := strings.Cut(theirs, "|")
	named := slices.Collect(maps.Values(t.Args))
	host, mapped := t.Args[canonical]
	if !mapped {
		if slices.Contains(named, canonical) {
			return // the host uses this name for another argument
		}
		host = canonical
		for _, alias := range aliases {
			if _, taken := in[alias]; !taken && alias != canonical && !slices.Contains(named, alias) {
				in[alias] = first
			}
		}
	}
	in[host], out[first] = first, host
	if second != "" {
		out[second] = host
	}
}
