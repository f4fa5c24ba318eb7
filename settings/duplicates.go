package settings

import "github.com/tailscale/hujson"

// maxDuplicates is how many problems [Value.Duplicates] returns at most, since
// none is longer and each holds a path.
const maxDuplicates = 20

// Duplicates finds the members of v, and of everything in it, whose name was
// given before: each is a problem at the place of the later name. Twenty are
// given at most, in the order of the file.
func (v Value) Duplicates() (problems []Problem) {
	if v.node == nil {
		return nil
	}
	again := map[*hujson.Value]Value{} // the first name, for those that are given later
	for node := range v.node.All() {
		in := Value{doc: v.doc, node: node}
		if first, given := again[node]; given {
			problems = append(problems, in.duplicate(first.Position().Line, first.Position().Column))
		}
		if len(problems) == maxDuplicates {
			break
		}
		names, members := map[string]Value{}, in.members()
		for i := range members {
			name := &members[i].Name
			if first, given := names[text(*name)]; given {
				again[name] = first
			} else {
				names[text(*name)] = Value{doc: v.doc, node: name}
			}
		}
	}
	return problems
}

func (v Value) duplicate(line, column int) Problem {
	return v.Wrong(
		"%.60q is given twice; the last one counts: merge it with the one in line %d, column %d",
		text(*v.node),
		line,
		column,
	)
}
