package record

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Input selects the part of an event's input that a line keeps.
type Input uint8

// The selections. With every selection, a line has the refs: the ids that connect events, such as tool_use_id.
const (
	Keys Input = iota // the object, with the JSON type of each leaf in place of its value
	None              // null
	Full              // the object, with secrets redacted; also the hooks' answers and standard error
)

// Config configures a record. The zero Config keeps the keys of the input.
type Config struct {
	Input    Input
	MaxInput int // limit in bytes for the input of a line; more is left out. 0 means 4 KiB

	// MaxSize is the size in bytes at which a file is rotated: renamed to FILE.1, FILE.1 to FILE.2, and so on up to
	// Keep; the oldest is removed. 0 means 64 MiB and 8 files; if MaxSize is negative, files are never rotated. Only
	// Open uses it.
	MaxSize int64
	Keep    int

	// Hold delays the line of a fire until its background hooks have ended too, or the record is closed. It is for
	// programs that wait for background hooks anyway. Without Hold the line is written when the fire ends, and each
	// background hook gets a second line when it ends. The member late of a second line is the id of the first.
	Hold bool

	// Revision returns the revision of the policy in force, which is written to each line. Nil: lines have no revision.
	Revision func() uint64

	// Log gets one warning, when lines are lost for the first time. Nil means [slog.Default].
	Log *slog.Logger
}

// Recorder writes a line for each fire. Its methods may be called from many goroutines.
//
// A separate goroutine writes the lines, and a fire waits for its line at most a millisecond: a writer that is slow,
// full or broken neither delays nor changes an answer. Lines that could not be written are counted. For a fire with one
// hook in Go, a Recorder costs about five microseconds and seven allocations.
type Recorder struct {
	lineText
	sink  *queuedWriter
	fires sync.Pool // of *pendingLine

	mu   sync.Mutex
	held map[*pendingLine]struct{} // fires whose lines wait for background hooks
}

var (
	_ pipeline.Observer       = (*Recorder)(nil)
	_ pipeline.PromptObserver = (*Recorder)(nil)
)

// New makes a Recorder that writes to w, with one call for each line. The caller closes the Recorder, which closes w if
// w is an [io.Closer].
func New(w io.Writer, cfg Config) *Recorder {
	if cfg.MaxInput <= 0 {
		cfg.MaxInput = 4 << 10
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	r := &Recorder{lineText: lineText{cfg: cfg}, sink: newSink(w, cfg.Log), held: map[*pendingLine]struct{}{}}
	r.fires.New = func() any { return new(pendingLine) }
	return r
}

// Open makes a Recorder that appends to a file, which is created if necessary. Any number of processes may append to
// one file: each line is written atomically, and a lock protects the rotation.
func Open(path string, cfg Config) (*Recorder, error) {
	file, err := openFile(path, cfg)
	if err != nil {
		return nil, err
	}
	return New(file, cfg), nil
}

// Lost returns the number of lines that were not written, and the error of the first.
func (r *Recorder) Lost() (n int64, err error) { return r.sink.lost() }

// Close writes the queued lines, for at most the given time, and closes the file. Lines that are left count as lost.
func (r *Recorder) Close(within time.Duration) {
	r.release()
	r.sink.close(within)
}

// SystemEnd implements [pipeline.SystemEnder]. It closes the record, within a second: use a Recorder in only one
// System.
func (r *Recorder) SystemEnd() { r.Close(time.Second) }

// ObservesPromptly implements [pipeline.PromptObserver].
func (r *Recorder) ObservesPromptly() {}

type fireKey struct{ r *Recorder }

// FireStart implements [pipeline.Observer].
func (r *Recorder) FireStart(ctx context.Context, _ *pipeline.FireInfo) context.Context {
	return context.WithValue(ctx, fireKey{r}, r.fires.Get())
}

// HookEnd implements [pipeline.Observer].
func (r *Recorder) HookEnd(ctx context.Context, e *pipeline.Evaluation) {
	f, ok := ctx.Value(fireKey{r}).(*pendingLine)
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !e.Late:
		f.ends = append(f.ends, e)
	case f.state == written:
		r.putLate(f, e)
	default:
		f.late = append(f.late, e)
		if f.state == held && len(f.late) >= f.backgrounded() {
			r.putHeld(f)
		}
	}
}

// FireEnd implements [pipeline.Observer].
func (r *Recorder) FireEnd(ctx context.Context, info *pipeline.FireInfo, out *pipeline.FireOutcome) {
	f, ok := ctx.Value(fireKey{r}).(*pendingLine)
	if !ok {
		return
	}
	inPlanOrder(f.ends, info.Hooks)
	if f.backgrounded() > 0 {
		r.endWithBackground(f, info, out)
		return
	}
	l := r.sink.line()
	l.text = r.appendHead(l.text, info, &f.place)
	l.text = r.appendTail(l.text, out, f.ends, nil)
	r.sink.put(l)
	clear(f.ends)
	f.ends = f.ends[:0]
	r.fires.Put(f)
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

// inPlanOrder sorts the hooks of a fire, which end in any order.
func inPlanOrder(ends []*pipeline.Evaluation, plan []*hook.Hook) {
	if len(ends) < 2 {
		return
	}
	place := make(map[*hook.Hook]int, len(plan))
	for i, h := range plan {
		place[h] = i
	}
	sortByPlace(ends, func(e *pipeline.Evaluation) int {
		if i, ok := place[e.Hook]; ok {
			return i
		}
		return len(plan) + e.Index // registered during the fire
	})
}
