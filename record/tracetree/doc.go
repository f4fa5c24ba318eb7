// Package tracetree rebuilds an agent's work from the events of its hooks: sessions, turns, calls of models and tools,
// sub-agents.
//
//	var trees tracetree.Builder
//	for _, line := range record.Lines(file, nil) {
//		trees.Add(line)
//	}
//	for _, session := range trees.Sessions() {
//		session.Walk(func(n *tracetree.Node, depth int) bool {
//			fmt.Println(strings.Repeat("  ", depth), n.Kind, n.Name)
//			return true
//		})
//	}
//
// A [Builder] takes the lines of a record. [Live] follows the fires of a running program as an observer, and returns
// the same trees of [Node].
//
// Fires are sorted by time first, so that the order of adding them has no effect. A node without an end is closed with
// its parent, and its [State] reports it. [Builder.Most] limits the memory.
package tracetree
