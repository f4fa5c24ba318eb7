package records

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	rec "github.com/snaphook-go/snaphook/record"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// LogFlags holds the flags of log; record-test uses those that select fires.
type LogFlags struct {
	cli.JSONFlag
	NATS

	event, hook, decision, session, since string
	failed, follow, csv                   bool
}

// NewLog returns the verb log.
func NewLog() *cobra.Command {
	var of LogFlags
	cmd := &cobra.Command{
		Use:   "log [FILE]",
		Short: "Show what hooks did, and why others did not run",
		Long: "Reads a record, as fire --record keeps it, of FILE, or of SNAPHOOK_RECORD; - is standard input. Every fire is a line, followed by a line for each of its hooks; the newest is last. FILE.1, FILE.2 and so on, the older parts of the record, are read too, except with --follow. " +
			"With --json it prints the lines of the file, with \\u escapes for control characters.",
		Example: `# What was denied in the last two hours?
snaphook log hooks.jsonl --decision deny --since 2h
# Why did the guard not run?
snaphook log hooks.jsonl --hook '*guard.sh*' --event PreToolUse
# Fires with hooks that failed, as they come
snaphook log hooks.jsonl --failed --follow`,
		Args: oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			if of.JSON && of.csv {
				return errJSONAndCSV
			}
			path, err := recordOf(args, of.NATS)
			if err != nil {
				return err
			}
			return of.show(cmd, path)
		},
	}
	to := cmd.Flags()
	of.AddChoice(to)
	of.NATS.AddTo(to)
	to.BoolVar(&of.failed, "failed", false, "Only fires in which a hook failed: log --failed")
	to.BoolVar(&of.follow, "follow", false, "Print new lines as they are written, until interrupted: log --follow")
	to.BoolVar(&of.JSON, "json", false, "Answer with the lines of the file: --json | jq .")
	to.BoolVar(&of.csv, "csv", false, "Answer with a row for each hook, for spreadsheets: log --csv > hooks.csv")
	return cmd
}

// AddChoice adds the flags that select fires.
func (of *LogFlags) AddChoice(to *pflag.FlagSet) {
	to.StringVar(
		&of.event,
		"event",
		"",
		"Only fires of `EVENT`, with or without its dialect; * stands for any text: --event 'claude.*'",
	)
	to.StringVar(
		&of.hook,
		"hook",
		"",
		"Only fires that considered `HOOK`, by id, command or name; * stands for any text: --hook '*guard*'",
	)
	to.StringVar(&of.decision, "decision", "", "Only fires with `DECISION`: deny, ask, allow or none")
	to.StringVar(&of.session, "session", "", "Only fires of the session `ID`: --session s-1")
	to.StringVar(
		&of.since,
		"since",
		"",
		"Only fires since `TIME`: how long ago, such as 90s, 2h or 7d, or a time, such as 2026-01-31",
	)
}

func (of *LogFlags) Choice() (*Choice, error) {
	c := &Choice{
		decision: of.decision,
		session:  of.session,
		failed:   of.failed,
		anyEvent: of.event == "",
		anyHook:  of.hook == "",
	}
	if c.decision != "" && !lo.Contains([]string{"deny", "ask", "allow", "none"}, c.decision) {
		return nil, fmt.Errorf("--decision %q: write deny, ask, allow or none", c.decision)
	}
	c.event, c.hook = glob(of.event), glob(of.hook)
	if of.since == "" {
		return c, nil
	}
	var err error
	c.since, err = moment(of.since, time.Now())
	return c, err
}

// show prints the selected fires of a record.
func (of *LogFlags) show(cmd *cobra.Command, path string) error {
	c, err := of.Choice()
	if err != nil {
		return err
	}
	out := colorprofile.NewWriter(cmd.OutOrStdout(), os.Environ())
	if of.csv {
		err = writeCSV(cmd, logColumns)
	}
	if err != nil {
		return err
	}
	_, err = ReadRecord(cmd, path, of.follow, func(text rec.Text, line *rec.Line) error {
		if !c.Has(line) {
			return nil
		}
		switch {
		case of.JSON:
			return cli.Write(cmd.OutOrStdout(), append(slices.Clip(cli.VisibleJSON(text)), '\n'))
		case of.csv:
			return writeCSV(cmd, logRows(line)...)
		}
		return cli.Write(out, []byte(lineText(line)))
	})
	return err
}

