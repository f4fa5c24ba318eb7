package tracepage

import (
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/explain"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

// waterfallRow is a line of the waterfall. The depths of rows form a tree. Rows are compared with == to find changes.
type waterfallRow struct {
	Key     string  `json:"key"` // identifies the same item in every frame
	Fire    string  `json:"id,omitzero"`
	Depth   int     `json:"d"`
	Kind    string  `json:"k"`
	Name    string  `json:"n"`
	State   string  `json:"s,omitzero"`
	Start   float64 `json:"a"` // milliseconds from the beginning of the frame
	Length  float64 `json:"b"`
	Bad     bool    `json:"bad,omitzero"`
	Off     bool    `json:"off,omitzero"` // a hook that did not run
	Filters string  `json:"f,omitzero"`   // blocked, failed, skipped
	Words   string  `json:"w,omitzero"`   // additional words for the search
}

// frame is the state of the page.
type frame struct {
	Version int            `json:"version"`
	Begin   int64          `json:"begin"` // Unix time in milliseconds
	Total   float64        `json:"total"`
	Fires   int            `json:"fires"`
	Looked  int            `json:"hooks"`
	Dropped int            `json:"dropped,omitzero"` // number of fires that are no longer kept
	Rows    []waterfallRow `json:"rows"`
	Hooks   []stat         `json:"stats"`

	lines map[string]*record.Line // by id
}

// Limits of texts in rows: maxName and maxWords in bytes, maxLabel in characters.
const (
	maxName  = 160
	maxWords = 300
	maxLabel = 64
)

// frameOf returns the frame of sessions.
func frameOf(sessions []*tracetree.Node) *frame {
	f := &frame{Rows: []waterfallRow{}, Hooks: []stat{}, lines: map[string]*record.Line{}}
	if len(sessions) == 0 {
		return f
	}
	first, last := sessions[0].Start, sessions[0].End
	for _, s := range sessions {
		if s.Start.Before(first) {
			first = s.Start
		}
		if s.End.After(last) {
			last = s.End
		}
	}
	f.Begin, f.Total = first.UnixMilli(), milliseconds(last.Sub(first))
	t := tally{}
	for _, s := range sessions {
		f.addNode(s, 0, first, "", &t, false)
	}
	f.Hooks = t.sorted()
	return f
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// addNode adds the row of a node and then, ordered by time, the rows of its hooks and children.
func (f *frame) addNode(n *tracetree.Node, depth int, first time.Time, above string, t *tally, open bool) {
	r := waterfallRow{
		Depth: depth, Kind: string(n.Kind), Name: nameOf(n), State: string(n.State),
		Start: milliseconds(n.Start.Sub(first)), Length: milliseconds(n.End.Sub(n.Start)),
		Bad: n.State == tracetree.Denied || n.State == tracetree.Failed,
	}
	if n.State == tracetree.Unfinished && n.Kind != tracetree.Turn && !open {
		r.State = "" // the turn has ended: the node has ended too, although the record lacks its end
	}
	if len(n.Fires) > 0 {
		r.Fire = n.Fires[0].ID
	}
	r.Key = above + "/" + r.Kind + " " + cut(n.ID, maxName) + " " + r.Fire
	var filters []string
	for _, l := range n.Fires {
		if l.Decision == "deny" {
			filters, r.Bad = append(filters, "blocked"), true
			r.Fire = l.ID
		}
		r.Words += " " + l.Event + " " + l.Reason
	}
	if n.State == tracetree.Failed {
		filters = append(filters, "failed")
	}
	r.Words, r.Filters = strings.ToLower(cut(n.ID+r.Words, maxWords)), strings.Join(slices.Compact(filters), " ")
	f.Rows = append(f.Rows, r)
	open = n.State == tracetree.Unfinished && (n.Kind == tracetree.Turn || open) || n.Kind == tracetree.Session
	child := 0
	for _, l := range n.Fires {
		for child < len(n.Children) && n.Children[child].Start.Before(l.Time) {
			f.addNode(n.Children[child], depth+1, first, r.Key, t, open)
			child++
		}
		f.addFire(l, depth+1, first, t)
	}
	for _, c := range n.Children[child:] {
		f.addNode(c, depth+1, first, r.Key, t, open)
	}
}

func (f *frame) addFire(l *record.Line, depth int, first time.Time, t *tally) {
	f.Fires++
	f.Looked += len(l.Hooks)
	f.lines[l.ID] = l
	for i := range l.Hooks {
		h := &l.Hooks[i]
		t.add(l, h)
		r := hookRow(l, h, depth, first)
		r.Key = "hook " + l.ID + " " + string(rune('0'+i%10)) + " " + cut(h.ID, maxName)
		f.Rows = append(f.Rows, r)
	}
}

// nameOf returns the name of a node's row: the command of a call, or the prompt of a turn.
func nameOf(n *tracetree.Node) string {
	words := []string{string(n.Kind)}
	switch n.Kind {
	case tracetree.Tool, tracetree.Mark:
		words = []string{n.Name}
	case tracetree.Agent:
		words = append(words, n.Name)
	case tracetree.Session:
		return oneLine(strings.Join([]string{"session", n.ID}, " "), maxName)
	}
	call := ""
	for _, l := range n.Fires {
		if call = explain.Call(l.Input); call != "" {
			break
		}
	}
	if call == "" {
		call = n.ID
	}
	return oneLine(strings.TrimSpace(strings.Join(append(words, call), " ")), maxName)
}

func hookRow(l *record.Line, h *record.Hook, depth int, first time.Time) waterfallRow {
	r := waterfallRow{
		Fire: l.ID, Depth: depth, Kind: "hook", Name: label(h), Start: milliseconds(l.Time.Sub(first)), Off: !h.Ran,
		State: h.Outcome,
	}
	if h.QueuedMS != nil {
		r.Start += *h.QueuedMS
	}
	if h.MS != nil {
		r.Length = *h.MS
	}
	var filters []string
	if !h.Ran {
		r.State, filters = "not run: "+h.Why, append(filters, "skipped")
	}
	if b := h.Background; b != nil {
		r.State, r.Length = r.State+" → "+b.Outcome, b.MS
	}
	if h.Mode == "shadow" {
		r.State += ", shadow"
	}
	if h.Failed() || h.Background.Failed() {
		filters = append(filters, "failed")
	}
	if h.Decision == "deny" && h.Mode != "shadow" {
		filters = append(filters, "blocked")
	}
	r.Bad = h.Failed() || h.Background.Failed() || h.Decision == "deny" && h.Mode != "shadow"
	r.Filters = strings.Join(filters, " ")
	r.Words = strings.ToLower(cut(strings.Join([]string{l.Event, h.ID, h.Command, h.Matcher, h.Reason, h.Error, h.Detail}, " "), maxWords))
	return r
}

// label returns the name of a hook, shortened in the middle, because it begins with a program and ends with a file.
func label(h *record.Hook) string {
	runes := []rune(oneLine(h.Label(), 4*maxLabel))
	if len(runes) <= maxLabel {
		return string(runes)
	}
	head := (maxLabel - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(maxLabel-1-head):])
}

// oneLine returns a text as one line, cut after the given number of bytes, with an ellipsis at the cut.
func oneLine(s string, most int) string { return strings.Join(strings.Fields(cut(s, most)), " ") }

func cut(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "")
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// stat counts the runs of one hook.
type stat struct {
	Event   string    `json:"event"`
	ID      string    `json:"id"`
	Label   string    `json:"label"`
	Looked  int       `json:"looked"`
	Ran     int       `json:"ran"`
	Blocked int       `json:"blocked"`
	Failed  int       `json:"failed"`
	Open    int       `json:"open"`
	P50     float64   `json:"p50"`
	P95     float64   `json:"p95"`
	Last    []float64 `json:"last"` // milliseconds of the last runs, the newest last

	all []float64
}

// Limits of the statistics: hooks that are counted, runs for the percentiles, and runs that are drawn.
const (
	mostHooks = 500
	mostRuns  = 2000
	mostDrawn = 40
)

type tally struct {
	by map[[2]string]*stat
}

func (t *tally) add(l *record.Line, h *record.Hook) {
	key := [2]string{l.Event, h.ID}
	s := t.by[key]
	if s == nil {
		if len(t.by) >= mostHooks {
			return
		}
		if t.by == nil {
			t.by = map[[2]string]*stat{}
		}
		s = &stat{Event: cut(l.Event, maxName), ID: cut(h.ID, maxName), Label: label(h), Last: []float64{}}
		t.by[key] = s
	}
	s.Looked++
	if !h.Ran {
		return
	}
	s.Ran++
	if h.Decision == "deny" {
		s.Blocked++
	}
	if h.Failed() {
		s.Failed++
		if h.IsFailedOpen() {
			s.Open++
		}
	}
	if h.MS != nil {
		if s.all = append(s.all, *h.MS); len(s.all) > 2*mostRuns {
			s.all = slices.Delete(s.all, 0, len(s.all)-mostRuns)
		}
	}
}

// sorted returns the hooks, ordered by fail-open runs, then by failures, blocks and runs, all descending.
func (t *tally) sorted() []stat {
	all := make([]stat, 0, len(t.by))
	for _, s := range t.by {
		s.Last = append(s.Last, s.all[max(0, len(s.all)-mostDrawn):]...)
		if runs := slices.Clone(s.all[max(0, len(s.all)-mostRuns):]); len(runs) > 0 {
			slices.Sort(runs)
			s.P50, s.P95 = runs[(len(runs)-1)/2], runs[(len(runs)*95+99)/100-1]
		}
		s.all = nil
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b stat) int {
		for _, d := range []int{b.Open - a.Open, b.Failed - a.Failed, b.Blocked - a.Blocked, b.Ran - a.Ran} {
			if d != 0 {
				return d
			}
		}
		return strings.Compare(a.Event+a.ID, b.Event+b.ID)
	})
	return all
}
