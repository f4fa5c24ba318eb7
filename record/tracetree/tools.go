package tracetree

import (
	"cmp"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/record"
)

// id returns the id of the tool run that a fire belongs to, or "".
func id(l *record.Line) string { return cmp.Or(l.Refs.ToolUseID, l.Refs.ToolCallID) }

// startTool begins a run, unless the fire that ends the run came first.
func (s *session) startTool(l *record.Line) {
	n := s.runs[id(l)]
	if n == nil || id(l) == "" {
		n = s.child(s.place(l), &Node{Kind: Tool, Name: l.Subject, ID: id(l)}, l)
		s.remember(n, l)
		if starts[n.Name] && len(s.starters) < maxStarters && s.depth[n] < maxDepth {
			s.starters = append(s.starters, n)
		}
	} else {
		s.add(n, l)
		if n.Start.After(l.Time) {
			n.Start = l.Time
		}
		if n.State == Headless {
			n.State = ""
		}
	}
	if l.Decision == "deny" {
		n.State = Denied
		s.endRun(n)
	}
}

func (s *session) remember(n *Node, l *record.Line) {
	if n.ID != "" {
		s.runs[n.ID] = n
		return
	}
	key := toolKey{l.Refs.AgentID, l.Subject}
	s.open[key] = append(s.open[key], n)
}

// run returns the run that has the id of a fire; for a fire without an id, the oldest open run of the tool. It returns
// nil if no run fits.
func (s *session) run(l *record.Line) *Node {
	if id(l) != "" {
		return s.runs[id(l)]
	}
	if open := s.open[toolKey{l.Refs.AgentID, l.Subject}]; len(open) > 0 {
		return open[0]
	}
	return nil
}

func (s *session) endTool(l *record.Line) {
	n := s.run(l)
	if n == nil {
		n = s.child(s.place(l), &Node{Kind: Tool, Name: l.Subject, ID: id(l), State: Headless}, l)
		s.remember(n, l)
	} else {
		s.add(n, l)
	}
	if roles[l.Event] == toolFailed {
		n.State = Failed
	}
	s.endRun(n)
}

func (s *session) endRun(n *Node) {
	s.ended[n] = true
	key := toolKey{n.Fires[0].Refs.AgentID, n.Fires[0].Subject}
	if i := slices.Index(s.open[key], n); i == 0 {
		s.open[key] = s.open[key][1:]
	} else if i > 0 {
		s.open[key] = slices.Delete(s.open[key], i, i+1)
	}
}

func (s *session) markTool(l *record.Line) {
	if n := s.run(l); n != nil {
		s.add(n, l)
		if l.Event == "claude.PermissionDenied" || l.Decision == "deny" {
			n.State = Denied
			s.endRun(n)
		}
		return
	}
	s.mark(s.place(l), l)
}

// agent returns the agent of a fire. An agent without a recorded start is placed below its probable starter.
func (s *session) agent(l *record.Line) *Node {
	n := s.agents[l.Refs.AgentID]
	if n == nil {
		n = &Node{Kind: Agent, Name: l.Refs.AgentType, ID: l.Refs.AgentID, State: Headless, Start: l.Time, End: end(l)}
		s.adopt(s.starter(), n)
	}
	if n.End.Before(end(l)) && !s.ended[n] {
		n.End = end(l)
	}
	return n
}

func (s *session) adopt(at, n *Node) {
	s.agents[n.ID], s.depth[n] = n, s.depth[at]+1
	at.Children = append(at.Children, n)
}

// startAgent begins a sub-agent below the call that started it.
func (s *session) startAgent(l *record.Line) {
	if l.Refs.AgentID == "" {
		s.mark(s.place(l), l)
		return
	}
	n := s.agents[l.Refs.AgentID]
	if n == nil {
		n = &Node{Kind: Agent, ID: l.Refs.AgentID, Start: l.Time}
		s.adopt(s.starter(), n)
	}
	n.Name = cmp.Or(n.Name, l.Refs.AgentType, l.Subject)
	if n.State == Headless {
		n.State = ""
	}
	if n.Start.After(l.Time) {
		n.Start = l.Time
	}
	if s.ended[n] { // the agent continues
		delete(s.ended, n)
	}
	s.add(n, l)
}

// Limits of the tree. Agents that are nested deeper than maxDepth are placed below the turn. If more than maxStarters
// calls could start an agent at the same time, the additional calls are treated as ordinary calls.
const (
	maxDepth    = 64
	maxStarters = 256
)

// starter returns the parent node for a new agent. Events do not name the call that started an agent. starter therefore
// chooses among the open runs of tools that start agents and have none yet: the deepest run, and of equally deep runs
// the oldest. Without such a run it returns the turn, or the session.
func (s *session) starter() *Node {
	var best *Node
	s.starters = slices.DeleteFunc(s.starters, func(n *Node) bool { return s.ended[n] || hasAgent(n) })
	for _, n := range s.starters {
		if best == nil || s.depth[n] > s.depth[best] {
			best = n
		}
	}
	if best != nil {
		return best
	}
	return s.top()
}

// top returns the turn, or the session.
func (s *session) top() *Node {
	if s.turn != nil {
		return s.turn
	}
	return s.node
}

// starts holds the tools that start agents.
var starts = map[string]bool{"Task": true, "Agent": true, "task": true, "agent": true}

func hasAgent(n *Node) bool {
	return slices.ContainsFunc(n.Children, func(c *Node) bool { return c.Kind == Agent })
}

func (s *session) endAgent(l *record.Line) {
	if l.Refs.AgentID == "" {
		s.mark(s.place(l), l)
		return
	}
	n := s.agent(l)
	s.add(n, l)
	if l.Decision != "deny" || l.Stop { // a denial without Stop makes the agent continue
		s.ended[n] = true
	}
}

// finish closes the open nodes, and returns the tree.
func (s *session) finish() *Node {
	if s.turn != nil {
		s.turn.State = Unfinished
		s.turn.End = s.node.End
	}
	s.closeOpen(s.node, s.node.End)
	sortChildren(s.node)
	return s.node
}

// closeOpen closes open nodes at the end of their parent.
func (s *session) closeOpen(n *Node, until time.Time) {
	for _, c := range n.Children {
		if (c.Kind == Tool || c.Kind == Agent || c.Kind == Model) && !s.ended[c] {
			if c.State == "" {
				c.State = Unfinished
			}
			if c.End.Before(until) {
				c.End = until
			}
		}
		s.closeOpen(c, c.End)
	}
}
