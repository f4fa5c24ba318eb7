package tracetree

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/record"
)

// session is the tree of one session as it grows.
type session struct {
	node     *Node
	turn     *Node               // the open turn, or nil
	models   map[*Node]*Node     // the last model call of each turn, of each agent, and outside of turns
	runs     map[string]*Node    // tool runs by tool_use_id
	open     map[toolKey][]*Node // runs without an id that have not ended, the oldest first
	agents   map[string]*Node    // by agent_id
	ended    map[*Node]bool      // model calls, runs and agents that have ended
	depth    map[*Node]int
	starters []*Node // open runs of tools that can start agents
	last     lastEvent
}

// toolKey distinguishes runs without an id.
type toolKey struct{ agent, tool string }

func newSession(l *record.Line) *session {
	return &session{
		node:   &Node{Kind: Session, ID: l.Session, Start: l.Time, End: end(l)},
		models: map[*Node]*Node{}, runs: map[string]*Node{}, open: map[toolKey][]*Node{}, agents: map[string]*Node{},
		ended: map[*Node]bool{}, depth: map[*Node]int{},
	}
}

// take adds the next fire.
func (s *session) take(l *record.Line) {
	if s.node.End.Before(end(l)) {
		s.node.End = end(l)
	}
	if s.last.has(l) {
		s.join(l)
		return
	}
	s.last = lastEvent{role: roles[l.Event].kin(), agent: l.Refs.AgentID, tool: id(l)}
	s.takeFirst(l)
	s.last.dialects = append(s.last.dialects, dialect(l))
}

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

// takeFirst adds the first fire of a moment.
func (s *session) takeFirst(l *record.Line) {
	switch roles[l.Event] {
	case sessionStart:
		s.begin(l)
	case sessionEnd:
		s.close(l)
	case turnStart:
		s.startTurn(l)
	case turnEnd, turnFailed:
		s.endTurn(l)
	case modelStart:
		s.startModel(l)
	case modelEnd:
		s.endModel(l)
	case toolStart:
		s.startTool(l)
	case toolEnd, toolFailed:
		s.endTool(l)
	case toolMark:
		s.markTool(l)
	case agentStart:
		s.startAgent(l)
	case agentEnd:
		s.endAgent(l)
	default:
		s.mark(s.place(l), l)
	}
}

func (s *session) begin(l *record.Line) {
	if len(s.node.Fires) == 0 && len(s.node.Children) == 0 {
		s.add(s.node, l)
		return
	}
	s.mark(s.node, l) // the session was resumed, cleared, or compacted
}

func (s *session) close(l *record.Line) {
	s.interrupt(l)
	s.add(s.node, l)
}

// startTurn opens a turn, and ends an open one as interrupted.
func (s *session) startTurn(l *record.Line) {
	s.interrupt(l)
	s.turn = s.child(s.node, &Node{Kind: Turn}, l)
	if l.Decision == "deny" {
		s.turn.State, s.turn.End, s.turn = Denied, end(l), nil
	}
}

func (s *session) interrupt(l *record.Line) {
	if s.turn != nil {
		s.turn.State, s.turn.End, s.turn = Interrupted, l.Time, nil
	}
}

// endTurn closes the turn, unless a hook makes the agent continue.
func (s *session) endTurn(l *record.Line) {
	switch {
	case s.turn == nil:
		s.mark(s.node, l)
	case l.Decision == "deny" && !l.Stop:
		s.add(s.turn, l)
	default:
		s.add(s.turn, l)
		if roles[l.Event] == turnFailed {
			s.turn.State = Failed
		}
		s.turn = nil
	}
}

func (s *session) startModel(l *record.Line) {
	at := s.context(l)
	n := s.child(at, &Node{Kind: Model}, l)
	if s.models[at] = n; l.Decision == "deny" {
		n.State = Denied
		s.ended[n] = true
	}
}

func (s *session) endModel(l *record.Line) {
	n := s.models[s.context(l)]
	if n == nil {
		n = s.child(s.context(l), &Node{Kind: Model, State: Headless}, l)
		s.models[s.context(l)] = n
	} else {
		s.add(n, l)
	}
	s.ended[n] = s.ended[n] || l.Event != "llxprt.BeforeToolSelection" && l.Event != "host.ToolChoice"
}

// context returns the node of a fire's agent, or else the turn, or the session.
func (s *session) context(l *record.Line) *Node {
	if l.Refs.AgentID != "" {
		return s.agent(l)
	}
	if s.turn != nil {
		return s.turn
	}
	return s.node
}

// place returns the parent node for a tool run or a mark: the last model call of the turn or agent, if there is one,
// else the node of context.
func (s *session) place(l *record.Line) *Node {
	at := s.context(l)
	if m := s.models[at]; m != nil && at.Kind != Session {
		return m
	}
	return at
}

// child adds a node that begins with fire l.
func (s *session) child(at, n *Node, l *record.Line) *Node {
	n.Start = l.Time
	s.depth[n] = s.depth[at] + 1
	at.Children = append(at.Children, n)
	s.add(n, l)
	return n
}

// add adds a fire to a node.
func (s *session) add(n *Node, l *record.Line) {
	s.last.node = n
	n.Fires = append(n.Fires, l)
	if n.End.Before(end(l)) {
		n.End = end(l)
	}
}

func (s *session) mark(at *Node, l *record.Line) {
	name := l.Event[strings.IndexByte(l.Event, '.')+1:]
	if l.Subject != "" {
		name += " " + l.Subject
	}
	s.child(at, &Node{Kind: Mark, Name: name}, l)
}

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
