package snaphook

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/samber/lo"
)

// Kind is the kind of work that a tool does. It determines each dialect's names of the tool and of its arguments.
type Kind int

// The kinds, each with the canonical names of its arguments. A tool of kind Other, or without a declaration, keeps the
// host's names in every dialect.
const (
	Shell  Kind = iota + 1 // command, timeout, description
	Read                   // path, offset, limit
	Write                  // path, content
	Edit                   // path, old, new, all
	List                   // path
	Glob                   // pattern, path
	Grep                   // pattern, path, include
	Fetch                  // url, prompt
	Search                 // query
	Task                   // prompt, description, agent
	Todo                   // todos
	MCP                    // the server's own
	Other                  // the host's own
)

func (k Kind) String() string {
	if k <= 0 || int(k) >= len(kinds) {
		return "Kind(" + strconv.Itoa(int(k)) + ")"
	}
	return kinds[k].name
}

// Tool is a tool of the host.
type Tool struct {
	Name string
	Kind Kind

	// Args maps the canonical names of the Kind's arguments to the host's: {"command": "cmd"}. An argument without an
	// entry has its canonical name, or another name that hook systems use for it.
	Args map[string]string

	// Server is the MCP server that offers the tool, for kind MCP.
	Server string
}

// check returns an error if the description of a tool is invalid.
func (t *Tool) check() error {
	switch {
	case t.Name == "":
		return fmt.Errorf("a tool of kind %v has no name", t.Kind)
	case t.Kind == 0:
		return fmt.Errorf("the tool %q has no kind; write Kind: snaphook.Shell, or snaphook.Other if no other kind fits", t.Name)
	case t.Kind < 0 || int(t.Kind) >= len(kinds):
		return fmt.Errorf("the tool %q has the unknown kind %d; write one of %s", t.Name, int(t.Kind), kindList())
	case t.Kind == MCP && t.Server == "":
		return fmt.Errorf("the tool %q of kind MCP has no server; write Server: the name that the host has for it", t.Name)
	}
	taken := map[string]string{}
	for _, canonical := range slices.Sorted(maps.Keys(t.Args)) {
		name := t.Args[canonical]
		if name == "" || canonical == "" {
			return fmt.Errorf("the tool %q: Args has %q: %q; both have to be names", t.Name, canonical, name)
		}
		if !utf8.ValidString(name) || !utf8.ValidString(canonical) {
			return fmt.Errorf("the tool %q: Args has %q: %q; both have to be UTF-8", t.Name, canonical, name)
		}
		if other, twice := taken[name]; twice {
			return fmt.Errorf("the tool %q: Args is not one-to-one: %q and %q are both %q", t.Name, other, canonical, name)
		}
		taken[name] = canonical
	}
	return nil
}

func kindList() string {
	names := make([]string, len(kinds))
	for kind := range kinds {
		names[kind] = "snaphook." + kinds[kind].name
	}
	return strings.Join(names[1:], ", ")
}

// unknown lists the names in Args that are not arguments of the kind, perhaps by a typing mistake. Hooks get those
// arguments under the names in Args.
func (t *Tool) unknown() (names []string) {
	if t.Kind == MCP || t.Kind == Other {
		return nil
	}
	names = lo.Without(lo.Keys(t.Args), lo.Keys(kinds[t.Kind].args)...)
	slices.Sort(names)
	return names
}
