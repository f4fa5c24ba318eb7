package command

import (
	"context"
	"errors"
	"io"
	"os"
)

// openUntil opens a file, until ctx ends: a pipe without a writer is not open before it has
// one. An open that still waits then ends with the process.
func openUntil(ctx context.Context, path string) (*os.File, error) {
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
		return nil, errInterrupted
	}
}

// interruptible reads from in until ctx ends, also from a pipe in which nothing
// comes. A read that still waits then ends with the process. It is used from
// one goroutine.
type interruptible struct {
	ctx  context.Context
	in   io.ReadCloser
	own  []byte // what is read into: a read that goes on after ctx writes nowhere else
	held []byte // read, and not returned yet
	err  error
}

// Read returns errInterrupted when the context has ended.
func (r *interruptible) Read(p []byte) (n int, err error) {
	if r.ctx.Err() != nil {
		return 0, errInterrupted
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

func (r *interruptible) fill() {
	if r.own == nil {
		r.own = make([]byte, 64<<10)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := r.in.Read(r.own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		r.held, r.err = r.own[:got.n], got.err
	case <-r.ctx.Done():
		r.err = errInterrupted
	}
}

// Close closes what is read, unless a read still waits.
func (r *interruptible) Close() error {
	if errors.Is(r.err, errInterrupted) {
		return nil
	}
	return r.in.Close()
}

// fileOf is the file that is read; ok is false for anything else.
func fileOf(in io.Reader) (file *os.File, ok bool) {
	if r, is := in.(*interruptible); is {
		file, ok = r.in.(*os.File)
	}
	return file, ok
}
