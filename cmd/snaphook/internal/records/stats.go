package records

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	rec "github.com/snaphook-go/snaphook/record"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// statistics is the answer of stats.
type statistics struct {
	File       string      `json:"file"`
	Fires      int         `json:"fires"`
	Unreadable int         `json:"unreadable"`
	Hooks      []*hookStat `json:"hooks"`
}

// hookStat counts the runs of one hook in the fires of a record.
type hookStat struct {
	ID         string  `json:"id"`
	Event      string  `json:"event"`
	Looked     int     `json:"looked"`
	Ran        int     `json:"ran"`
	Blocked    int     `json:"blocked"`
	Failed     int     `json:"failed"`
	FailedOpen int     `json:"failedOpen"`
	RunMS      ranks   `json:"runMs"`
	QueuedMS   ranks   `json:"queuedMs"`
	Nearest    *string `json:"nearest"`
	Shadowed   int     `json:"shadowed"` // number of fires in which the hook ran in shadow
	Differed   int     `json:"differed"` // number of shadow fires whose outcome would be different if the hook counted

	// Background counts the ends of runs in the background; nil if there was none.
	Background *inBackground `json:"background"`

	label       string
	run, queued times
	curve       curve
	near        nearest
}

// inBackground counts the outcomes of a hook's runs in the background.
type inBackground struct {
	Ended  int   `json:"ended"`
	Failed int   `json:"failed"`
	RunMS  ranks `json:"runMs"`

	run times
}