// lineText returns a fire in the form for a person.
func lineText(l *rec.Line) string {
	var b strings.Builder
	words := []string{cli.Faint.Render(l.Time.Local().Format("2006-01-02 15:04:05.000")), cli.Strong.Render(cli.OneLine(l.Event))}
	if l.Subject != "" {
		words = append(words, cli.OneLine(l.Subject))
	}
	if l.Late != "" {
		words = append(words, "ended in the background")
	} else {
		words = append(words, decisionText(l), cli.Faint.Render(cli.Milliseconds(l.MS)))
	}
	if l.FailedOpen > 0 {
		words = append(words, cli.Bad.Render(fmt.Sprintf("%d failed open", l.FailedOpen)))
	}
	if l.Rewritten {
		words = append(words, cli.Odd.Render("rewritten"))
	}
	if l.Session != "" {
		words = append(words, cli.Faint.Render("session "+cli.OneLine(l.Session)))
	}
	b.WriteString(strings.Join(words, "  ") + "\n")
	if l.Reason != "" {
		b.WriteString("    " + cli.OneLine(l.Reason) + "\n")
	}
	if l.Would != nil {
		b.WriteString(
			"    " + cli.Odd.Render(
				cli.OneLine("would be "+lo.CoalesceOrEmpty(l.Would.Decision, "no decision")+" without shadow mode"),
			) + " " + cli.OneLine(l.Would.Reason) + "\n",
		)
	}
	for i := range l.Hooks {
		b.WriteString(hookText(&l.Hooks[i], l.Reason))
	}
	return b.String()
}

func decisionText(l *rec.Line) string {
	style, word := lipgloss.NewStyle(), l.Decision
	switch l.Decision {
	case "deny":
		style = cli.Bad
	case "ask":
		style = cli.Odd
	case "allow":
		style = cli.Good
	case "":
		word = "no decision"
	}
	if l.Stop {
		word += ", stop"
	}
	return style.Render(cli.OneLine(word))
}

// hookText describes the run of a hook in a fire, or the reason why it did not run. shown is the reason that was
// printed before: hookText does not repeat it.
func hookText(h *rec.Hook, shown string) string {
	at := ""
	if h.File != "" {
		at = "  " + cli.Faint.Render(cli.OneLine(h.File))
	}
	if !h.Ran {
		return cli.Faint.Render("    not run  ") + labelOf(h) + "  " +
			cli.OneLine(cli.SkipText(lo.CoalesceOrEmpty(h.Why, "?"), h.Detail)) + at + "\n"
	}
	words := []string{outcomeText(h), labelOf(h)}
	if h.MS != nil {
		words = append(words, cli.Faint.Render(cli.Milliseconds(*h.MS)))
	}
	if h.QueuedMS != nil && *h.QueuedMS >= 1 {
		words = append(words, cli.Faint.Render("waited "+cli.Milliseconds(*h.QueuedMS)))
	}
	if h.Granted >= 1 {
		words = append(words, cli.Faint.Render("granted "+cli.Milliseconds(h.Granted)))
	}
	if h.Mode == "shadow" {
		words = append(words, cli.Odd.Render(cli.OneLine("shadow: "+lo.CoalesceOrEmpty(h.Decision, "no decision"))))
	}
	if why := whyText(h); why != "" && why != shown {
		words = append(words, cli.OneLine(why))
	}
	if h.Background != nil {
		words = append(words, endingText(h.Background))
	}
	return "    " + strings.Join(words, "  ") + at + "\n"
}

// labelOf returns the name of a hook as lists show it.
func labelOf(h *rec.Hook) string { return cli.Label(h.Label(), cli.MaxLabel) }

// named matches the event and the hook at the beginning of a hook's error.
var named = lazyregexp.New(`^\S+ hook "(?:[^"\\]|\\.)*": `)

// whyText returns a hook's error without the name of the hook; without an error, it returns the hook's reason.
func whyText(h *rec.Hook) string {
	return lo.CoalesceOrEmpty(named.ReplaceAllString(h.Error, ""), h.Reason)
}

func outcomeText(h *rec.Hook) string {
	return outcomeWord(h.Outcome, h.Class, h.Failed(), h.IsFailedOpen())
}

// outcomeWord colours an outcome: red for a refusal, and for a guard that failed open.
func outcomeWord(outcome, class string, failed, open bool) string {
	word := lo.CoalesceOrEmpty(outcome, "ran")
	if class != "" {
		word += " (" + class + ")"
	}
	style := cli.Good
	switch {
	case outcome == "blocking", failed && open:
		style = cli.Bad
	case failed:
		style = cli.Odd
	}
	return style.Render(cli.OneLine(word))
}

// endingText describes how a hook in the background ended.
func endingText(e *rec.Ending) string {
	text := "→ " + outcomeWord(e.Outcome, e.Class, e.Failed(), false) + "  " + cli.Faint.Render(cli.Milliseconds(e.MS))
	if e.Error != "" {
		text += "  " + cli.OneLine(e.Error)
	}
	return text
}
