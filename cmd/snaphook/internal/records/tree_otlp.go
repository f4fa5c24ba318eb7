package records

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

// otlpSpan is a span in OTLP/JSON. This type and the types below have only the members that are used. Ids are
// hexadecimal, and times are nanoseconds in a string.
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

// otlpOf returns the trace as OTLP/JSON: a trace for each session, with a span for each node, each
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

// idOf returns an id that depends only on parts: the same record always gets the same ids.
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

// genAI returns the name of a span, and its attributes, by the conventions for generative AI.
func genAI(n *tracetree.Node) (name string, attributes []string) {
	operation := func(word, of string) string {
		attributes = append(attributes, "gen_ai.operation.name", word)
		return strings.TrimSpace(word + " " + cli.OneLine(of))
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
