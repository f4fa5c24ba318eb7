package rename

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Change is the change of one member, under our name.
type Change struct {
	Name  string
	Value jsontext.Value // nil: it was removed
}

// Whole returns the differences between the shown object and now, which replaces it completely.
func (v *View) Whole(now wire.Object) (changes []Change) {
	before, after := members(v.Object), members(now)
	was := make(map[string]jsontext.Value, len(before))
	for _, m := range before {
		was[m.Name] = m.Value
	}
	for _, m := range after {
		if value, there := was[m.Name]; !there || !wire.Equal(value, m.Value) {
			changes = append(changes, Change{v.ours(m.Name), m.Value})
		}
		delete(was, m.Name)
	}
	for _, m := range before {
		if _, gone := was[m.Name]; gone {
			changes = append(changes, Change{v.ours(m.Name), nil})
		}
	}
	return changes
}

// Patch returns the changes of an object that contains only changed members.
func (v *View) Patch(patch wire.Object) []Change {
	changes := members(patch)
	for i := range changes {
		changes[i].Name = v.ours(changes[i].Name)
	}
	return changes
}

// Apply applies changes, in their order, to an object with our names: the last change of a member counts. Its time is
// linear in the sizes of the object and the changes.
func Apply(o wire.Object, changes []Change) wire.Object {
	if len(changes) == 0 {
		return o
	}
	last := make(map[string]int, len(changes))
	for i, c := range changes {
		last[c.Name] = i
	}
	patch := []byte{'{'}
	var gone []string
	for i, c := range changes {
		switch {
		case last[c.Name] != i:
		case c.Value == nil:
			gone = append(gone, c.Name)
		default:
			patch = appendMember(patch, c.Name, c.Value)
		}
	}
	o = o.Merge(append(patch, '}'))
	if len(gone) > 0 {
		o = o.Without(gone...)
	}
	return o
}
