// Package rename shows objects of JSON under other names of their members, and finds what
// has been changed under these, in the names that the members had before.
package rename

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Names are their names of our members. Members that they do not map keep their names.
type Names struct {
	to   []name            // few, so that they are searched one by one
	back map[string]string // ours by theirs
	same bool              // no member has another name
}

// name is one of ours, and what they call it.
type name struct {
	ours, theirs string
	quoted       []byte // theirs, as JSON
}

// New makes Names: to has their names by ours, and back ours by theirs, all UTF-8. Several of
// ours may have one of theirs, of which an object should have one, and the other way around.
func New(to, back map[string]string) *Names {
	n := &Names{back: back, same: true}
	for ours, theirs := range to {
		n.to = append(n.to, name{ours, theirs, wire.Quote(theirs)})
		n.same = n.same && ours == theirs
	}
	return n
}

// of is the entry of one of our names; nil if it is not mapped.
func (n *Names) of(ours []byte) *name {
	for i := range n.to {
		if n.to[i].ours == string(ours) {
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
// nil has no names. Where two members have one name then, the one that is mapped is there,
// or else the first one.
func (v *View) Show(n *Names, o wire.Object) (ok bool) {
	v.Object = o
	if n == nil || n.same {
		return o.Check() == nil
	}
	now := renamed{names: n}
	ok = now.rename(o)
	v.names, v.was = n, o
	switch {
	case now.clash:
		v.back = n.names(o)
		v.Object = v.first()
		return o.Check() == nil
	case now.text != nil:
		v.Object = append(now.text, '}')
	}
	return ok
}

// renamed is the text of an object under their names, without its last brace.
type renamed struct {
	names *Names
	text  []byte                      // nil until a member has another name
	seen  [8]struct{ start, end int } // where names are in the text
	count int
	clash bool // two members have one name, or there are more than a few: these are not compared
}

// rename adds the members of an object if one of them has another name, and reports whether
// it is one JSON object. It ends early with a clash.
func (r *renamed) rename(o wire.Object) (ok bool) {
	same := 0 // members before the first one that has another name
	return o.EachMember(func(ours []byte, value jsontext.Value) bool {
		m := r.names.of(ours)
		if r.text == nil {
			if m == nil || m.theirs == m.ours {
				same++
				return true
			}
			r.begin(o, same)
		}
		return !r.clash && r.add(m, ours, value)
	})
}

// begin adds so many members of an object, the first ones.
func (r *renamed) begin(o wire.Object, members int) {
	r.text = append(make([]byte, 0, len(o)+32), '{')
	if members == 0 {
		return
	}
	o.EachMember(func(ours []byte, value jsontext.Value) bool {
		members--
		return r.add(r.names.of(ours), ours, value) && members > 0
	})
}

// add adds a member that m maps, or none, unless it clashes.
func (r *renamed) add(m *name, ours []byte, value jsontext.Value) bool {
	if r.count == len(r.seen) {
		r.clash = true
		return false
	}
	b := comma(r.text)
	start := len(b)
	if m != nil {
		b = append(b, m.quoted...)
	} else {
		b = appendName(b, ours)
	}
	for _, name := range r.seen[:r.count] {
		if bytes.Equal(b[name.start:name.end], b[start:]) {
			r.clash = true
			return false
		}
	}
	r.seen[r.count].start, r.seen[r.count].end = start, len(b)
	r.count++
	r.text = append(append(b, ':'), value...)
	return true
}

// names are our names of the members of an object, by theirs. Those that are mapped come
// first where two of them have one name.
func (n *Names) names(o wire.Object) map[string]string {
	back := make(map[string]string, len(n.to))
	unmapped := []string{}
	for name := range o.Members() {
		m := n.of([]byte(name))
		if m == nil {
			unmapped = append(unmapped, name)
		} else if _, twice := back[m.theirs]; !twice {
			back[m.theirs] = name
		}
	}
	for _, name := range unmapped {
		if _, taken := back[name]; !taken {
			back[name] = name
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
	b := make([]byte, 1, len(v.was)+32)
	b[0] = '{'
	for _, m := range members(v.was) {
		theirs := m.Name
		if named := v.names.of([]byte(m.Name)); named != nil {
			theirs = named.theirs
		}
		if v.back[theirs] == m.Name {
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
	return append(append(appendName(comma(b), name), ':'), value...)
}

// appendName appends a name as JSON.
func appendName[T string | []byte](b []byte, name T) []byte {
	quoted, err := jsontext.AppendQuote(b, name)
	if err != nil { // it is not UTF-8
		return append(b, wire.Quote(string(name))...)
	}
	return quoted
}

// comma begins the next member.
func comma(b []byte) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return b
}
