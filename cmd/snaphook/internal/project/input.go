package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/pipeline"
)

// InputError adds to an error about an event's input that the input came from standard input.
func InputError(err error) error {
	var wrong *pipeline.InputError
	if errors.As(err, &wrong) {
		return fmt.Errorf("standard input: %w", err)
	}
	return err
}

// pipeExample returns an example of an input in a pipe, for the dialect of the event that the verb names.
func pipeExample(cmd *cobra.Command) string {
	name := cmd.Flags().Arg(0)
	row, _ := lo.Find(systems.All, func(d *systems.Dialect) bool {
		return name == d.Name || strings.HasPrefix(name, d.Name+".")
	})
	if event, err := systems.EventNamed(name, pipeline.Events(nil)); err == nil {
		row, _ = systems.Named(event.Info().Dialect)
	}
	switch {
	case row == nil && cmd.Flags().Changed("module"):
		row = &systems.Xcsh
	case row == nil:
		row = &systems.LLxprt
	}
	return fmt.Sprintf("; pipe the event's fields in as JSON:\n  echo '%s' | snaphook %s %s.%s", row.Example, cmd.Name(), row.Name, row.ToolGate)
}

// ReadInput reads the event's fields. At a terminal, and for an empty input, it returns an error with an example.
func ReadInput(cmd *cobra.Command) ([]byte, error) {
	in := cmd.InOrStdin()
	if file, ok := in.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return nil, errors.New("standard input is a terminal" + pipeExample(cmd))
	}
	text, err := ReadAll(cmd.Context(), in)
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("standard input is empty" + pipeExample(cmd))
	}
	Tidy(text)() // frees the buffers that ReadAll used
	return text, nil
}

// Tidy frees the memory used for a large input. Until restore is called the garbage collector runs
// early, which is cheap: large inputs are text, which it need not scan.
func Tidy(input []byte) (restore func()) {
	if len(input) <= largeInput {
		return func() {}
	}
	restore = CollectAt(10)
	debug.FreeOSMemory()
	return restore
}

// collector holds the percentage of the garbage collector that was set before the first of the running commands changed
// it.
var collector struct {
	mu      sync.Mutex
	users   int
	percent int
}

// CollectAt sets the percentage of the garbage collector, as debug.SetGCPercent does. When all returned functions have
// been called, the last one restores the percentage from before the first call.
func CollectAt(percent int) (restore func()) {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	before := debug.SetGCPercent(percent)
	if collector.users++; collector.users == 1 {
		collector.percent = before
	}
	return sync.OnceFunc(func() {
		collector.mu.Lock()
		defer collector.mu.Unlock()
		if collector.users--; collector.users == 0 {
			debug.SetGCPercent(collector.percent)
		}
	})
}

// largeInput is the size, in bytes, from which the memory of an input's copies matters more than
// the time of collecting them.
const largeInput = 4 << 20

// mostInput limits the size of an input, in bytes.
const mostInput = 128 << 20

// ReadAll reads to the end, and gives up when ctx ends: a read that is still blocked then goes on until the
// process ends.
func ReadAll(ctx context.Context, in io.Reader) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1) // buffered: the goroutine ends even if ctx has ended first
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, mostInput+1))
		if err == nil && len(text) > mostInput {
			text, err = nil, fmt.Errorf("it is larger than %d MiB", mostInput>>20)
		}
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, cli.ErrInterrupted
	}
}
