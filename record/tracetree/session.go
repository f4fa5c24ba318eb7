package tracetree

import (
	"strings"

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
