package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/tracetree"
)

// chromeEvent is one of the trace event format.
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

// chromeOf is the trace event format: a process for each session, and threads on
// which nothing overlaps that is not nested.
func chromeOf(sessions []*tracetree.Node) ([]byte, error) {
	var all []chromeEvent
	for i, s := range sessions {
		c := chrome{pid: i + 1}
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
	busy   []time.Time // until when, by thread
}

// add adds a node to a thread, and what is below it to the same one as long as
// that fits.
func (c *chrome) add(n *tracetree.Node, thread int) {
	c.span(n, thread)
	free := n.Start // the thread's time within n
	for _, child := range n.Children {
		if !child.Start.Before(free) && !child.End.After(n.End) {
			free = child.End
			c.add(child, thread)
			continue
		}
		c.add(child, c.thread(child))
	}
}

// thread is one that has nothing at the time of n.
func (c *chrome) thread(n *tracetree.Node) int {
	for i, until := range c.busy {
		if !n.Start.Before(until) {
			c.busy[i] = latest(n)
			return i + 1
		}
	}
	c.busy = append(c.busy, latest(n))
	return len(c.busy)
}

// latest is when the last part of n ended.
func latest(n *tracetree.Node) (t time.Time) {
	n.Walk(func(n *tracetree.Node, _ int) bool {
		if n.End.After(t) {
			t = n.End
		}
		return true
	})
	return t
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
			for _, p := range hookRow(h, l, 0, l.Time).Details {
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

// The forms of OTLP/JSON that are used: ids are hexadecimal, times are
// nanoseconds in a string.
type otlpSpan struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	Parent     string          `json:"parentSpanId,omitzero"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes,omitzero"`
	Status     *otlpStatus     `json:"status,omitzero"`
}

type otlpAttribute struct {
	Key   string            `json:"key"`
	Value map[string]string `json:"value"`
}

type otlpStatus struct {
	Code    int    `json:"code"` // 2 is an error
	Message string `json:"message,omitzero"`
}

// otlpOf is OTLP/JSON: a trace for each session, with a span for each node, each
// fire and each hook that ran.
func otlpOf(sessions []*tracetree.Node) ([]byte, error) {
	spans := []otlpSpan{}
	for _, s := range sessions {
		trace := idOf(32, "session", s.ID, s.Start.String())
		(&otlp{trace: trace, session: s.ID, spans: &spans}).add(s, "", "0")
	}
	scope := map[string]any{"scope": map[string]string{"name": "github.com/snaphook-go/snaphook"}, "spans": spans}
	resource := map[string]any{"attributes": []otlpAttribute{attribute("service.name", "snaphook")}}
	return json.Marshal(
		map[string]any{"resourceSpans": []any{map[string]any{"resource": resource, "scopeSpans": []any{scope}}}},
		json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true),
	)
}

type otlp struct {
	trace, session string
	spans          *[]otlpSpan
}

// idOf makes ids that are the same for the same record.
func idOf(digits int, parts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:])[:digits]
}

func attribute(key, value string) otlpAttribute {
	return otlpAttribute{key, map[string]string{"stringValue": value}}
}

func (o *otlp) span(id, parent, name string, start, end time.Time, failed string, attributes ...string) {
	s := otlpSpan{
		TraceID: o.trace, SpanID: id, Parent: parent, Name: name, Kind: 1,
		Start: strconv.FormatInt(start.UnixNano(), 10), End: strconv.FormatInt(end.UnixNano(), 10),
	}
	for _, p := range pairs(attributes...) {
		s.Attributes = append(s.Attributes, attribute(p[0], p[1]))
	}
	if failed != "" {
		s.Status = &otlpStatus{Code: 2, Message: failed}
	}
	*o.spans = append(*o.spans, s)
}

// genAI is the name of a span, and its attributes, by the conventions for
// generative AI.
func genAI(n *tracetree.Node) (name string, attributes []string) {
	operation := func(word, of string) string {
		attributes = append(attributes, "gen_ai.operation.name", word)
		return strings.TrimSpace(word + " " + oneLine(of))
	}
	switch n.Kind {
	case tracetree.Tool:
		name = operation("execute_tool", n.Name)
		return name, append(attributes, "gen_ai.tool.name", n.Name, "gen_ai.tool.call.id", n.ID)
	case tracetree.Agent:
		name = operation("invoke_agent", n.Name)
		return name, append(attributes, "gen_ai.agent.name", n.Name, "gen_ai.agent.id", n.ID)
	case tracetree.Model:
		return operation("chat", ""), attributes
	}
	return nodeName(n), nil
}

func (o *otlp) add(n *tracetree.Node, parent, path string) {
	id, failed := idOf(16, o.trace, path), ""
	if n.State == tracetree.Failed {
		failed = "failed"
	}
	name, attributes := genAI(n)
	attributes = append(attributes, "gen_ai.conversation.id", o.session, "snaphook.state", string(n.State))
	o.span(id, parent, name, n.Start, n.End, failed, attributes...)
	for i, l := range n.Fires {
		fire := idOf(16, o.trace, path, "fire", strconv.Itoa(i))
		stop := l.Time.Add(msToTime(l.MS))
		o.span(
			fire,
			id,
			"hook.fire "+l.Event,
			l.Time,
			stop,
			"",
			"snaphook.event",
			l.Event,
			"snaphook.subject",
			l.Subject,
			"snaphook.decision",
			l.Decision,
			"snaphook.reason",
			l.Reason,
		)
		for j := range l.Hooks {
			h := &l.Hooks[j]
			if !h.Ran || h.MS == nil {
				continue
			}
			end, failed, class, outcome := l.Time.Add(msToTime(*h.MS)), h.Error, h.Class, h.Outcome
			if b := h.Background; b != nil {
				end, failed, class, outcome = l.Time.Add(msToTime(b.MS)), b.Error, b.Class, b.Outcome
			}
			o.span(
				idOf(16, fire, strconv.Itoa(j)),
				fire,
				"hook "+h.Label(),
				l.Time,
				end,
				failed,
				"snaphook.hook.id",
				h.ID,
				"snaphook.hook.outcome",
				outcome,
				"snaphook.decision",
				h.Decision,
				"snaphook.reason",
				h.Reason,
				"error.type",
				class,
			)
		}
	}
	for i, child := range n.Children {
		o.add(child, id, path+"."+strconv.Itoa(i))
	}
}

func msToTime(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
