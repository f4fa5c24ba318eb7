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

// join adds a fire to the node of its moment.
func (s *session) join(l *record.Line) {
	n, denied := s.last.node, l.Decision == "deny"
	s.add(n, l)
	s.last.dialects = append(s.last.dialects, dialect(l))
	if tool := id(l); tool != "" && n.Kind == Tool && n.ID == "" {
		n.ID, s.last.tool, s.runs[tool] = tool, tool, n
	}
	switch role := roles[l.Event]; role {
	case turnStart:
		if denied && s.turn == n {
			n.State, s.turn = Denied, nil
		}
	case turnEnd, turnFailed:
		if role == turnFailed {
			n.State = Failed
		}
		if denied && !l.Stop && n.Kind == Turn { // a denial without Stop makes the agent continue
			s.turn = n
		}
	case modelStart:
		if denied {
			n.State, s.ended[n] = Denied, true
		}
	case toolStart, toolMark:
		if denied && n.Kind == Tool {
			n.State = Denied
			s.endRun(n)
		}
	case toolFailed:
		n.State = Failed
	case agentEnd:
		if denied && !l.Stop {
			delete(s.ended, n)
		}
	}
}
