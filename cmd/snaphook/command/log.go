package command

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

	rec "github.com/snaphook-go/snaphook/record"
)

// logFlags are those of the verb.
type logFlags struct {
	event, hook, decision, session, since string
	failed, follow, csv                   bool
}

func newLog(f *flags) *cobra.Command {
	var of logFlags
	cmd := &cobra.Command{
		Use:   "log [FILE]",
		Short: "Show what hooks did, and why others did not run",
		Long: "Reads a record, as fire --record keeps it, of FILE, or of SNAPHOOK_RECORD; - is standard input. Every fire is a line, with a line for each hook below it; the newest is last. FILE.1, FILE.2 and so on, which are older parts of the record, are read too, save with --follow. " +
			"With --json the lines are those of the file, with \\u escapes for characters that a terminal would obey.",
		Example: `# What was denied in the last two hours?
snaphook log hooks.jsonl --decision deny --since 2h
# Why did the guard not run?
snaphook log hooks.jsonl --hook '*guard.sh*' --event PreToolUse
# Fires with hooks that failed, as they come
snaphook log hooks.jsonl --failed --follow`,
		Args: oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.json && of.csv {
				return errJSONAndCSV
			}
			path, err := recordOf(args)
			if err != nil {
				return err
			}
			return f.showLog(cmd, path, &of)
		},
	}
	to := cmd.Flags()
	of.addChoice(to)
	to.BoolVar(&of.failed, "failed", false, "Fires with a hook that failed: log --failed")
	to.BoolVar(&of.follow, "follow", false, "Go on with what is written from now on, until interrupted: log --follow")
	to.BoolVar(&f.json, "json", false, "Answer with the lines of the file: --json | jq .")
	to.BoolVar(&of.csv, "csv", false, "Answer with a row for each hook, for spreadsheets: log --csv > hooks.csv")
	return cmd
}

// addChoice adds the flags that choose fires.
func (of *logFlags) addChoice(to *pflag.FlagSet) {
	to.StringVar(
		&of.event,
		"event",
		"",
		"Fires of this event, with or without its dialect; * stands for any text: --event 'claude.*'",
	)
	to.StringVar(
		&of.hook,
		"hook",
		"",
		"Fires that looked at this hook, by id, command or name; * stands for any text: --hook '*guard*'",
	)
	to.StringVar(&of.decision, "decision", "", "Fires with this decision: deny, ask, allow or none")
	to.StringVar(&of.session, "session", "", "Fires of this session: --session s-1")
	to.StringVar(
		&of.since,
		"since",
		"",
		"Fires since then: how long ago, such as 90s, 2h or 7d, or a time, such as 2026-01-31",
	)
}

func (of *logFlags) choice() (*choice, error) {
	c := &choice{
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

func (f *flags) showLog(cmd *cobra.Command, path string, of *logFlags) error {
	c, err := of.choice()
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
	_, err = readRecord(cmd, path, of.follow, func(text rec.Text, line *rec.Line) error {
		if !c.has(line) {
			return nil
		}
		switch {
		case f.json:
			return write(cmd.OutOrStdout(), append(slices.Clip(visibleJSON(text)), '\n'))
		case of.csv:
			return writeCSV(cmd, logRows(line)...)
		}
		return write(out, []byte(lineText(line)))
	})
	return err
}

// lineText is a fire as a person reads it.
func lineText(l *rec.Line) string {
	var b strings.Builder
	words := []string{faint.Render(l.Time.Local().Format("2006-01-02 15:04:05.000")), strong.Render(oneLine(l.Event))}
	if l.Subject != "" {
		words = append(words, oneLine(l.Subject))
	}
	if l.Late != "" {
		words = append(words, "ended in the background")
	} else {
		words = append(words, decisionText(l), faint.Render(took(l.MS)))
	}
	if l.FailedOpen > 0 {
		words = append(words, bad.Render(fmt.Sprintf("%d failed open", l.FailedOpen)))
	}
	if l.Rewritten {
		words = append(words, odd.Render("rewritten"))
	}
	if l.Session != "" {
		words = append(words, faint.Render("session "+oneLine(l.Session)))
	}
	b.WriteString(strings.Join(words, "  ") + "\n")
	if l.Reason != "" {
		b.WriteString("    " + oneLine(l.Reason) + "\n")
	}
	if l.Would != nil {
		b.WriteString(
			"    " + odd.Render(
				oneLine("would be "+lo.CoalesceOrEmpty(l.Would.Decision, "no decision")+" without shadow mode"),
			) + " " + oneLine(l.Would.Reason) + "\n",
		)
	}
	for i := range l.Hooks {
		b.WriteString(hookText(&l.Hooks[i]))
	}
	return b.String()
}

func decisionText(l *rec.Line) string {
	style, word := lipgloss.NewStyle(), l.Decision
	switch l.Decision {
	case "deny":
		style = bad
	case "ask":
		style = odd
	case "allow":
		style = good
	case "":
		word = "no decision"
	}
	if l.Stop {
		word += ", stop"
	}
	return style.Render(oneLine(word))
}

// hookText is what a hook of a fire did, or why it did not run.
func hookText(h *rec.Hook) string {
	at := ""
	if h.File != "" {
		at = "  " + faint.Render(oneLine(h.File))
	}
	if !h.Ran {
		return faint.Render("    not run  ") + oneLine(h.Label()) + "  " + oneLine(
			lo.CoalesceOrEmpty(h.Why, "?")+lo.Ternary(h.Detail != "", ": "+h.Detail, ""),
		) + at + "\n"
	}
	words := []string{outcomeText(h), oneLine(h.Label())}
	if h.MS != nil {
		words = append(words, faint.Render(took(*h.MS)))
	}
	if h.QueuedMS != nil && *h.QueuedMS >= 1 {
		words = append(words, faint.Render("waited "+took(*h.QueuedMS)))
	}
	if h.Mode == "shadow" {
		words = append(words, odd.Render(oneLine("shadow: "+lo.CoalesceOrEmpty(h.Decision, "no decision"))))
	}
	if why := lo.CoalesceOrEmpty(h.Error, h.Reason); why != "" {
		words = append(words, oneLine(why))
	}
	if h.Background != nil {
		words = append(words, endingText(h.Background))
	}
	return "    " + strings.Join(words, "  ") + at + "\n"
}

func outcomeText(h *rec.Hook) string {
	return outcomeWord(h.Outcome, h.Class, h.Failed())
}

func outcomeWord(outcome, class string, failed bool) string {
	word := lo.CoalesceOrEmpty(outcome, "ran")
	if class != "" {
		word += " (" + class + ")"
	}
	style := good
	switch {
	case failed:
		style = odd
	case outcome == "blocking":
		style = bad
	}
	return style.Render(oneLine(word))
}

// endingText is how a hook in the background ended.
func endingText(e *rec.Ending) string {
	text := "→ " + outcomeWord(e.Outcome, e.Class, e.Failed()) + "  " + faint.Render(took(e.MS))
	if e.Error != "" {
		text += "  " + oneLine(e.Error)
	}
	return text
}

// took is a duration in milliseconds for people.
func took(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2gms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0fms", ms)
	}
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Millisecond).String()
}
