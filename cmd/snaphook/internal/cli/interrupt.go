package cli

import (
	"context"
	"errors"
	"io"
	"os"
)

// ErrInterrupted reports that a signal ended a read or a verb.
var ErrInterrupted = errors.New("interrupted by a signal")

// OpenUntil opens a file, until ctx ends: a pipe without a writer is not open before it has
// one. An open that still waits then ends with the process.
func OpenUntil(ctx context.Context, path string) (*os.File, error) {
	type result struct {
		file *os.File
		err  error
	}
	done := make(chan result, 1) // room for a result that is not waited for
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

// Interruptible reads from in until ctx ends, also from a pipe in which nothing
// comes. A read that still waits then ends with the process. It is used from
// one goroutine.
type Interruptible struct {
	Ctx  context.Context
	In   io.ReadCloser
	own  []byte // buffer of the pending read, which after ctx writes nowhere else
	held []byte // read, and not returned yet
	err  error
}

// Read returns errInterrupted when the context has ended.
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

// Close closes the underlying reader, unless a read still waits.
func (r *Interruptible) Close() error {
	if errors.Is(r.err, ErrInterrupted) {
		return nil
	}
	return r.In.Close()
}

// FileOf is the file that is read; ok is false for anything else.
func FileOf(in io.Reader) (file *os.File, ok bool) {
	if r, is := in.(*Interruptible); is {
		file, ok = r.In.(*os.File)
	}
	return file, ok
}
