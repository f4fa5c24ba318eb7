// Package rename shows objects of JSON under other names of their members, and finds what
// has been changed under these, in the names that the members had before.
package rename

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Names are their names of our members. Members that they do not map keep their names.
type Names struct {
	to   map[string]name
	back map[string]string
	same bool // no member has another name
}

// name is one of theirs, and the same as JSON.
type name struct {
	name   string
	quoted []byte
}

// New makes Names: to has their names by ours, and back ours by theirs, all UTF-8. Several of
// ours may have one of theirs, of which an object should have one, and the other way around.
func New(to, back map[string]string) *Names {
	n := &Names{to: make(map[string]name, len(to)), back: back, same: true}
	for ours, theirs := range to {
		n.to[ours] = name{theirs, wire.Quote(theirs)}
		n.same = n.same && ours == theirs
	}
	return n
}

// View is an object under their names, Object. Without names of its own it is one whose
// names are the same.
type View struct {
	Object wire.Object

	names *Names            // nil: names are the same
	was   wire.Object       // under our names
	back  map[string]string // our names, by theirs; nil until one is asked for
}

// Show returns an object of ours under their names. Where two of its members have one name
// then, the one that is mapped is there, or else the first one.
func (n *Names) Show(o wire.Object) View {
	if n.same {
		return View{Object: o}
	}
	v, clash := View{Object: o, names: n, was: o}, false
	if n.renames(o) {
		v.Object, clash = n.renamed(o)
	}
	if clash {
		v.back = n.names(o)
		v.Object = v.first()
	}
	return v
}

// renames reports whether a member has another name.
func (n *Names) renames(o wire.Object) (found bool) {
	o.EachMember(func(name []byte, _ jsontext.Value) bool {
		theirs, mapped := n.to[string(name)]
		found = mapped && theirs.name != string(name)
		return !found
	})
	return found
}

// renamed is the object under their names, or says that two members have one name then. So
// it says of more than a few, which are not looked at for that.
func (n *Names) renamed(o wire.Object) (now wire.Object, clash bool) {
	var seen [8]string
	k := 0
	b := make([]byte, 1, len(o)+32)
	b[0] = '{'
	o.EachMember(func(name []byte, value jsontext.Value) bool {
		theirs, mapped := n.to[string(name)]
		if !mapped {
			theirs.name = string(name)
		}
		if clash = k == len(seen) || slices.Contains(seen[:k], theirs.name); clash {
			return false
		}
		seen[k] = theirs.name
		k++
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

// names are our names of the members of an object, by theirs. Those that are mapped come
// first where two of them have one name.
func (n *Names) names(o wire.Object) map[string]string {
	back := make(map[string]string, len(n.to))
	unmapped := []string{}
	for name := range o.Members() {
		theirs, mapped := n.to[name]
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
		theirs, mapped := v.names.to[m.Name]
		if !mapped {
			theirs.name = m.Name
		}
		if v.back[theirs.name] == m.Name {
			b = appendMember(b, theirs.name, m.Value)
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
