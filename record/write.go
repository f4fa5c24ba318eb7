package record

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
)

// maxText bounds each text of a hook in a line.
const maxText = 4 << 10

// version is the v of the lines.
const version = 1

// lineText makes the text of lines.
type lineText struct {
	cfg   Config
	known hookTexts
}

// appendHead appends the line of a fire up to its outcome, and records its ids.
func (r *lineText) appendHead(b []byte, f *pipeline.FireInfo, at *lineIDs) []byte {
	b = appendStart(b, f, f.Time, at)
	b = appendTrace(b, f, at)
	return appendInput(r.appendRevision(b), f, &r.cfg)
}

// appendRevision appends the revision of the policy, if there is one.
func (r *lineText) appendRevision(b []byte) []byte {
	if r.cfg.Revision == nil {
		return b
	}
	return strconv.AppendUint(append(b, `,"revision":`...), r.cfg.Revision(), 10)
}

// appendStart appends the id, time, event, session and subject of a line.
func appendStart(b []byte, f *pipeline.FireInfo, now time.Time, at *lineIDs) []byte {
	b = appendID(append(b, `{"v":1,"id":"`...), now)
	copy(at.id[:], b[len(b)-len(at.id):])
	b = append(now.UTC().AppendFormat(append(b, `","time":"`...), "2006-01-02T15:04:05.000000Z"), '"')
	b = text(append(b, `,"event":`...), f.Event)
	b = text(append(b, `,"session":`...), f.Session)
	return text(append(b, `,"subject":`...), f.Subject)
}

// appendTail appends the outcome of a fire. late holds the ends of background hooks.
func (r *lineText) appendTail(b []byte, out *pipeline.FireOutcome, ends, late []*pipeline.Evaluation) []byte {
	b = text(append(b, `,"decision":`...), decision(out.Decision))
	b = text(append(b, `,"reason":`...), out.Reason)
	b = strconv.AppendBool(append(b, `,"stop":`...), out.Stop)
	b = strconv.AppendBool(append(b, `,"rewritten":`...), out.Rewritten)
	b = append(b, `,"would":`...)
	if out.Would == nil {
		b = append(b, "null"...)
	} else {
		b = text(append(b, `{"decision":`...), decision(out.Would.Decision))
		b = append(text(append(b, `,"reason":`...), out.Would.Reason), '}')
	}
	b = milliseconds(append(b, `,"ms":`...), out.Elapsed)
	b = strconv.AppendInt(append(b, `,"failed_open":`...), int64(out.FailedOpen), 10)
	b = appendConflicts(append(b, `,"conflicts":`...), out.Conflicts)
	b = append(b, `,"late":null,"hooks":[`...)
	for i, e := range ends {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.appendHook(b, e, slices.Contains(out.Differs, e.Hook), endOf(e, late))
	}
	return append(b, "]}\n"...)
}

// appendTrace appends the fire's span in a trace: the span set by an observer, a child of the caller's span, or the
// root of a new trace.
func appendTrace(b []byte, f *pipeline.FireInfo, at *lineIDs) []byte {
	trace, span, own := f.Trace.IDs()
	callers, parent, below := f.Caller.IDs()
	b = append(b, `,"trace":"`...)
	if trace = cmp.Or(trace, callers); own || below {
		b = append(b, trace...)
	} else {
		b = appendHex(appendHex(b, 16), 16)
	}
	copy(at.trace[:], b[len(b)-len(at.trace):])
	b = append(b, `","span":"`...)
	if own {
		b = append(b, span...)
	} else {
		b = appendHex(b, 16)
	}
	copy(at.span[:], b[len(b)-len(at.span):])
	b = append(b, `","parent":`...)
	if !below {
		return append(b, "null"...)
	}
	return append(append(append(b, '"'), parent...), '"')
}

func appendConflicts(b []byte, all []hook.Conflict) []byte {
	b = append(b, '[')
	for i, c := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(text(append(b, `{"key":`...), c.Key), `,"hooks":[`...)
		for j, h := range c.Hooks {
			if j > 0 {
				b = append(b, ',')
			}
			b = text(b, h.ID)
		}
		b = append(b, "]}"...)
	}
	return append(b, ']')
}

