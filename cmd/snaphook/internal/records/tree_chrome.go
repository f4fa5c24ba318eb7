package records

import (
	"container/heap"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/record/tracetree"
)

// chromeEvent is an event of the trace event format.
type chromeEvent struct {
	Name  string            `json:"name"`
	Cat   string            `json:"cat,omitzero"`
	Phase string            `json:"ph"`
	Start int64             `json:"ts"` // microseconds
	Dur   *int64            `json:"dur,omitzero"`
	PID   int               `json:"pid"`
	TID   int               `json:"tid"`
	Args  map[string]string `json:"args,omitzero"`
}

// chromeOf returns the trace in the trace event format: a process for each session, with threads on
// which only nested nodes overlap.
func chromeOf(sessions []*tracetree.Node) ([]byte, error) {
	var all []chromeEvent
	for i, s := range sessions {
		c := chrome{pid: i + 1, latest: map[*tracetree.Node]time.Time{}}
		c.end(s)
		c.events = append(
			c.events,
			chromeEvent{Name: "process_name", Phase: "M", PID: c.pid, Args: map[string]string{"name": nodeName(s)}},
		)
		c.add(s, 0)
		all = append(all, c.events...)
	}
	return json.Marshal(
		map[string]any{"traceEvents": all, "displayTimeUnit": "ms"},
		json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true),
	)
}

type chrome struct {
	pid    int
	events []chromeEvent
	busy   threads
	latest map[*tracetree.Node]time.Time // the time at which the last part of a node ended
}

// threads holds the threads of a process as a heap, with the thread that is free first at the top.
type threads []thread

type thread struct {
	id    int
	until time.Time
}

func (t threads) Len() int           { return len(t) }
func (t threads) Less(i, j int) bool { return t[i].until.Before(t[j].until) }
func (t threads) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *threads) Push(one any)      { *t = append(*t, one.(thread)) } //nolint:forcetypeassert // always a thread
func (t *threads) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// add adds a node to a thread, and its children to the same thread while they fit.
func (c *chrome) add(n *tracetree.Node, thread int) {
	c.span(n, thread)
	free := n.Start // the time from which the thread is free within n
	for _, child := range n.Children {
		if !child.Start.Before(free) && !child.End.After(n.End) {
			free = child.End
			c.add(child, thread)
			continue
		}
		c.add(child, c.thread(child))
	}
}

// thread returns a thread that is free at the time of n.
func (c *chrome) thread(n *tracetree.Node) int {
	if len(c.busy) > 0 && !n.Start.Before(c.busy[0].until) {
		id := c.busy[0].id
		c.busy[0].until = c.latest[n]
		heap.Fix(&c.busy, 0)
		return id
	}
	t := thread{len(c.busy) + 1, c.latest[n]}
	heap.Push(&c.busy, t)
	return t.id
}

// end stores and returns the time at which the last part of a node ended.
func (c *chrome) end(n *tracetree.Node) time.Time {
	latest := n.End
	for _, child := range n.Children {
		if end := c.end(child); end.After(latest) {
			latest = end
		}
	}
	c.latest[n] = latest
	return latest
}

func (c *chrome) span(n *tracetree.Node, thread int) {
	dur := n.End.Sub(n.Start).Microseconds()
	args := map[string]string{}
	for _, p := range pairs("id", n.ID, "state", string(n.State)) {
		args[p[0]] = p[1]
	}
	c.events = append(
		c.events,
		chromeEvent{
			Name:  nodeName(n),
			Cat:   string(n.Kind),
			Phase: "X",
			Start: n.Start.UnixMicro(),
			Dur:   &dur,
			PID:   c.pid,
			TID:   thread,
			Args:  args,
		},
	)
	for _, l := range n.Fires {
		for i := range l.Hooks {
			h := &l.Hooks[i]
			args := map[string]string{}
			for _, p := range hookDetails(h, l) {
				args[p[0]] = p[1]
			}
			c.events = append(
				c.events,
				chromeEvent{
					Name:  h.Label(),
					Cat:   "hook",
					Phase: "i",
					Start: l.Time.UnixMicro(),
					PID:   c.pid,
					TID:   thread,
					Args:  args,
				},
			)
		}
	}
}
