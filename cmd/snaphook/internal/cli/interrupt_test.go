package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pipe, writer := io.Pipe()
	r := &Interruptible{Ctx: ctx, In: pipe}
	go func() {
		_, _ = io.WriteString(writer, "a line\n")
		cancel()
	}()
	text, err := io.ReadAll(r)
	if !errors.Is(err, ErrInterrupted) || !strings.HasPrefix("a line\n", string(text)) {
		t.Errorf("got %q, %v; want %v", text, err, ErrInterrupted)
	}
	if err := writer.Close(); err != nil { // ends the blocked read
		t.Error(err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, ErrInterrupted) {
		t.Errorf("after the context has ended a read returns %v; want %v", err, ErrInterrupted)
	}
}

func TestWhatIsInterruptibleReadsTheSame(t *testing.T) {
	text := strings.Repeat("0123456789\n", 20_000)
	r := &Interruptible{Ctx: t.Context(), In: io.NopCloser(strings.NewReader(text))}
	if err := iotest.TestReader(r, []byte(text)); err != nil {
		t.Error(err)
	}
}
