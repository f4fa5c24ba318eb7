// Package rename shows JSON objects with other names of their members, and translates changes of the shown
// object back to the original names. Comments call the original names ours, and the shown names theirs.
package rename

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Names maps our names to theirs, and back. A member that is not in the map keeps its name.
type Names struct {
	to   []name            // searched linearly, since there are few
	back map[string]string // ours by theirs
}

// name is one of our names, and theirs.
type name struct {
	ours, theirs string
	plain        []byte // theirs, as the text of a JSON string
	fold         []byte // ours
}

// New returns Names. to maps the host's names to the dialect's, and back maps the dialect's to the host's; all are
// UTF-8. Several names of to may map to one name; an object should have only one of these several names.
func New(to, back map[string]string) *Names {
	n := &Names{back: back}
	for _, ours := range slices.Sorted(maps.Keys(to)) {
		quoted := wire.Quote(to[ours])
		n.to = append(n.to, name{ours, to[ours], quoted[1 : len(quoted)-1], []byte(ours)})
	}
	return n
}

// of returns the entry of one of our names, or nil if it is not mapped. Without an exact match it ignores
// case, as many programs do when they read members.
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

// View is an object with their names. Until Show is called, it changes no names.
type View struct {
	Object wire.Object

	names *Names            // nil: names are the same
	was   wire.Object       // under our names
	back  map[string]string // our names, by theirs; nil until first needed
}

// Show sets v to an object of ours with their names, and reports whether it is one JSON object; a nil n
// changes no names. If two members get one name, the mapped one is kept, or else the first.
func (v *View) Show(n *Names, o wire.Object) (ok bool) {
	v.Object = o
	if n == nil {
		return o.Check() == nil
	}
	now := memberList{names: n, of: o}
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

// memberList collects the members of an object with their names.
type memberList struct {
	names   *Names
	of      wire.Object
	members [8]struct{ name, value []byte } // each name is the text of a JSON string
	count   int
	size    int  // size of the text in bytes
	differs bool // a member was renamed
	clash   bool // two members have one name, or there are too many members to check
}

// member adds a member.
func (r *memberList) member(ours []byte, value jsontext.Value) bool {
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

// object returns the JSON text of the object.
func (r *memberList) object() wire.Object {
	b := append(make([]byte, 0, len(`{`)+r.size), '{')
	for i := range r.members[:r.count] {
		m := &r.members[i]
		b = append(append(append(b, '"'), m.name...), `":`...)
		b = append(append(b, m.value...), ',')
	}
	b[len(b)-1] = '}'
	return b
}

// within reports whether a name is a part of the text of its object, which is the case for a name without escapes.
func within(o wire.Object, name []byte) bool {
	at := cap(o) - cap(name)
	return len(name) > 0 && at > 0 && at < len(o) && &o[at] == &name[0]
}

// theirs returns their name of a member, and reports whether it is mapped.
func (n *Names) theirs(ours string) (theirs string, mapped bool) {
	if m := n.of([]byte(ours)); m != nil {
		return m.theirs, true
	}
	return ours, false
}

// names maps their names of the members of an object to ours. If two members have the same foreign name, the
// mapped one wins.
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

// first returns the object with their names. Of several members of one name it keeps the mapped one, or else the first.
func (v *View) first() wire.Object {
	b := append(make([]byte, 0, len(v.was)+32), '{')
	for _, m := range members(v.was) {
		if theirs, _ := v.names.theirs(m.Name); v.back[theirs] == m.Name {
			b = appendMember(b, theirs, m.Value)
		}
	}
	return append(b, '}')
}

// ours returns our name of a member.
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

// members returns an object's members; of several members with one name it keeps the last value, at the
// position of the first.
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
