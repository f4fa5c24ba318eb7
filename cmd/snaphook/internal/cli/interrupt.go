package cli

import (
	"context"
	"errors"
	"io"
	"os"
)

// ErrInterrupted reports that a signal ended a read or a verb.
var ErrInterrupted = errors.New("interrupted by a signal")

// OpenUntil opens a file, and gives up when ctx ends: opening a pipe blocks until the pipe has a writer. A call that is
// still blocked when ctx ends goes on until the process ends.
func OpenUntil(ctx context.Context, path string) (*os.File, error) {
	type result struct {
		file *os.File
		err  error
	}
	done := make(chan result, 1) // buffered: the goroutine ends even if ctx has ended first
	go func() {
		file, err := os.Open(path)
		done <- result{file, err}
	}()
	select {
	case r := <-done:
		return r.file, r.err
	case <-ctx.Done():
		return nil, ErrInterrupted
	}
}

// Interruptible reads from In until Ctx ends, even if In is a pipe without data. A read that is still blocked when Ctx
// ends goes on until the process ends. An Interruptible must be used from one goroutine.
type Interruptible struct {
	Ctx  context.Context
	In   io.ReadCloser
	own  []byte // buffer of the pending read: after ctx has ended, the read must not write to the caller's buffer
	held []byte // bytes that were read, and not returned yet
	err  error
}

// Read returns [ErrInterrupted] when the context has ended.
func (r *Interruptible) Read(p []byte) (n int, err error) {
	if r.Ctx.Err() != nil {
		return 0, ErrInterrupted
	}
	if len(r.held) == 0 && r.err == nil {
		r.fill()
	}
	if n = copy(p, r.held); n > 0 {
		r.held = r.held[n:]
		return n, nil
	}
	return 0, r.err
}

func (r *Interruptible) fill() {
	if r.own == nil {
		r.own = make([]byte, 64<<10)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := r.In.Read(r.own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		r.held, r.err = r.own[:got.n], got.err
	case <-r.Ctx.Done():
		r.err = ErrInterrupted
	}
}

// Close closes the underlying reader, unless a read is still blocked.
func (r *Interruptible) Close() error {
	if errors.Is(r.err, ErrInterrupted) {
		return nil
	}
	return r.In.Close()
}

// FileOf returns the file that an Interruptible reads; ok is false for any other reader.
func FileOf(in io.Reader) (file *os.File, ok bool) {
	if r, is := in.(*Interruptible); is {
		file, ok = r.In.(*os.File)
	}
	return file, ok
}
