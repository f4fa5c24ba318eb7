package tracetree

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/record"
)

// lastEvent is the last event of a session. An agent that runs the hooks of several systems fires one event of each
// system at every moment. All events of one moment belong to one node.
type lastEvent struct {
	role        role
	node        *Node
	agent, tool string // ids; empty if the system does not report them
	dialects    []string
}

func dialect(l *record.Line) string {
	name, _, _ := strings.Cut(l.Event, ".")
	return name
}

// has reports whether a fire belongs to the moment of m, as the event of another dialect.
func (m *lastEvent) has(l *record.Line) bool {
	switch {
	case m.node == nil || m.role == mark || m.role != roles[l.Event].kin() || slices.Contains(m.dialects, dialect(l)):
		return false
	case m.node.Kind == Mark && (l.Refs.AgentID != "" || id(l) != ""): // all events of a mark lack these two ids
		return false
	}
	return same(m.agent, l.Refs.AgentID) && same(m.tool, id(l))
}

func same(a, b string) bool { return a == b || a == "" || b == "" }
