package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/snaphook-go/snaphook/pipeline"
)

// pipeExample is how to do it, for modules and for commands.
func pipeExample(cmd *cobra.Command) string {
	example := `{"tool_name": "write_file", "tool_input": {"path": "a.txt"}}' | snaphook %s llxprt.BeforeTool`
	switch event, err := eventNamed(cmd.Flags().Arg(0), pipeline.Events(nil)); {
	case err == nil && event.Info().Dialect == claudeRow.Name:
		example = `{"tool_name": "Bash", "tool_input": {"command": "ls"}}' | snaphook %s claude.PreToolUse`
	case strings.HasPrefix(cmd.Flags().Arg(0), "xcsh"),
		cmd.Flags().Changed("module"),
		err == nil && event.Info().Dialect == xcshRow.Name:
		example = `{"toolName": "bash", "toolCallId": "1", "input": {"command": "ls"}}' | snaphook %s xcsh.tool_call`
	}
	return fmt.Sprintf("; pipe the event's fields in as JSON:\n  echo '"+example, cmd.Name())
}

// readInput reads the event's fields. A person who is not aware that they are
// wanted is told, in place of waiting for what will never be typed.
func readInput(cmd *cobra.Command) ([]byte, error) {
	in := cmd.InOrStdin()
	if file, ok := in.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return nil, errors.New("standard input is a terminal" + pipeExample(cmd))
	}
	text, err := readAll(cmd.Context(), in)
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("standard input is empty" + pipeExample(cmd))
	}
	tidy(text) // the pieces that it was read in
	return text, nil
}

// tidy frees what has been used for a large input, and is used no more.
func tidy(input []byte) {
	if len(input) > largeInput {
		debug.SetGCPercent(10) // what is large is text, which costs the collector nothing
		debug.FreeOSMemory()
	}
}

// largeInput is where the memory of its copies counts for more than the time to
// look for what is free.
const largeInput = 4 << 20

// mostInput is how many bytes an input may have.
const mostInput = 128 << 20

// readAll reads to the end, or until ctx ends. A read that still waits then
// ends with the process.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1) // room for a result that is not waited for
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
		return nil, errInterrupted
	}
}

var errInterrupted = errors.New("interrupted by a signal")
