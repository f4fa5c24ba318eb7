package agent

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// spelling is how a dialect calls the tools of a kind, and those of their
// arguments that do not have their canonical names. A second name of an argument,
// after a "|", is one that hooks may answer with.
type spelling struct {
	tool string
	args map[string]string
}

// vocabulary is how a dialect calls tools. mcp names the tool of an MCP server.
type vocabulary struct {
	kinds map[Kind]spelling
	mcp   func(server, tool string) string
}

// translated is a host's tool in a dialect.
type translated struct {
	name string            // the dialect's
	in   map[string]string // the dialect's name of an argument, by the host's
	out  map[string]string // the host's, by the dialect's
	same bool              // no argument has another name
}

// translate puts a tool into a dialect's words.
func (v *vocabulary) translate(t *Tool) *translated {
	words := v.kinds[t.Kind]
	tr := &translated{name: words.tool, in: map[string]string{}, out: map[string]string{}}
	switch {
	case t.Kind == MCP:
		tr.name = v.mcp(t.Server, t.Name)
	case tr.name == "":
		tr.name = t.Name
	}
	for _, canonical := range canonicalNames(t) {
		tr.add(t, canonical, words.args[canonical])
	}
	tr.same = true
	for host, theirs := range tr.in {
		tr.same = tr.same && host == theirs
	}
	return tr
}

// canonicalNames are those of the kind and of the tool's Args.
func canonicalNames(t *Tool) []string {
	names := maps.Clone(arguments[t.Kind])
	for name := range t.Args {
		if _, known := names[name]; !known {
			names[name] = nil
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// add maps one argument. What the tool's Args name is the host's beyond doubt.
func (tr *translated) add(t *Tool, canonical, theirs string) {
	first, second := cutOr(theirs, canonical)
	named := slices.Collect(maps.Values(t.Args))
	host, mapped := t.Args[canonical]
	if !mapped {
		if slices.Contains(named, canonical) {
			return // the host calls another argument so
		}
		host = canonical
		for _, alias := range append([]string{first}, arguments[t.Kind][canonical]...) {
			if _, taken := tr.in[alias]; !taken && alias != canonical && !slices.Contains(named, alias) {
				tr.in[alias] = first
			}
		}
	}
	tr.in[host], tr.out[first] = first, host
	if second != "" {
		tr.out[second] = host
	}
}

func cutOr(names, canonical string) (first, second string) {
	if names == "" {
		return canonical, ""
	}
	for i := range names {
		if names[i] == '|' {
			return names[:i], names[i+1:]
		}
	}
	return names, ""
}

// view is a call as a dialect sees it.
type view struct {
	name string
	args wire.Object
	back map[string]string // the host's names of arguments, by the dialect's; nil: they are the same
}

// show returns a call of the host to a dialect.
func (tr *translated) show(args wire.Object) view {
	if tr.same {
		return view{name: tr.name, args: args}
	}
	v := view{name: tr.name, back: make(map[string]string, len(tr.in))}
	b := make([]byte, 1, len(args)+32)
	b[0] = '{'
	members := members(args)
	for _, m := range members { // those that are mapped come first in a clash of names
		if theirs, mapped := tr.in[m.name]; mapped {
			if _, twice := v.back[theirs]; !twice {
				v.back[theirs] = m.name
			}
		}
	}
	for _, m := range members {
		theirs, mapped := tr.in[m.name]
		if !mapped {
			theirs = m.name
		}
		if host, taken := v.back[theirs]; taken && host != m.name {
			continue // hooks see the other one
		}
		v.back[theirs] = m.name
		b = appendMember(b, theirs, m.value)
	}
	v.args = append(b, '}')
	for theirs, host := range tr.out {
		if _, there := v.back[theirs]; !there {
			v.back[theirs] = host
		}
	}
	return v
}

// host is the host's name of an argument.
func (v *view) host(name string) string {
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
	for name, value := range o.Members() {
		if i := slices.IndexFunc(all, func(m member) bool { return m.name == name }); i >= 0 {
			all[i].value = value
			continue
		}
		all = append(all, member{name, value})
	}
	return all
}

func appendMember(b []byte, name string, value jsontext.Value) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	b = append(b, wire.Quote(name)...)
	b = append(b, ':')
	return append(b, value...)
}
