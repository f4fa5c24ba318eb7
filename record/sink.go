package record

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"
)

// Limits of the queue for a slow sink.
const (
	maxWaiting = 1024                   // number of lines
	patience   = 900 * time.Microsecond // time that a fire waits
)

var (
	errSlow   = errors.New("the sink is slower than the fires")
	errClosed = errors.New("the record was closed before they could be written")
)

// queuedLine is one line for the writer.
type queuedLine struct {
	text    []byte
	written chan struct{} // gets a token when the line is written
}

// queuedWriter writes lines on a separate goroutine, so that fires do not wait for a slow writer.
type queuedWriter struct {
	w     io.Writer
	log   *slog.Logger
	queue chan *queuedLine
	lines sync.Pool // of *queuedLine
	times sync.Pool // of *time.Timer

	mu        sync.Mutex
	started   bool
	closed    bool
	ended     bool // every line has been written, or counted as lost
	abandoned bool
	n         int64 // number of lost lines
	err       error // why the first line was lost
	done      chan struct{}
}

func newSink(w io.Writer, log *slog.Logger) *queuedWriter {
	return &queuedWriter{w: w, log: log, queue: make(chan *queuedLine, maxWaiting), done: make(chan struct{})}
}

// line returns an empty line from the pool.
func (s *queuedWriter) line() *queuedLine {
	if l, ok := s.lines.Get().(*queuedLine); ok {
		l.text = l.text[:0]
		return l
	}
	return &queuedLine{text: make([]byte, 0, 1024), written: make(chan struct{}, 1)}
}

// put queues a line, and waits a short time until it is written: if the process is then killed, only the last line is
// lost.
func (s *queuedWriter) put(l *queuedLine) {
	if !s.enqueue(l) {
		return
	}
	runtime.Gosched() // most lines are written during this call
	select {
	case <-l.written:
		s.lines.Put(l)
		return
	default:
	}
	t, ok := s.times.Get().(*time.Timer)
	if ok {
		t.Reset(patience)
	} else {
		t = time.NewTimer(patience)
	}
	select {
	case <-l.written:
		s.lines.Put(l)
	case <-t.C: // the writing goroutine owns the line now
	}
	t.Stop()
	s.times.Put(t)
}

// enqueue queues a line, unless the queue is full.
func (s *queuedWriter) enqueue(l *queuedLine) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.lose(1, errClosed)
		return false
	}
	if !s.started {
		s.started = true
		go s.write()
	}
	select {
	case s.queue <- l:
		return true
	default:
		s.lose(1, errSlow)
		return false
	}
}

// write writes the queued lines until close is called.
func (s *queuedWriter) write() {
	defer close(s.done)
	defer s.end()
	for l := range s.queue {
		if err := s.writeOne(l.text); err != nil {
			s.mu.Lock()
			if !s.abandoned { // an abandoned line has already been counted
				s.lose(1, err)
			}
			s.mu.Unlock()
		}
		l.written <- struct{}{}
	}
}

// writeOne writes a line. It returns an error if the writer panics.
func (s *queuedWriter) writeOne(text []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("the sink panicked")
		}
	}()
	n, err := s.w.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	return err
}

// lose counts lost lines and warns of the first. The caller has locked the mutex.
func (s *queuedWriter) lose(n int64, why error) {
	if s.n += n; s.err != nil {
		return
	}
	s.err = why
	go s.log.LogAttrs(
		context.Background(),
		slog.LevelWarn,
		"the record of hooks is incomplete; this warning is not repeated",
		slog.String("error", why.Error()),
	)
}

func (s *queuedWriter) lost() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n, s.err
}

// close waits, for a limited time, until the queue is empty.
func (s *queuedWriter) close(wait time.Duration) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	close(s.queue)
	started := s.started
	s.mu.Unlock()
	if started {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-s.done:
		case <-t.C:
			if s.abandon() {
				return
			}
		}
	}
	s.release()
}

// end closes the writer if close has stopped waiting for it.
func (s *queuedWriter) end() {
	s.mu.Lock()
	s.ended = true
	abandoned := s.abandoned
	s.mu.Unlock()
	if abandoned {
		s.release()
	}
}

// release closes the writer, once no Write uses it any longer.
func (s *queuedWriter) release() {
	defer func() { _ = recover() }() // a panic of Close loses no line
	if c, ok := s.w.(io.Closer); ok {
		_ = c.Close() // every line has been written, or counted as lost
	}
}

// abandon counts the queued lines as lost, and interrupts a write to a pipe. The writer is closed when its last Write
// returns. If the last Write has already returned, abandon does nothing and returns false.
func (s *queuedWriter) abandon() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	n := int64(1) // the line that is being written
	for range s.queue {
		n++
	}
	s.lose(n, errClosed)
	s.abandoned = true
	if f, ok := s.w.(*sharedRecord); ok {
		f.interrupt()
	}
	return true
}
