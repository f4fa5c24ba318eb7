package agent

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// change is what was done to one argument, in the host's words.
type change struct {
	name  string
	value jsontext.Value // nil: it was removed
}

// claim is what one hook wants an argument to be.
type claim struct {
	change
	hook string // its id
}

// Conflict is an argument that several hooks rewrote, and not to the same value.
// The last one in the order of dialects and plans counts.
type Conflict struct {
	Key   string   // the argument, in the host's words
	Hooks []string // ids of the hooks, in order
}

// whole finds what a hook has changed that answers with all arguments.
func (v *view) whole(now wire.Object) (changes []change) {
	before, after := members(v.args), members(now)
	was := make(map[string]jsontext.Value, len(before))
	for _, m := range before {
		was[m.name] = m.value
	}
	for _, m := range after {
		if value, there := was[m.name]; !there || !wire.Equal(value, m.value) {
			changes = append(changes, change{v.host(m.name), m.value})
		}
		delete(was, m.name)
	}
	for _, m := range before {
		if _, gone := was[m.name]; gone {
			changes = append(changes, change{v.host(m.name), nil})
		}
	}
	return changes
}

// patch finds what a hook has changed that answers with the changes.
func (v *view) patch(patch wire.Object) (changes []change) {
	for _, m := range members(patch) {
		changes = append(changes, change{v.host(m.name), m.value})
	}
	return changes
}

// rewrite applies changes in their order, the last one of an argument counts.
func rewrite(args wire.Object, changes []change) wire.Object {
	if len(changes) == 0 {
		return args
	}
	last := make(map[string]int, len(changes))
	for i, c := range changes {
		last[c.name] = i
	}
	patch := []byte{'{'}
	var gone []string
	for i, c := range changes {
		switch {
		case last[c.name] != i:
		case c.value == nil:
			gone = append(gone, c.name)
		default:
			patch = appendMember(patch, c.name, c.value)
		}
	}
	args = args.Merge(append(patch, '}'))
	if len(gone) > 0 {
		args = args.Without(gone...)
	}
	return args
}

// conflicts finds the arguments that hooks disagree about.
func conflicts(claims []claim) (found []Conflict) {
	by := map[string][]claim{}
	for _, c := range claims {
		by[c.name] = append(by[c.name], c)
	}
	for _, first := range claims {
		all := by[first.name]
		delete(by, first.name)
		c, differ := Conflict{Key: first.name}, false
		for _, other := range all {
			c.Hooks = append(c.Hooks, other.hook)
			differ = differ || !wire.Equal(other.value, first.value)
		}
		if differ {
			found = append(found, c)
		}
	}
	return found
}
