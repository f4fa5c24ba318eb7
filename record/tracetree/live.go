package tracetree

import (
	"bytes"
	"log/slog"
	"time"

	"github.com/snaphook-go/snaphook/record"
)

// Live is an observer that builds trees from fires as they end. It returns the same trees as a Builder that reads a
// record of these fires.
type Live struct {
	*record.Recorder
	Builder
}

// NewLive makes a Live. The observed system needs ObserveIdle; otherwise the trees lack the events without hooks.
func NewLive() *Live {
	l := &Live{}
	l.Recorder = record.New(builderWriter{&l.Builder}, record.Config{Log: slog.New(slog.DiscardHandler)})
	return l
}

// Sessions returns the trees of the fires until now. Before Close, the trees may lack the last fires.
func (l *Live) Sessions() []*Node { return l.Builder.Sessions() }

// Close ends the observer, within the given time.
func (l *Live) Close(within time.Duration) { l.Recorder.Close(within) }

// builderWriter adds the lines that are written to it.
type builderWriter struct{ to *Builder }

func (f builderWriter) Write(text []byte) (int, error) {
	for _, l := range record.Lines(bytes.NewReader(text), nil) {
		f.to.Add(l)
	}
	return len(text), nil
}
