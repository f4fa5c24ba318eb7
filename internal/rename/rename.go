// Package rename shows objects of JSON under other names of their members, and finds changes
// under these, in the original names.
package rename

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Names are their names of our members. Members that they do not map keep their names.
type Names struct {
	to   []name            // few, so that they are searched one by one
	back map[string]string // ours by theirs
}

// name is one of our names, and theirs.
type name struct {
	ours, theirs string
	plain        []byte // theirs, as the text of a JSON string
	fold         []byte // ours
}

// New makes Names: to has their names by ours, and back ours by theirs, all UTF-8. Several of
// ours may have one of theirs, of which an object should have one, and the other way around.
func New(to, back map[string]string) *Names {
	n := &Names{back: back}
	for ours, theirs := range to {
		quoted := wire.Quote(theirs)
		n.to = append(n.to, name{ours, theirs, quoted[1 : len(quoted)-1], []byte(ours)})
	}
	slices.SortFunc(n.to, func(a, b name) int { return strings.Compare(a.ours, b.ours) })
	return n
}

// of is the entry of one of our names; nil if it is not mapped. Where no name is the same
// letter by letter, one in other case is: many programs read members so.
func (n *Names) of(ours []byte) *name {
	for i := range n.to {
		if n.to[i].ours == string(ours) {
			return &n.to[i]
		}
	}
	for i := range n.to {
		if bytes.EqualFold(n.to[i].fold, ours) {
			return &n.to[i]
		}
	}
	return nil
}

// View is an object under their names, Object. Without Show it is one whose names are the
// same.
type View struct {
	Object wire.Object

	names *Names            // nil: names are the same
	was   wire.Object       // under our names
	back  map[string]string // our names, by theirs; nil until one is asked for
}

// Show makes v an object of ours under their names, and reports whether it is one JSON object;
// nil has no names. Where two members have one name then, the mapped one is there, or else the
// first one.
func (v *View) Show(n *Names, o wire.Object) (ok bool) {
	v.Object = o
	if n == nil {
		return o.Check() == nil
	}
	now := renamed{names: n, of: o}
	ok = o.EachMember(now.member)
	v.names, v.was = n, o
	switch {
	case !now.differs || !ok:
	case now.clash:
		v.back = n.names(o)
		v.Object = v.first()
	default:
		v.Object = now.object()
	}
	return ok
}

// renamed are the members of an object under their names.
type renamed struct {
	names   *Names
	of      wire.Object
	members [8]struct{ name, value []byte } // a name as the text of a JSON string
	count   int
	size    int  // of the text
	differs bool // a member has another name
	clash   bool // two members have one name, or that is not looked at
}

// member adds a member.
func (r *renamed) member(ours []byte, value jsontext.Value) bool {
	m, theirs := r.names.of(ours), ours
	if m != nil {
		theirs, r.differs = m.plain, r.differs || m.theirs != string(ours)
	}
	if r.clash = r.clash || r.count == len(r.members) || !within(r.of, ours); r.clash {
		return true
	}
	for i := range r.members[:r.count] {
		r.clash = r.clash || bytes.Equal(r.members[i].name, theirs)
	}
	r.members[r.count].name, r.members[r.count].value = theirs, value
	r.size += len(`"":,`) + len(theirs) + len(value)
	r.count++
	return true
}

// object is the text.
func (r *renamed) object() wire.Object {
	b := append(make([]byte, 0, len(`{`)+r.size), '{')
	for i := range r.members[:r.count] {
		m := &r.members[i]
		b = append(append(append(b, '"'), m.name...), `":`...)
		b = append(append(b, m.value...), ',')
	}
	b[len(b)-1] = '}'
	return b
}

// within reports whether a name is a part of the text of its object, where it has no escapes.
func within(o wire.Object, name []byte) bool {
	at := cap(o) - cap(name)
	return len(name) > 0 && at > 0 && at < len(o) && &o[at] == &name[0]
}

// theirs is their name of a member, and whether it is mapped.
func (n *Names) theirs(ours string) (theirs string, mapped bool) {
	if m := n.of([]byte(ours)); m != nil {
		return m.theirs, true
	}
	return ours, false
}

// names are our names of the members of an object, by theirs. Those that are mapped come
// first where two of them have one name.
func (n *Names) names(o wire.Object) map[string]string {
	back := make(map[string]string, len(n.to))
	for _, first := range [...]bool{true, false} {
		for ours := range o.Members() {
			theirs, mapped := n.theirs(ours)
			if _, taken := back[theirs]; mapped == first && !taken {
				back[theirs] = ours
			}
		}
	}
	for theirs, ours := range n.back {
		if _, there := back[theirs]; !there {
			back[theirs] = ours
		}
	}
	return back
}

// first is the object under their names, without the members whose name another one has.
func (v *View) first() wire.Object {
	b := append(make([]byte, 0, len(v.was)+32), '{')
	for _, m := range members(v.was) {
		if theirs, _ := v.names.theirs(m.Name); v.back[theirs] == m.Name {
			b = appendMember(b, theirs, m.Value)
		}
	}
	return append(b, '}')
}

// ours is our name of a member.
func (v *View) ours(name string) string {
	if v.names == nil {
		return name
	}
	if v.back == nil {
		v.back = v.names.names(v.was)
	}
	if ours, mapped := v.back[name]; mapped {
		return ours
	}
	return name
}

// members lists an object's members; of equal names the last one counts, at the place of
// the first.
func members(o wire.Object) (all []Change) {
	if len(o) == 0 {
		return nil
	}
	at := map[string]int{}
	for name, value := range o.Members() {
		if i, twice := at[name]; twice {
			all[i].Value = value
			continue
		}
		at[name] = len(all)
		all = append(all, Change{name, value})
	}
	return all
}

func appendMember(b []byte, name string, value jsontext.Value) []byte {
	if len(b) > len("{") {
		b = append(b, ',')
	}
	return append(append(append(b, wire.Quote(name)...), ':'), value...)
}
