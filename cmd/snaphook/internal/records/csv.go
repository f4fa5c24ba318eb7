package records

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	rec "github.com/snaphook-go/snaphook/record"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// errJSONAndCSV is the error for --json together with --csv.
var errJSONAndCSV = errors.New("--json and --csv exclude each other; give one of them")

// writeCSV writes rows. Their texts come from hooks: control characters are made visible, and a
// text that a spreadsheet would read as a formula gets an apostrophe in front.
func writeCSV(cmd *cobra.Command, rows ...[]string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, row := range rows {
		if err := w.Write(lo.Map(row, func(cell string, _ int) string { return plainCell(cell) })); err != nil {
			return err
		}
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	return cli.Write(cmd.OutOrStdout(), b.Bytes())
}

// plainCell returns s in a form that a spreadsheet reads as text.
func plainCell(s string) string {
	s = cli.OneLine(s)
	if formula := strings.TrimLeft(s, " \t"); formula != "" && strings.ContainsRune("=+-@|%＝＋－＠", []rune(formula)[0]) {
		return "'" + s
	}
	return s
}

var logColumns = []string{
	"time", "event", "session", "subject", "fire", "decision", "reason",
	"hook", "label", "file", "ran", "why", "outcome", "exit", "ms", "queued_ms", "hook_decision", "hook_reason",
	"mode", "class", "failed_open", "error", "background",
}

// logRows returns a row for each hook of a fire, or one row for a fire without hooks.
func logRows(l *rec.Line) [][]string {
	fire := []string{
		l.Time.UTC().Format(time.RFC3339Nano), l.Event, l.Session, l.Subject, lo.CoalesceOrEmpty(l.Late, l.ID),
		l.Decision, l.Reason,
	}
	if len(l.Hooks) == 0 {
		return [][]string{append(fire, make([]string, len(logColumns)-len(fire))...)}
	}
	rows := make([][]string, len(l.Hooks))
	for i := range l.Hooks {
		h := &l.Hooks[i]
		rows[i] = append(fire[:len(fire):len(fire)],
			h.ID, h.Label(), h.File, strconv.FormatBool(h.Ran), strings.TrimSpace(h.Why+" "+h.Detail), h.Outcome,
			optional(h.Exit), number(h.MS), number(h.QueuedMS), h.Decision, h.Reason, h.Mode, h.Class,
			strconv.FormatBool(h.IsFailedOpen()), h.Error, lo.FromPtr(h.Background).Outcome,
		)
	}
	return rows
}

var statsColumns = []string{
	"hook", "event", "label", "looked", "ran", "blocked", "failed", "failed_open",
	"run_p50_ms", "run_p95_ms", "run_p99_ms", "run_max_ms",
	"queued_p50_ms", "queued_p95_ms", "queued_p99_ms", "queued_max_ms", "nearest",
}

func statsRow(h *hookStat, _ int) []string {
	row := []string{h.ID, h.Event, h.label}
	for _, n := range []int{h.Looked, h.Ran, h.Blocked, h.Failed, h.FailedOpen} {
		row = append(row, strconv.Itoa(n))
	}
	for _, r := range []ranks{h.RunMS, h.QueuedMS} {
		row = append(row, number(r.P50), number(r.P95), number(r.P99), number(r.Max))
	}
	return append(row, lo.FromPtr(h.Nearest))
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func optional(v *int) string {
	if v == nil {
		return ""
	}
	return strconv.Itoa(*v)
}
