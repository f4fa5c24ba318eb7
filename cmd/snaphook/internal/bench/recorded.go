package bench

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/permission"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/wire"
)

// Recorded holds the calls of an event in a record, from which the gain of an "if" is computed.
type Recorded struct {
	File  string
	Dir   string // base of the relative paths in the calls
	Event string
	by    map[string][]recordedCall // calls by the hook's command
}

type recordedCall struct {
	call  permission.Call
	spoke bool // the hook decided, failed, or answered
}

// Add reads a line of a record. It ignores lines of other events, and lines without their whole
// input.
func (r *Recorded) Add(l *record.Line) {
	input := wire.Object(l.Input)
	if l.Event != r.Event || !wire.Object(input.Get("tool_input")).IsObject() || input.Text("tool_name") == "" ||
		records.Unfit(l) != "" {
		return
	}
	for i := range l.Hooks {
		h := &l.Hooks[i]
		if !h.Ran {
			continue
		}
		if r.by == nil {
			r.by = map[string][]recordedCall{}
		}
		spoke := h.Decision != "" || h.Failed() || strings.TrimSpace(h.Answer) != "" || h.Exit != nil && *h.Exit != 0
		call := permission.Call{Tool: input.Text("tool_name"), Input: wire.Object(input.Get("tool_input")), Dir: r.Dir}
		r.by[h.Command] = append(r.by[h.Command], recordedCall{call, spoke})
	}
}

// A rule is derived only from at least fewestRuns runs of a hook, in at least fewestSpoken of which the hook spoke.
const (
	fewestRuns   = 20
	fewestSpoken = 2
)

func (r *Recorded) ran(h *hook.Hook) int { return len(r.by[h.Command]) }

// rule returns a permission rule that matches all recorded calls in which a hook spoke, and the
// share of its calls that the rule would skip.
func (r *Recorded) rule(h *hook.Hook) (rule string, part float64, ok bool) {
	if r == nil || h.Dialect != "claude" || h.If != "" || len(r.by[h.Command]) < fewestRuns {
		return "", 0, false
	}
	calls := r.by[h.Command]
	if rule = common(calls); rule == "" {
		return "", 0, false
	}
	parsed, err := permission.Parse(rule, permission.Origin{Root: r.Dir})
	if err != nil {
		return "", 0, false
	}
	skipped := 0
	for _, c := range calls {
		switch matches := parsed.Match(c.call); {
		case c.spoke && !matches:
			return "", 0, false
		case !matches:
			skipped++
		}
	}
	part = float64(skipped) / float64(len(calls))
	return rule, part, part > leastPart
}

// common returns the rule that matches all calls in which a hook spoke: their tool, and for Bash
// their first word.
func common(calls []recordedCall) (rule string) {
	spoken := 0
	for _, c := range calls {
		if !c.spoke {
			continue
		}
		spoken++
		one := c.call.Tool
		if word := firstWord(c.call); word != "" {
			one += "(" + word + " *)"
		}
		if rule != "" && rule != one {
			return ""
		}
		rule = one
	}
	if spoken < fewestSpoken {
		return ""
	}
	return rule
}

// firstWord returns the program that a command of Bash calls; empty for other calls.
func firstWord(c permission.Call) string {
	text := c.Input.Text("command")
	if c.Tool != "Bash" {
		return ""
	}
	file, err := bash.Parse(text)
	if err != nil || len(file.Stmts) == 0 {
		return ""
	}
	if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		return call.Args[0].Lit()
	}
	return ""
}

// Empty reports whether the record has no calls of the event.
func (r *Recorded) Empty() bool { return r == nil || len(r.by) == 0 }
