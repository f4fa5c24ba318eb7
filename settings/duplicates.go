package settings

import "github.com/tailscale/hujson"

// maxDuplicates limits the problems that [Value.Duplicates] returns, because each contains a path of any length.
const maxDuplicates = 20

// Duplicates finds repeated names in v and in all nested objects. Each is a problem at the position of the later name.
// It returns at most twenty, in the order of the file.
func (v Value) Duplicates() (problems []Problem) {
	if v.node == nil {
		return nil
	}
	again := map[*hujson.Value]Value{} // for each repeated name, its first occurrence
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
		"%.60q is given twice; the last value counts: merge both, the other is in line %d, column %d",
		text(*v.node),
		line,
		column,
	)
}
