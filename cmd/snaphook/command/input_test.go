package command

import (
	"context"
	"errors"
	"io"
	"testing"
)

func TestReadingEndsWithTheContext(t *testing.T) {
	in, typed := io.Pipe() // nobody types
	defer typed.Close()    // lets the read go, too
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := readAll(ctx, in); text != nil || !errors.Is(err, errInterrupted) {
		t.Errorf("got %q, %v, want nothing and %v", text, err, errInterrupted)
	}
}

// endlessZeros is what /dev/zero is.
type endlessZeros struct{}

func (endlessZeros) Read(b []byte) (int, error) { return len(b), nil }

func TestAnInputWithoutEndIsAnError(t *testing.T) {
	if text, err := readAll(t.Context(), endlessZeros{}); text != nil || err == nil || err.Error() != "it is larger than 128 MiB" {
		t.Errorf("got %d bytes, %v; want an error that names the limit", len(text), err)
	}
}
