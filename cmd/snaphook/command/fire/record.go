package fire

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	rec "github.com/snaphook-go/snaphook/record"
)

// recordPatience limits how long the end of the program waits for the record.
const recordPatience = 200 * time.Millisecond

// inputs maps each value of --record-input to the part of an event's input that the record keeps.
var inputs = map[string]rec.Input{"none": rec.None, "keys": rec.Keys, "full": rec.Full}

// recordFlags holds the flags of verbs that record their fires.
type recordFlags struct {
	record      string
	recordInput string
}

func (f *recordFlags) addRecord(to *pflag.FlagSet) {
	to.StringVar(
		&f.record,
		"record",
		"",
		"Append a line of JSON for the fire to `FILE`, for log, stats and trace; default: the file in SNAPHOOK_RECORD: --record hooks.jsonl",
	)
	to.StringVar(
		&f.recordInput,
		"record-input",
		"keys",
		"Keep `PART` (none, keys or full) of the input in the record: --record-input full",
	)
}

// recording is the record to which a fire is written. Nil records nothing.
type recording struct {
	*rec.Recorder
	name string // the flag or variable that names the record
}

// openRecord opens the requested record; it returns nil if none is requested. If the record cannot be opened,
// openRecord prints a warning, and the fire is not recorded. It returns an error only for an unknown --record-input.
func (f *recordFlags) openRecord(cmd *cobra.Command) (*recording, error) {
	input, known := inputs[f.recordInput]
	if !known {
		return nil, fmt.Errorf("--record-input %q: write none, keys or full", f.recordInput)
	}
	path := lo.CoalesceOrEmpty(f.record, os.Getenv(records.RecordVariable))
	if path == "" {
		return nil, nil
	}
	name := lo.Ternary(f.record != "", "--record ", records.RecordVariable+"=") + path
	pipe, err := openPipe(path)
	if err != nil {
		cli.Warn(cmd, "%s: %v; the fire is not recorded", name, err)
		return nil, nil
	}
	// The reader of a pipe sees the end when the last writer closes the pipe. Therefore this function holds the pipe
	// open until the record has opened it too.
	defer pipe.Close()
	r, err := rec.Open(path, rec.Config{Input: input, Hold: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		cli.Warn(cmd, "%s: %v; the fire is not recorded", name, err)
		return nil, nil
	}
	return &recording{r, name}, nil
}

// observers returns the observers for the engine.
func (r *recording) observers() []pipeline.Observer {
	if r == nil {
		return nil
	}
	return []pipeline.Observer{openRecord{r.Recorder}}
}

// openRecord hides the record's Close from the system: the record stays open until the answer is printed.
type openRecord struct{ pipeline.Observer }

// close ends the record, and reports lines that could not be written.
func (r *recording) close(cmd *cobra.Command) {
	if r == nil {
		return
	}
	r.Close(recordPatience)
	if n, err := r.Lost(); n > 0 {
		cli.Warn(
			cmd,
			"%s: %s not recorded: %v",
			r.name,
			lo.Ternary(n == 1, "the fire is", cli.Count(int(n), "fire")+" are"),
			err,
		)
	}
}

// traced returns ctx with the parent span of TRACEPARENT, if there is one. A hook of a recorded fire has that variable:
// if it runs this program, the fire of this program becomes part of the same trace.
func traced(ctx context.Context) context.Context {
	t := hook.Trace{Parent: os.Getenv("TRACEPARENT"), State: os.Getenv("TRACESTATE")}
	if _, _, ok := t.IDs(); !ok {
		return ctx
	}
	return hook.WithTrace(ctx, t)
}
