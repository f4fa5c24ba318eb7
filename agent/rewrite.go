package agent

import (
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
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

// claims notes what each hook has changed.
func claims[R any](p *part, res *hook.Result[R], of func(*R) []rename.Change) {
	for i := range res.Reports {
		if r := &res.Reports[i]; r.Err == nil {
			for _, c := range of(&r.Output.Specific) {
				p.claims = append(p.claims, claim{c, r.Hook.ID})
			}
		}
	}
}

// conflicts finds the arguments that hooks disagree about.
func conflicts(claims []claim) (found []Conflict) {
	by := lo.GroupBy(claims, func(c claim) string { return c.Name })
	for _, first := range lo.UniqBy(claims, func(c claim) string { return c.Name }) {
		all := by[first.Name]
		if slices.ContainsFunc(all, func(c claim) bool { return !wire.Equal(c.Value, first.Value) }) {
			found = append(found, Conflict{first.Name, lo.Map(all, func(c claim, _ int) string { return c.hook })})
		}
	}
	return found
}
