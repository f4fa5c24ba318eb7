package snaphook

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/rename"
	"github.com/snaphook-go/snaphook/wire"
)

// claim is the value that a hook sets for an argument.
type claim struct {
	rename.Change
	hook string // the hook's id
}

// Conflict describes an argument that several hooks set to different values. The last value in the
// order of dialects and plans wins.
type Conflict struct {
	Key   string   // the host's name of the argument
	Hooks []string // ids of the hooks, in order
}

// claims records which arguments each hook changes.
func claims[R any](p *dialectAnswer, res *hook.Result[R], of func(*R) []rename.Change) {
	for i := range res.Reports {
		if r := &res.Reports[i]; r.Err == nil {
			for _, c := range of(&r.Output.Specific) {
				p.claims = append(p.claims, claim{c, r.Hook.ID})
			}
		}
	}
}

// conflicts finds the arguments that several hooks set to different values.
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

// discard adds a note for each rewrite of the second round to the hook's report and to the log, since such rewrites
// have no effect. It returns them as conflicts with the first round.
func discard(log *slog.Logger, again *Verdict, first, second []claim) (conflicts []Conflict) {
	const note = "its rewrite in the second round has no effect: no other hook has seen this rewrite"
	for _, c := range second {
		conflict := Conflict{Key: c.Name, Hooks: []string{c.hook}}
		for _, was := range first {
			if was.Name == c.Name {
				conflict.Hooks = slices.Insert(conflict.Hooks, len(conflict.Hooks)-1, was.hook)
			}
		}
		conflicts = append(conflicts, conflict)
		for i := range again.Reports {
			if r := &again.Reports[i]; r.Hook == c.hook && !slices.Contains(r.Notes, note) {
				r.Notes = append(slices.Clip(r.Notes), note)
			}
		}
		log.Warn("a second rewrite of an argument has no effect", slog.String("argument", c.Name), slog.String("hook", c.hook))
	}
	return conflicts
}

// news returns the lines of text that are not in known.
func news(known, text string) string {
	return lines(lo.Without(strings.Split(text, "\n"), strings.Split(known, "\n")...)...)
}
