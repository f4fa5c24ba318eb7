// Package records holds the verbs that read a record: log, stats and trace; and the reader of
// records for other verbs.
package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/internal/tail"
	rec "github.com/snaphook-go/snaphook/record"
)

// RecordVariable is the variable that names the file in which every fire is recorded.
const RecordVariable = "SNAPHOOK_RECORD"

// MaxToldLines limits the unreadable lines that are reported one by one.
const MaxToldLines = 20

// history is the state of reading a record.
type history struct {
	file       string
	fires      int
	unreadable int
}

// recordOf returns the path of the record that --nats, an argument or the environment names.
func recordOf(args []string, server NATS) (string, error) {
	if path := server.Path(); path != "" {
		if len(args) > 0 {
			return "", fmt.Errorf("%s and --nats exclude each other; give one of them", args[0])
		}
		return path, nil
	}
	if len(args) > 0 {
		return args[0], nil
	}
	if path := os.Getenv(RecordVariable); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("no record is named: give its file, or set %s", RecordVariable)
}

func oneRecord(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%d records are named, want one; see %s --help", len(args), cmd.CommandPath())
	}
	return nil
}

// ReadRecord passes every line of a record to use, and reports lines that cannot be read. It keeps one
// line in memory at a time. A record without any readable fire is an error, except with follow.
func ReadRecord(cmd *cobra.Command, path string, follow bool, use func(rec.Text, *rec.Line) error) (*history, error) {
	parts, err := openParts(cmd, path, follow)
	if err != nil {
		return nil, err
	}
	defer closeParts(parts)
	h := &history{}
	var broken error
	for _, part := range parts {
		h.file = part.name
		for text, line := range rec.Lines(stoppable{cmd.Context(), part}, func(number int, why error) {
			broken = errors.Join(broken, h.bad(cmd, number, why))
		}) {
			if line.Late == "" {
				h.fires++
			}
			if err := use(text, line); err != nil {
				return nil, err
			}
		}
	}
	h.file = path
	if more := h.unreadable - MaxToldLines; more > 0 {
		cli.Warn(cmd, "%s: %s more cannot be read", path, cli.Count(more, "line"))
	}
	if broken == nil && h.fires == 0 && !follow {
		broken = fmt.Errorf("%s: the record has no fire", path)
	}
	return h, broken
}

// stoppable is a reader that ends with its context, even if more can be read.
type stoppable struct {
	ctx context.Context
	io.Reader
}

func (s stoppable) Read(b []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, cli.ErrInterrupted
	}
	return s.Reader.Read(b)
}

// bad reports a line that cannot be read. The number 0 stands for a file that cannot be read: bad returns an error,
// which ends the reading.
func (h *history) bad(cmd *cobra.Command, number int, why error) error {
	if number == 0 {
		return fmt.Errorf("%s: %w", h.file, why)
	}
	if h.unreadable++; h.unreadable <= MaxToldLines {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %s; the line is left out\n", h.file, number, cli.Visible(why.Error()))
	}
	return nil
}

// OpenHistory opens a record: a file, - for standard input, or the records of a fleet by the address
// of its server.
func OpenHistory(cmd *cobra.Command, path string, follow bool) (io.ReadCloser, error) {
	if isNATS(path) {
		return OpenNATS(path, func(nc *nats.Conn) (io.ReadCloser, error) {
			return fleet.OpenRecords(cmd.Context(), nc, follow)
		})
	}
	if path == "-" {
		return &cli.Interruptible{Ctx: cmd.Context(), In: io.NopCloser(cmd.InOrStdin())}, nil
	}
	if err := cli.WantFile(path); err != nil {
		return nil, fmt.Errorf("record %s: %w", path, err)
	}
	f, err := cli.OpenUntil(cmd.Context(), path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close() // the file was only read: no data can be lost
		return nil, fmt.Errorf("%s is a directory; name the file of a record", path)
	}
	if follow {
		return tail.New(cmd.Context(), path, f), nil
	}
	return &cli.Interruptible{Ctx: cmd.Context(), In: f}, nil
}

// Choice selects fires.
type Choice struct {
	event, hook       func(string) bool
	decision, session string
	since             time.Time
	failed            bool
	anyEvent, anyHook bool
}

func (c *Choice) Has(l *rec.Line) bool {
	switch {
	case !c.anyEvent && !c.event(l.Event) && !c.event(l.Event[strings.IndexByte(l.Event, '.')+1:]):
	case c.decision != "" && (l.Late != "" || c.decision != l.Decision && (c.decision != "none" || l.Decision != "")):
	case c.session != "" && c.session != l.Session:
	case !c.since.IsZero() && l.Time.Before(c.since):
	case !c.anyHook && !c.hasHook(l):
	case c.failed && !hasFailed(l):
	default:
		return true
	}
	return false
}

func (c *Choice) hasHook(l *rec.Line) bool {
	for i := range l.Hooks {
		if h := &l.Hooks[i]; c.hook(h.ID) || c.hook(h.Command) || c.hook(h.Name) {
			return true
		}
	}
	return false
}

func hasFailed(l *rec.Line) bool {
	for i := range l.Hooks {
		if h := &l.Hooks[i]; h.Failed() || h.Background.Failed() {
			return true
		}
	}
	return false
}

// glob returns a function that matches whole texts; * matches any text, ? one character.
func glob(pattern string) func(string) bool {
	re := regexp.MustCompile(
		"(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern)) + "$",
	)
	return re.MatchString
}

// moment parses a time: a duration before now, a date, or a date with a time of day.
func moment(text string, now time.Time) (time.Time, error) {
	ago := text
	if days, ok := strings.CutSuffix(text, "d"); ok {
		ago = days + "h"
	}
	if d, err := time.ParseDuration(ago); err == nil && d >= 0 {
		if ago != text {
			d *= 24
		}
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf(
		"--since %q: write how long ago, such as 90s, 2h or 7d, or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
		text,
	)
}
