package tracetree

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/record"
)

// Kind is the kind of a node.
type Kind string

// The kinds of nodes.
const (
	Session Kind = "session"
	Turn    Kind = "turn"  // from a prompt to the answer
	Model   Kind = "model" // one request to a model; the calls that it asks for are below it
	Tool    Kind = "tool"  // one run of a tool; sub-agents that it starts are below it
	Agent   Kind = "agent" // a sub-agent
	Mark    Kind = "mark"  // an event without duration: a compaction, a notification
)

// State classifies how a node ended.
type State string

// The states. A node that ended normally has none.
const (
	Failed      State = "failed"      // the tool or the turn failed
	Denied      State = "denied"      // a hook denied it
	Interrupted State = "interrupted" // the next prompt, or the end of the session, came first
	Unfinished  State = "unfinished"  // its end is missing
	Headless    State = "headless"    // its beginning is missing
)

// Node is a part of an agent's work: a session, a turn, a call, a sub-agent, or an event without duration.
type Node struct {
	Kind     Kind
	Name     string // name of the tool, the agent type or the mark; may be empty
	ID       string // id of the session, the tool run or the agent
	State    State
	Start    time.Time
	End      time.Time
	Fires    []*record.Line // the node's own fires, in order
	Children []*Node        // in order of their start
}

// Walk calls visit for the node and all nodes below it, until visit returns false.
func (n *Node) Walk(visit func(n *Node, depth int) bool) { n.walk(0, visit) }

func (n *Node) walk(depth int, visit func(*Node, int) bool) bool {
	if !visit(n, depth) {
		return false
	}
	for _, c := range n.Children {
		if !c.walk(depth+1, visit) {
			return false
		}
	}
	return true
}

// Builder collects fires. The zero Builder is ready. Its methods may be called
// from many goroutines.
type Builder struct {
	// Most and MostBytes limit the fires that are kept, by number and by the length of their texts. The oldest are
	// dropped first. 0 means no limit.
	Most      int
	MostBytes int64

	mu      sync.Mutex
	fires   []*record.Line
	first   int // index of the oldest fire in fires
	bytes   int64
	dropped int
}

// Add adds a fire, or the end of a background hook.
func (b *Builder) Add(l *record.Line) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fires = append(b.fires, l)
	b.bytes += size(l)
	for b.isFull() {
		b.bytes -= size(b.fires[b.first])
		b.fires[b.first] = nil
		b.first++
		b.dropped++
	}
	if b.first > len(b.fires)/2 {
		b.fires = slices.Delete(b.fires, 0, b.first)
		b.first = 0
	}
}

func (b *Builder) isFull() bool {
	kept := len(b.fires) - b.first
	return b.Most > 0 && kept > b.Most || b.MostBytes > 0 && kept > 1 && b.bytes > b.MostBytes
}

// Dropped returns the number of fires that were not kept.
func (b *Builder) Dropped() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// Sessions returns the trees of the sessions, in order of their start. It sorts the fires; the time is nearly
// proportional to their number.
func (b *Builder) Sessions() []*Node {
	b.mu.Lock()
	fires := slices.Clone(b.fires[b.first:])
	b.mu.Unlock()
	fires = withEnds(fires)
	slices.SortStableFunc(fires, func(x, y *record.Line) int { return x.Time.Compare(y.Time) })
	byID := map[string]*session{}
	var all []*session
	for _, l := range fires {
		s := byID[l.Session]
		if s == nil {
			s = newSession(l)
			byID[l.Session], all = s, append(all, s)
		}
		s.take(l)
	}
	nodes := make([]*Node, len(all))
	for i, s := range all {
		nodes[i] = s.finish()
	}
	return nodes
}

// end returns the time at which a fire ended.
func end(l *record.Line) time.Time {
	return l.Time.Add(time.Duration(l.MS * float64(time.Millisecond)))
}

// sortChildren puts the children of n in the order of their start.
func sortChildren(n *Node) {
	slices.SortStableFunc(n.Children, func(a, b *Node) int { return cmp.Or(a.Start.Compare(b.Start), 0) })
	for _, c := range n.Children {
		sortChildren(c)
	}
}
