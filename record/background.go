package record

import (
	"strconv"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/pipeline"
)

// pendingLine is a fire whose line is not completely written.
type pendingLine struct {
	mu    sync.Mutex
	state lineState
	ends  []*pipeline.Evaluation
	late  []*pipeline.Evaluation // ends of background hooks
	place lineIDs

	// The fields below hold the rest of the line until it is written.
	info *pipeline.FireInfo
	out  *pipeline.FireOutcome
	head []byte
}

// lineState is the state of a fire's line.
type lineState uint8

const (
	open    lineState = iota // the fire has not ended
	held                     // the line waits for background hooks
	written                  // the line has been written; background hooks get their own lines
)

// lineIDs identify a line: its id, trace and span.
type lineIDs struct {
	id    [26]byte
	trace [32]byte
	span  [16]byte
}

// backgrounded returns the number of hooks that ran in the background.
func (f *pendingLine) backgrounded() (n int) {
	for _, e := range f.ends {
		if e.SkipReason == "" && e.Outcome == pipeline.Backgrounded {
			n++
		}
	}
	return n
}

// endWithBackground writes the line of a fire with running background hooks, or holds it until they have ended. The
// memory of such a fire is not reused, because the hooks' contexts refer to it.
func (r *Recorder) endWithBackground(f *pendingLine, info *pipeline.FireInfo, out *pipeline.FireOutcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.info, f.out = info, out
	f.head = r.appendHead(nil, info, &f.place)
	if r.cfg.Hold && len(f.late) < f.backgrounded() && r.hold(f) {
		f.state = held
		return
	}
	r.putHeld(f)
}

// hold stores a fire for release, unless release has already run.
func (r *Recorder) hold(f *pendingLine) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		return false
	}
	r.held[f] = struct{}{}
	return true
}

// release writes the held lines.
func (r *Recorder) release() {
	r.mu.Lock()
	all := r.held
	r.held = nil
	r.mu.Unlock()
	for f := range all {
		f.mu.Lock()
		if f.state == held {
			r.putHeld(f)
		}
		f.mu.Unlock()
	}
}

// putHeld writes the line of a fire with the background hooks that have ended. The caller has locked the mutex of f.
func (r *Recorder) putHeld(f *pendingLine) {
	l := r.sink.line()
	l.text = append(l.text, f.head...)
	l.text = r.appendTail(l.text, f.out, f.ends, f.late)
	r.sink.put(l)
	f.state, f.head, f.out, f.late = written, nil, nil, nil
	r.mu.Lock()
	delete(r.held, f)
	r.mu.Unlock()
}

// putLate writes a line for a hook that ended after the line of its fire was written. The caller has locked the fire's
// mutex.
func (r *Recorder) putLate(f *pendingLine, e *pipeline.Evaluation) {
	first := endOf(e, f.ends)
	if first == nil {
		return // the fire has no such hook
	}
	var own lineIDs
	l := r.sink.line()
	b := r.appendRevision(appendStart(l.text, f.info, time.Now(), &own))
	b = append(append(b, `,"trace":"`...), f.place.trace[:]...)
	b = append(appendHex(append(b, `","span":"`...), 16), `","parent":"`...)
	b = append(append(b, f.place.span[:]...), `","input":null,"refs":null,"decision":null,"reason":null`...)
	b = append(b, `,"stop":false,"rewritten":false,"would":null,"ms":0,"failed_open":0,"conflicts":[],"late":"`...)
	b = append(append(b, f.place.id[:]...), `","hooks":[`...)
	l.text = append(r.appendHook(b, first, false, e), "]}\n"...)
	r.sink.put(l)
}

// endOf searches all for the evaluation of the hook run that e belongs to; it returns nil if there is none.
func endOf(e *pipeline.Evaluation, all []*pipeline.Evaluation) *pipeline.Evaluation {
	for _, other := range all {
		if other.Hook == e.Hook && other.Index == e.Index && other.SkipReason == "" {
			return other
		}
	}
	return nil
}

// appendBackground appends how a background hook ended.
func (r *Recorder) appendBackground(b []byte, e *pipeline.Evaluation) []byte {
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
