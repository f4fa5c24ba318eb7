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
