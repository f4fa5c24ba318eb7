package records

import (
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	rec "github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/tracepage"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

// These constants limit the number and the size of the fires in a trace, and thereby the memory.
const (
	mostTraced      = 200_000
	mostTracedBytes = 256 << 20

	// Limits of the fires on a page, beyond which browsers are slow. The page of the verb ui has the same limits.
	mostOnPage      = 50_000
	mostOnPageBytes = 128 << 20
)

// traceFlags holds the flags of trace.
type traceFlags struct {
	NATS
	session, html, chrome, otlp string
}

// NewTrace returns the verb trace.
func NewTrace() *cobra.Command {
	var of traceFlags
	cmd := &cobra.Command{
		Use:   "trace [FILE]",
		Short: "Show what an agent did, as a tree of turns, calls and hooks",
		Long: "Reads a record, as fire --record and record-event keep it, of FILE, or of SNAPHOOK_RECORD; - is standard input. Each session is a tree: its turns, the calls of models and tools, " +
			"sub-agents below the call that started them, and the hooks of each with what they did or why they did not run. " +
			"--html writes a page that needs no network.",
		Example: `snaphook trace hooks.jsonl
# As a page with a waterfall, a search and the details of each hook
snaphook trace hooks.jsonl --html trace.html
# For Perfetto, and for a collector of OpenTelemetry
snaphook trace hooks.jsonl --session s-1 \
  --chrome trace.json --otlp spans.json`,
		Args: oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := recordOf(args, of.NATS)
			if err != nil {
				return err
			}
			return of.trace(cmd, path)
		},
	}
	to := cmd.Flags()
	of.NATS.AddTo(to)
	to.StringVar(&of.session, "session", "", "Only the session `ID`: --session s-1")
	to.StringVar(&of.html, "html", "", "Write a page to `FILE`: --html trace.html")
	to.StringVar(
		&of.chrome,
		"chrome",
		"",
		"Write trace events to `FILE`, for Perfetto and chrome://tracing: --chrome trace.json",
	)
	to.StringVar(
		&of.otlp,
		"otlp",
		"",
		"Write OTLP/JSON to `FILE`, for collectors of OpenTelemetry: --otlp spans.json",
	)
	return cmd
}

func (of *traceFlags) trace(cmd *cobra.Command, path string) error {
	b := tracetree.Builder{Most: mostTraced, MostBytes: mostTracedBytes}
	if of.html != "" {
		b.Most, b.MostBytes = mostOnPage, mostOnPageBytes
	}
	_, err := ReadRecord(cmd, path, false, func(_ rec.Text, l *rec.Line) error {
		if of.session == "" || l.Session == of.session {
			b.Add(l)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n := b.Dropped(); n > 0 {
		cli.Warn(
			cmd,
			"%s: the oldest %s left out; --session chooses one session",
			path,
			cli.Count(n, "fire")+lo.Ternary(n == 1, " is", " are"),
		)
	}
	sessions := b.Sessions()
	if len(sessions) == 0 {
		return fmt.Errorf("%s: the record has no fire of the session %q", path, of.session)
	}
	return of.write(cmd, sessions)
}

// write writes the trace in every requested form; if none is requested, to standard output in the
// form for a person.
func (of *traceFlags) write(cmd *cobra.Command, sessions []*tracetree.Node) error {
	forms := []struct {
		flag, file string
		make       func([]*tracetree.Node) ([]byte, error)
	}{{"--html", of.html, tracepage.Frozen}, {"--chrome", of.chrome, visibly(chromeOf)}, {"--otlp", of.otlp, visibly(otlpOf)}}
	written := false
	for _, form := range forms {
		if form.file == "" {
			continue
		}
		text, err := form.make(sessions)
		if err == nil {
			err = cli.SaveFile(form.file, text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", form.flag, form.file, err)
		}
		written = true
	}
	if written {
		return nil
	}
	return cli.Say(cmd, treeText(sessions))
}

// visibly returns a function that does the same as make, and escapes its JSON for a terminal.
func visibly(make func([]*tracetree.Node) ([]byte, error)) func([]*tracetree.Node) ([]byte, error) {
	return func(sessions []*tracetree.Node) ([]byte, error) {
		text, err := make(sessions)
		return cli.VisibleJSON(text), err
	}
}

// barWidth is the width of a session's whole time, in characters.
const barWidth = 32

// treeText returns the trace in the form for a person.
func treeText(sessions []*tracetree.Node) string {
	var b strings.Builder
	for i, s := range sessions {
		if i > 0 {
			b.WriteByte('\n')
		}
		s.Walk(func(n *tracetree.Node, depth int) bool {
			nodeText(&b, s, n, depth)
			return true
		})
	}
	return b.String()
}

func nodeText(b *strings.Builder, session, n *tracetree.Node, depth int) {
	indent := strings.Repeat("  ", depth)
	name := indent + nodeName(n)
	if cut := []rune(name); len(cut) > 44 {
		name = string(cut[:43]) + "…"
	}
	state := ""
	if n.State != "" {
		state = "  " + lo.Ternary(n.State == tracetree.Denied || n.State == tracetree.Failed, cli.Bad, cli.Odd).
			Render(string(n.State))
	}
	fmt.Fprintf(
		b,
		"%-44s %s %7s%s\n",
		name,
		barOf(session, n),
		cli.Milliseconds(float64(n.End.Sub(n.Start))/float64(time.Millisecond)),
		state,
	)
	for _, l := range n.Fires {
		if len(l.Hooks) == 0 && l.Decision == "" {
			continue
		}
		fmt.Fprintf(
			b,
			"%s  %s  %s\n",
			indent,
			cli.Faint.Render(cli.OneLine(l.Event)),
			decisionText(l)+lo.Ternary(l.Reason != "", "  "+cli.OneLine(l.Reason), ""),
		)
		for i := range l.Hooks {
			b.WriteString(indent + hookText(&l.Hooks[i], l.Reason))
		}
	}
}

// nodeName describes a node in a few words.
func nodeName(n *tracetree.Node) string {
	words := []string{string(n.Kind)}
	switch n.Kind {
	case tracetree.Tool, tracetree.Mark:
		words = []string{n.Name}
	case tracetree.Agent:
		words = append(words, n.Name)
	}
	if n.ID != "" {
		words = append(words, n.ID)
	}
	return cli.OneLine(strings.Join(lo.Compact(words), " "))
}

// barOf draws the time of a node within its session.
func barOf(session, n *tracetree.Node) string {
	whole := max(1, float64(session.End.Sub(session.Start)))
	at := func(t time.Time) int {
		return min(barWidth, max(0, int(float64(t.Sub(session.Start))/whole*barWidth)))
	}
	first := min(barWidth-1, at(n.Start))
	last := max(first+1, at(n.End))
	return strings.Repeat("·", first) + strings.Repeat("█", last-first) + strings.Repeat("·", barWidth-last)
}
