package project

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

func TestReadingEndsWithTheContext(t *testing.T) {
	in, typed := io.Pipe() // a terminal at which no user types
	defer typed.Close()    // closing also ends the blocked read
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := ReadAll(ctx, in); text != nil || !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("got %q, %v, want nothing and %v", text, err, cli.ErrInterrupted)
	}
}

// endlessZeros is an io.Reader of zeros without an end, like /dev/zero.
type endlessZeros struct{}

func (endlessZeros) Read(b []byte) (int, error) { return len(b), nil }

func TestAnInputWithoutEndIsAnError(t *testing.T) {
	if text, err := ReadAll(t.Context(), endlessZeros{}); text != nil || err == nil || err.Error() != "it is larger than 128 MiB" {
		t.Errorf("got %d bytes, %v; want an error that names the limit", len(text), err)
	}
}

func TestTheLastCommandRestoresTheCollector(t *testing.T) {
	const theirs = 137
	defer debug.SetGCPercent(debug.SetGCPercent(theirs))
	first, second := CollectAt(10), CollectAt(400)
	first()
	first()
	now := debug.SetGCPercent(400)
	second()
	if last := debug.SetGCPercent(theirs); now != 400 || last != theirs {
		t.Errorf("%d while one still runs, %d after both; want 400 and %d", now, last, theirs)
	}
}
