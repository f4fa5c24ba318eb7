package fire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// trace appends a line of JSON to a file for every hook that a fire considered. Nil traces nothing.
// The file holds the hooks' input and output in full.
type trace struct {
	mu   sync.Mutex // hooks end on many goroutines
	file *os.File
	err  error // the first error
}

func openTrace(name string) (*trace, error) {
	if name == "" {
		return nil, nil
	}
	file, err := appendTo(name)
	if err != nil {
		return nil, fmt.Errorf("--trace %s: %w", name, err)
	}
	return &trace{file: file}, nil
}

// appendTo opens a file for writing at its end.
func appendTo(name string) (*os.File, error) {
	file, err := bounded.Append(name, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		return nil, errNoReader
	}
	return file, err
}

// errNoReader is the error of a pipe without a reader, in which the trace would be lost.
var errNoReader = errors.New("no process reads from this pipe; start a reader first")

// openPipe opens a named pipe for writing. For other files, and a missing one, it returns nil.
func openPipe(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return nil, nil
	}
	return appendTo(name)
}

// observers returns the observers for the engine; none if nothing is traced.
func (t *trace) observers() []pipeline.Observer {
	if t == nil {
		return nil
	}
	return []pipeline.Observer{pipeline.HookEnds(t.write)}
}

// close returns the first error that made the trace lose a line, or else the error of closing the file.
func (t *trace) close() error {
	if t == nil {
		return nil
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	return t.err
}

// tracedHook is one line of a trace.
type tracedHook struct {
	Time    time.Time `json:"time"` // when the fire began
	Event   string    `json:"event"`
	Session string    `json:"session"`
	Subject string    `json:"subject"`
	pipeline.HookID

	Why    *hook.SkipReason `json:"why"` // null if it ran
	Detail *string          `json:"detail"`

	Outcome    *pipeline.Outcome `json:"outcome"` // null if it did not run
	Decision   *hook.Decision    `json:"decision"`
	ExitCode   *int              `json:"exitCode"`
	Signal     *string           `json:"signal"`
	Input      jsontext.Value    `json:"input"`
	Stdout     *string           `json:"stdout"`
	Stderr     *string           `json:"stderr"`
	Error      *string           `json:"error"`
	DurationMS *float64          `json:"durationMs"`
}

func (t *trace) write(_ context.Context, ev *pipeline.Evaluation) {
	line, err := json.Marshal(
		describeEvaluation(ev),
		jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true),
	)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		_, err = t.file.Write(append(cli.VisibleJSON(line), '\n'))
	}
	if t.err == nil {
		t.err = err
	}
}

func describeEvaluation(ev *pipeline.Evaluation) tracedHook {
	line := tracedHook{
		Time: ev.Fire.Time, Event: ev.Fire.Event, Session: ev.Fire.Session,
		Subject: ev.Fire.Subject, HookID: pipeline.Identify(ev.Hook),
		Why: lo.EmptyableToPtr(ev.SkipReason), Detail: lo.EmptyableToPtr(ev.SkipDetail), Input: jsontext.Value("null"),
	}
	if ev.SkipReason != "" {
		return line
	}
	line.Outcome, line.Decision = &ev.Outcome, lo.EmptyableToPtr(ev.Decision)
	line.DurationMS = lo.ToPtr(float64(ev.Elapsed.Microseconds()) / 1000)
	if ev.Payload != nil {
		line.Input = jsontext.Value(ev.Payload)
	}
	if ev.Err != nil {
		line.Error = lo.ToPtr(ev.Err.Error())
	}
	if r := ev.Reply; r != nil {
		line.Stdout, line.Stderr = lo.ToPtr(wire.Valid(r.Stdout)), lo.ToPtr(wire.Valid(r.Stderr))
		if r.Signal != nil {
			line.Signal = lo.ToPtr(r.Signal.String())
		} else if r.Exit >= 0 {
			line.ExitCode = &r.Exit
		}
	}
	return line
}
