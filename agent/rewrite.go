package agent

import (
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/wire"
)

// claim is what one hook wants an argument to be.
type claim struct {
	rename.Change
	hook string // its id
}

// Conflict is an argument that several hooks rewrote, and not to the same value.
// The last one in the order of dialects and plans counts.
type Conflict struct {
	Key   string   // the argument, in the host's words
	Hooks []string // ids of the hooks, in order
}

// conflicts finds the arguments that hooks disagree about.
func conflicts(claims []claim) (found []Conflict) {
	by := map[string][]claim{}
	for _, c := range claims {
		by[c.Name] = append(by[c.Name], c)
	}
	for _, first := range claims {
		all := by[first.Name]
		delete(by, first.Name)
		c, differ := Conflict{Key: first.Name}, false
		for _, other := range all {
			c.Hooks = append(c.Hooks, other.hook)
			differ = differ || !wire.Equal(other.Value, first.Value)
		}
		if differ {
			found = append(found, c)
		}
	}
	return found
}