// appendHook appends the outcome of one hook. differs marks a hook in shadow whose answer would have changed the
// outcome. late is the end of a hook that went to the background, if it has ended.
func (r *lineText) appendHook(b []byte, e *pipeline.Evaluation, differs bool, late *pipeline.Evaluation) []byte {
	b = append(b, r.known.of(e.Hook)...)
	if e.SkipReason != "" {
		b = text(append(b, `,"ran":false,"why":`...), string(e.SkipReason))
		b = text(append(b, `,"detail":`...), e.SkipDetail)
		return append(
			b,
			`,"outcome":null,"exit":null,"ms":null,"queued_ms":null,"decision":null,"reason":null,"mode":"enforce","class":null,"failed_open":false,"error":null,"answer":null,"stderr":null,"differs":false,"recheck":false,"rewrote":false,"notes":[],"background":null}`...)
	}
	b = text(append(b, `,"ran":true,"why":null,"detail":null,"outcome":`...), string(e.Outcome))
	b = appendExit(append(b, `,"exit":`...), e)
	b = milliseconds(append(b, `,"ms":`...), e.Elapsed)
	b = milliseconds(append(b, `,"queued_ms":`...), e.Queued)
	if e.Granted > 0 {
		b = milliseconds(append(b, `,"granted_ms":`...), e.Granted)
	}
	b = text(append(b, `,"decision":`...), decision(e.Decision))
	b = text(append(b, `,"reason":`...), reason(e))
	b = text(append(b, `,"mode":`...), e.Mode.String())
	b = text(append(b, `,"class":`...), string(hook.ClassOf(e.Err)))
	b = strconv.AppendBool(append(b, `,"failed_open":`...), e.FailedOpen)
	b = appendError(append(b, `,"error":`...), e)
	answer, stderr := r.outputs(e)
	b = text(append(b, `,"answer":`...), answer)
	b = text(append(b, `,"stderr":`...), stderr)
	b = strconv.AppendBool(append(b, `,"differs":`...), differs)
	b = strconv.AppendBool(append(b, `,"recheck":`...), e.Recheck)
	b = strconv.AppendBool(append(b, `,"rewrote":`...), e.Rewrote)
	b = appendNotes(append(b, `,"notes":`...), e.Notes)
	return append(r.appendBackground(append(b, `,"background":`...), late), '}')
}

// mostNotes bounds the notes of a hook in a line.
const mostNotes = 16

func appendNotes(b []byte, notes []string) []byte {
	b = append(b, '[')
	for i, note := range notes[:min(len(notes), mostNotes)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(b, note, maxText)
	}
	return append(b, ']')
}

// reason returns the reason of a hook's decision. A denial by exit status without a reason has the standard error as
// its reason.
func reason(e *pipeline.Evaluation) string {
	if e.Reason == "" && e.Outcome == pipeline.Blocking && e.Reply != nil {
		return window(e.Reply.Stderr, maxText)
	}
	return e.Reason
}

// outputs returns the output of a hook, if the record keeps it.
func (r *lineText) outputs(e *pipeline.Evaluation) (stdout, stderr string) {
	if r.cfg.Input != Full || e.Reply == nil {
		return "", ""
	}
	return window(e.Reply.Stdout, maxText), window(e.Reply.Stderr, maxText)
}

// appendBackground appends how a background hook ended.
func (r *lineText) appendBackground(b []byte, e *pipeline.Evaluation) []byte {
	if e == nil {
		return append(b, "null"...)
	}
	b = text(append(b, `{"outcome":`...), string(e.Outcome))
	b = appendExit(append(b, `,"exit":`...), e)
	b = milliseconds(append(b, `,"ms":`...), e.Elapsed)
	b = milliseconds(append(b, `,"queued_ms":`...), e.Queued)
	b = text(append(b, `,"class":`...), string(e.Class))
	b = appendError(append(b, `,"error":`...), e)
	answer, stderr := r.outputs(e)
	b = text(append(b, `,"answer":`...), answer)
	return append(text(append(b, `,"stderr":`...), stderr), '}')
}

func appendExit(b []byte, e *pipeline.Evaluation) []byte {
	if reply := e.Reply; reply != nil && reply.Signal == nil && reply.Exit >= 0 && e.Outcome != pipeline.Cancelled {
		return strconv.AppendInt(b, int64(reply.Exit), 10)
	}
	return append(b, "null"...)
}

func appendError(b []byte, e *pipeline.Evaluation) []byte {
	if e.Err == nil {
		return append(b, "null"...)
	}
	return text(b, e.Err.Error())
}

// decision returns the word for a decision in a line.
func decision(d hook.Decision) string {
	switch {
	case d.Blocks():
		return "deny"
	case d == hook.Approve:
		return "allow"
	case d == hook.Allow, d == hook.Ask:
		return string(d)
	}
	return ""
}

// text appends a text with secrets redacted, cut to maxText; null if empty.
func text(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return quote(b, s, maxText)
}

// quote appends a text, cut after the given number of bytes, with a mark if the text was longer. It redacts secrets
// before the cut, because half a secret would not be recognised.
//
// Of a long text only the beginning is searched for secrets. The last part of that beginning is not used, because it
// may contain half a secret. Therefore the cost of a line does not depend on the length of its texts.
func quote(b []byte, s string, most int) []byte {
	if len(s) > most+around {
		s = environ.Scrub(s[:most+around])
		s = environ.Cut(s, min(most, max(0, len(s)-around/2))) + "…"
	} else if s = environ.Scrub(s); len(s) > most {
		s = environ.Cut(s, most) + "…"
	}
	quoted, _ := jsontext.AppendQuote(b, s) // replaces bytes that are not UTF-8
	return quoted
}

// around is the number of bytes beyond the kept ones that are searched for secrets.
const around = 64 << 10

// window returns the part of a text that [quote] reads.
func window(text []byte, most int) string { return string(text[:min(len(text), most+around+1)]) }

func milliseconds(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, float64(d.Microseconds())/1000, 'f', -1, 64)
}
