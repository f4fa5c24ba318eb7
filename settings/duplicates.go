package settings

import (
	"cmp"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
)

// maxDuplicates is how many problems [Value.Duplicates] gives at most, since
// nobody reads more and each holds a path.
const maxDuplicates = 20

// Duplicates finds the members of v, and of everything in it, whose name was
// given before: each is a problem at the place of the later name. Twenty are
// given at most, in the order of the file.
func (v Value) Duplicates() []Problem {
	if v.doc == nil {
		return nil
	}
	var problems []Problem
	for at := v.at; at < v.node().next && len(problems) < maxDuplicates; at++ {
		if v.sibling(at).Kind() != '{' {
			continue
		}
		first := map[string]Value{}
		for name := range v.sibling(at).everyMember() {
			key := name.name()
			if before, given := first[key]; !given {
				first[key] = name
			} else if len(problems) < maxDuplicates {
				problems = append(problems, name.duplicate(key, before.Position()))
			}
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(a.Position.Line-b.Position.Line, a.Position.Column-b.Position.Column)
	})
	return problems
}

func (v Value) duplicate(name string, first hook.Position) Problem {
	return v.Wrong("%q is given twice; the last one counts: merge it with the one in line %d, column %d", shorten(name), first.Line, first.Column)
}

// shorten keeps a message readable whatever the name.
func shorten(name string) string {
	if runes := []rune(name); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return name
}
