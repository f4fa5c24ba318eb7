package rename

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Clash describes the members of an object of ours that are ambiguous; it returns "" if all are plain. If
// two members have one name, or have the same foreign name, a reader of the shown object may use one of
// the members, and a program that reads our object may use the other.
func (n *Names) Clash(o wire.Object) string {
	c := clashes{names: n, of: o}
	o.EachMember(c.member)
	return c.found
}

// clashes examines the members of an object one by one.
type clashes struct {
	names *Names // may be nil
	of    wire.Object
	first [8]metMember
	count int
	more  map[string]string // our names by theirs; nil with few members
	found string
}

// metMember is a member that the walk has met.
type metMember struct {
	mapped    bool
	known, as []byte // known: the member's foreign name, or our name if there is no foreign one; as: our name
}

func (c *clashes) member(ours []byte, value jsontext.Value) (more bool) {
	now := metMember{known: ours, as: ours}
	if c.names != nil {
		if m := c.names.of(ours); m != nil {
			now.known, now.mapped = m.plain, true
		}
	}
	twin, twice := c.twin(now)
	switch {
	case twice && twin == string(ours):
		c.found = fmt.Sprintf("%.80q twice", twin)
	case twice:
		c.found = fmt.Sprintf("%.80q and %.80q, which are one argument", twin, ours)
	case !distinct(value):
		c.found = fmt.Sprintf("a name twice in %.80q", ours)
	}
	return c.found == ""
}

// twin returns our name of an earlier member with the same foreign name. A few members are compared one
// by one, without a map.
func (c *clashes) twin(now metMember) (ours string, twice bool) {
	if c.more == nil && c.count < len(c.first) {
		for i := range c.first[:c.count] {
			if was := &c.first[i]; bytes.Equal(was.known, now.known) {
				return string(was.as), true
			}
		}
		if !within(c.of, now.as) { // the buffer of the name is reused once the callback returns
			same := !now.mapped
			now.as = bytes.Clone(now.as)
			if same {
				now.known = now.as
			}
		}
		c.first[c.count] = now
		c.count++
		return "", false
	}
	if c.more == nil {
		c.more = map[string]string{}
		for i := range c.first {
			c.more[string(c.first[i].known)] = string(c.first[i].as)
		}
	}
	if ours, twice = c.more[string(now.known)]; !twice {
		c.more[string(now.known)] = string(now.as)
	}
	return ours, twice
}

// distinct reports whether no object in a value has a name twice. The value is JSON.
func distinct(value jsontext.Value) bool {
	kind := value.Kind()
	return kind != '{' && kind != '[' || value.IsValid(jsontext.AllowInvalidUTF8(true))
}
