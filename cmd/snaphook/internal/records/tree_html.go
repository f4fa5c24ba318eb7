package records

import (
	"bytes"
	_ "embed"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	rec "github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

//go:embed page.html
var page []byte

// pageData is the data of the page. Its rows form a tree by their depth.
type pageData struct {
	Total float64   `json:"total"` // milliseconds
	Fires int       `json:"fires"`
	Hooks int       `json:"hooks"`
	Rows  []pageRow `json:"rows"`
}

type pageRow struct {
	Depth   int         `json:"d"`
	Kind    string      `json:"k"`
	Name    string      `json:"n"`
	State   string      `json:"s,omitzero"`
	Start   float64     `json:"a"` // milliseconds
	Length  float64     `json:"b"`
	Bad     bool        `json:"bad,omitzero"`
	Off     bool        `json:"off,omitzero"` // a hook that did not run
	Filters []string    `json:"f,omitzero"`
	Details [][2]string `json:"x,omitzero"`
}

// pageOf returns a page of HTML without external references. Its texts are only in JSON, in which <
// > and & are escaped, and the page's script puts them into text nodes.
func pageOf(sessions []*tracetree.Node) ([]byte, error) {
	d := pageData{}
	first, last := sessions[0].Start, sessions[0].End
	for _, s := range sessions {
		if s.Start.Before(first) {
			first = s.Start
		}
		if s.End.After(last) {
			last = s.End
		}
	}
	for _, s := range sessions {
		s.Walk(func(n *tracetree.Node, depth int) bool {
			d.add(n, depth, first)
			return true
		})
	}
	d.Total = msOf(last.Sub(first))
	text, err := json.Marshal(
		&d,
		jsontext.EscapeForHTML(true),
		jsontext.EscapeForJS(true),
		jsontext.AllowInvalidUTF8(true),
	)
	if err != nil {
		return nil, err
	}
	return bytes.Replace(page, []byte("{{DATA}}"), text, 1), nil
}

func msOf(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (d *pageData) add(n *tracetree.Node, depth int, first time.Time) {
	row := pageRow{
		Depth:  depth,
		Kind:   string(n.Kind),
		Name:   nodeName(n),
		State:  string(n.State),
		Start:  msOf(n.Start.Sub(first)),
		Length: msOf(n.End.Sub(n.Start)),
	}
	row.Bad = n.State == tracetree.Denied || n.State == tracetree.Failed
	row.Details = [][2]string{{"started", n.Start.Format(time.RFC3339Nano)}, {"took", cli.Milliseconds(row.Length)}}
	at := len(d.Rows)
	d.Rows = append(d.Rows, row)
	for _, l := range n.Fires {
		d.Fires++
		d.Rows[at].Details = append(d.Rows[at].Details, fireDetails(l)...)
		if l.Decision == "deny" {
			d.Rows[at].Filters, d.Rows[at].Bad = append(d.Rows[at].Filters, "blocked"), true
		}
		for i := range l.Hooks {
			d.Hooks++
			d.Rows = append(d.Rows, hookRow(&l.Hooks[i], l, depth+1, first))
		}
	}
	if n.State == tracetree.Failed {
		d.Rows[at].Filters = append(d.Rows[at].Filters, "failed")
	}
}

// pairs returns the pairs whose value is not empty.
func pairs(all ...string) (some [][2]string) {
	for i := 0; i < len(all); i += 2 {
		if all[i+1] != "" {
			some = append(some, [2]string{all[i], all[i+1]})
		}
	}
	return some
}

func fireDetails(l *rec.Line) [][2]string {
	input := string(l.Input)
	if input == "null" {
		input = ""
	}
	if v := jsontext.Value(strings.Clone(input)); v.Indent() == nil {
		input = string(v)
	}
	all := pairs(
		"event",
		l.Event,
		"subject",
		l.Subject,
		"decision",
		l.Decision,
		"reason",
		l.Reason,
		"input",
		input,
		"trace",
		l.Trace,
		"span",
		l.Span,
	)
	if l.Would != nil {
		all = append(all, pairs("would be, if shadow hooks counted", l.Would.Decision+" "+l.Would.Reason)...)
	}
	return all
}

func hookRow(h *rec.Hook, l *rec.Line, depth int, first time.Time) pageRow {
	r := pageRow{
		Depth: depth,
		Kind:  "hook",
		Name:  cli.OneLine(h.Label()),
		Start: msOf(l.Time.Sub(first)),
		Off:   !h.Ran,
		State: h.Outcome,
	}
	queued, ms := "", ""
	if h.QueuedMS != nil {
		r.Start += *h.QueuedMS
		queued = cli.Milliseconds(*h.QueuedMS)
	}
	if h.MS != nil {
		r.Length = *h.MS
		ms = cli.Milliseconds(*h.MS)
	}
	exit := optional(h.Exit)
	if !h.Ran {
		r.State, r.Filters = "not run: "+h.Why, []string{"skipped"}
	}
	if h.Failed() {
		r.Filters = append(r.Filters, "failed")
	}
	if h.Decision == "deny" {
		r.Filters = append(r.Filters, "blocked")
	}
	if b := h.Background; b != nil {
		r.State += " → " + b.Outcome
		r.Length = b.MS
		if b.Failed() {
			r.Filters = append(r.Filters, "failed")
		}
	}
	r.Bad = h.Failed() || h.Background.Failed() || h.Decision == "deny"
	r.Details = pairs(
		"event",
		l.Event,
		"hook",
		h.ID,
		"command",
		h.Command,
		"from",
		h.File,
		"matcher",
		h.Matcher,
		"why it did not run",
		strings.TrimSpace(h.Why+" "+h.Detail),
		"exit status",
		exit,
		"took",
		ms,
		"waited for a permit",
		queued,
		"decision",
		h.Decision,
		"reason",
		h.Reason,
		"mode",
		h.Mode,
		"failure",
		h.Class,
		"error",
		h.Error,
		"answer",
		h.Answer,
		"standard error",
		h.Stderr,
	)
	r.Details = append(r.Details, endingDetails(h.Background)...)
	return r
}

// endingDetails describes how a hook ended in the background.
func endingDetails(e *rec.Ending) [][2]string {
	if e == nil {
		return nil
	}
	exit := optional(e.Exit)
	return pairs(
		"in the background",
		e.Outcome,
		"exit status there",
		exit,
		"took there",
		cli.Milliseconds(e.MS),
		"failure there",
		e.Class,
		"error there",
		e.Error,
		"answer there",
		e.Answer,
		"standard error there",
		e.Stderr,
	)
}