// ranks holds percentiles by nearest rank; null where nothing was measured.
type ranks struct {
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`
	P99 *float64 `json:"p99"`
	Max *float64 `json:"max"`
}

// statsFlags holds the flags of stats.
type statsFlags struct {
	cli.JSONFlag
	NATS
	csv bool
}

// NewStats returns the verb stats.
func NewStats() *cobra.Command {
	var of statsFlags
	cmd := &cobra.Command{
		Use:   "stats [FILE]",
		Short: "Count what each hook did, and how long it took",
		Long: "Reads a record, as fire --record keeps it, of FILE and its older parts FILE.1, FILE.2 and so on, or of SNAPHOOK_RECORD; - is standard input. For each hook: in how many fires it was looked at, ran, " +
			"blocked, failed, and failed while the action went ahead; how long it ran and waited for a permit; and, for a hook that never ran, " +
			"the recorded subject that is nearest to its matcher.",
		Example: `# Which hooks are slow, and which never run?
snaphook stats hooks.jsonl
snaphook stats hooks.jsonl --json |
  jq '.hooks[] | select(.ran == 0) | {id, nearest}'`,
		Args: oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			if of.JSON && of.csv {
				return errJSONAndCSV
			}
			path, err := recordOf(args, of.NATS)
			if err != nil {
				return err
			}
			return of.stats(cmd, path)
		},
	}
	of.AddJSON(cmd)
	of.NATS.AddTo(cmd.Flags())
	cmd.Flags().BoolVar(&of.csv, "csv", false, "Answer with a row for each hook, for spreadsheets: stats --csv > hooks.csv")
	return cmd
}

// stats prints the counts of a record.
func (of *statsFlags) stats(cmd *cobra.Command, path string) error {
	all := tally{}
	h, err := ReadRecord(cmd, path, false, func(_ rec.Text, l *rec.Line) error {
		all.add(l)
		return nil
	})
	if err != nil {
		return err
	}
	s := &statistics{File: path, Fires: h.fires, Unreadable: h.unreadable, Hooks: all.hooks()}
	if all.left > 0 {
		cli.Warn(cmd, "%s: %s not counted: the record has more than %d hooks, or the name of a hook is too long", path,
			cli.Count(all.left, "look")+lo.Ternary(all.left == 1, " is", " are"), mostHooks)
	}
	switch {
	case of.JSON:
		return cli.SayJSON(cmd, s)
	case of.csv:
		return writeCSV(cmd, append([][]string{statsColumns}, lo.Map(s.Hooks, statsRow)...)...)
	}
	return cli.Say(cmd, s.text(cmd))
}

// Limits of the statistics in memory, for any record.
const (
	mostHooks = 10_000
	mostName  = 8 << 10 // bytes of an event and an id; the engine writes less
)

// tally holds the counts by hook.
type tally struct {
	by    map[[2]string]*hookStat
	order []*hookStat
	left  int // number of entries that are not counted
}

func (t *tally) add(l *rec.Line) {
	for i := range l.Hooks {
		h := &l.Hooks[i]
		s := t.of(l.Event, h)
		switch {
		case s == nil:
			t.left++
			continue
		case l.Late == "":
			s.add(h, l.Subject)
		}
		s.end(h.Background)
	}
}

// of returns the counts of a hook; nil if the limit of hooks is reached or the hook's name is too long.
func (t *tally) of(event string, h *rec.Hook) *hookStat {
	key := [2]string{event, h.ID}
	s := t.by[key]
	if s == nil && len(t.order) < mostHooks && len(event)+len(h.ID) <= mostName {
		if t.by == nil {
			t.by = map[[2]string]*hookStat{}
		}
		s = &hookStat{ID: h.ID, Event: event, label: shortened(h.Label(), mostName)}
		t.by[key], t.order = s, append(t.order, s)
	}
	return s
}

// shortened returns s, cut to the given number of bytes if it is longer.
func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(strings.Clone(s[:most]), "")
}

// end counts the end of a run in the background, if there is one.
func (s *hookStat) end(e *rec.Ending) {
	if e == nil {
		return
	}
	if s.Background == nil {
		s.Background = &inBackground{}
	}
	s.Background.Ended++
	if e.Failed() {
		s.Background.Failed++
	}
	s.Background.run.add(e.MS)
}

func (s *hookStat) add(h *rec.Hook, subject string) {
	s.Looked++
	if !h.Ran {
		s.near.see(h.Matcher, subject)
		return
	}
	s.Ran++
	if h.Decision == "deny" {
		s.Blocked++
	}
	if h.Outcome == "non_blocking_error" || h.Outcome == "cancelled" {
		s.Failed++
	}
	if h.IsFailedOpen() {
		s.FailedOpen++
	}
	if h.Mode == "shadow" {
		s.Shadowed++
	}
	if h.Differs {
		s.Differed++
	}
	if h.MS != nil {
		s.run.add(*h.MS)
		s.curve.add(*h.MS)
	}
	if h.QueuedMS != nil {
		s.queued.add(*h.QueuedMS)
	}
}

// hooks returns the counts by event, in the order in which the hooks were first seen.
func (t *tally) hooks() []*hookStat {
	slices.SortStableFunc(t.order, func(a, b *hookStat) int { return cmp.Compare(a.Event, b.Event) })
	for _, s := range t.order {
		s.RunMS, s.QueuedMS = s.run.ranks(), s.queued.ranks()
		if s.Background != nil {
			s.Background.RunMS = s.Background.run.ranks()
		}
		if s.Ran == 0 {
			s.Nearest = s.near.best()
		}
	}
	return append([]*hookStat{}, t.order...)
}

func (s *statistics) text(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", cli.OneLine(s.File), cli.Count(s.Fires, "fire"))
	if s.Unreadable > 0 {
		fmt.Fprintf(&b, ", %s unreadable", cli.Count(s.Unreadable, "line"))
	}
	b.WriteString("\n\n")
	rows := lo.Map(s.Hooks, func(h *hookStat, _ int) []string { return h.row() })
	if len(rows) > 0 {
		b.WriteString(
			cli.FitColumns(
				cmd,
				[]string{
					"HOOK",
					"EVENT",
					"LOOKED",
					"RAN",
					"BLOCKED",
					"FAILED",
					"OPEN",
					"P50",
					"P95",
					"P99",
					"MAX",
					"WAITED P95",
					"OVER TIME",
				},
				rows,
				"OVER TIME", "WAITED P95", "P99", "MAX", "P50", "LOOKED",
			),
		)
	}
	for _, h := range s.Hooks {
		if h.Shadowed > 0 {
			fmt.Fprintf(&b, "\n%s of %s was in shadow mode in %s; if the answers of the hook had counted, %d would have ended differently",
				cli.Label(h.label, cli.MaxLabel), cli.OneLine(h.Event), cli.Count(h.Shadowed, "fire"), h.Differed)
		}
		if g := h.Background; g != nil {
			fmt.Fprintf(&b, "\n%s of %s in the background: %d ended, %d failed, p95 %s", cli.Label(h.label, cli.MaxLabel),
				cli.OneLine(h.Event), g.Ended, g.Failed, cli.Milliseconds(*g.RunMS.P95))
		}
		if h.Ran > 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s of %s never ran", cli.Label(h.label, cli.MaxLabel), cli.OneLine(h.Event))
		if h.Nearest != nil {
			fmt.Fprintf(
				&b,
				"; of the recorded subjects, %q is nearest to its matcher %q",
				*h.Nearest,
				h.near.matcher,
			)
		}
	}
	return b.String()
}

func (h *hookStat) row() []string {
	ms := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return cli.Milliseconds(*v)
	}
	n := func(v int) string { return fmt.Sprint(v) }
	open := n(h.FailedOpen)
	if h.FailedOpen > 0 {
		open = cli.Bad.Render(open)
	}
	return []string{cli.Label(h.label, 40), cli.OneLine(h.Event), n(h.Looked), n(h.Ran), n(h.Blocked), n(h.Failed), open,
		ms(h.RunMS.P50), ms(h.RunMS.P95), ms(h.RunMS.P99), ms(h.RunMS.Max), ms(h.QueuedMS.P95), h.curve.String()}
}
