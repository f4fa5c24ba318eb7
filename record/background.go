package record

import (
	"sync"

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

// endOf searches all for the evaluation of the hook run that e belongs to; it returns nil if there is none.
func endOf(e *pipeline.Evaluation, all []*pipeline.Evaluation) *pipeline.Evaluation {
	for _, other := range all {
		if other.Hook == e.Hook && other.Index == e.Index && other.SkipReason == "" {
			return other
		}
	}
	return nil
}
