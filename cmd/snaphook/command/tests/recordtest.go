package tests

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
)

// recordTestFlags holds the flags of record-test.
type recordTestFlags struct{ project.SourceFlags }

// NewRecordTest returns the verb record-test.
func NewRecordTest(global *cli.Global) *cobra.Command {
	f := &recordTestFlags{SourceFlags: project.SourceFlags{Global: global}}
	var of records.LogFlags
	out, bySession := "", false
	cmd := &cobra.Command{
		Use:   "record-test FILE",
		Short: "Write test fixtures from a record",
		Long: "Makes a fixture for every distinct fire of a record that was kept with --record-input full; - is standard input. " +
			"Each fixture is run once as `snaphook test` would, and is left out if it fails, because the hooks have changed since the record was written, " +
			"or depend on more than the record shows.\n\n" +
			"Exit status: 0 fixtures were written; 2 the input cannot be used, or no fixture can be made of it.",
		Example: `# Make tests of the calls that were refused in the last hour
snaphook record-test hooks.jsonl --since 1h --decision deny \
  --out hooks/refused.hooktest.jsonl
# A session as one fixture, for hooks that remember earlier calls
snaphook record-test hooks.jsonl --session s-1 --by-session \
  --out session.hooktest.jsonl`,
		Args: replayArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.recordTest(cmd, &of, args[0], out, bySession) },
	}
	to := cmd.Flags()
	of.AddChoice(to)
	to.StringVar(&out, "out", "", "Write to `FILE`, which must not exist; else to standard output: --out guard.hooktest.jsonl")
	to.BoolVar(&bySession, "by-session", false, "Make one fixture of each session of the record: record-test FILE --by-session")
	f.AddSources(to)
	f.AddModules(to)
	f.AddPolicy(to)
	return cli.TwoIfUnusable(cmd)
}

// written is a fixture in the form in which it is written to a file.
type written struct {
	Name    string        `json:"name"`
	Session []writtenStep `json:"session"`
}

type writtenStep struct {
	Event  string         `json:"event"`
	Input  jsontext.Value `json:"input"`
	Expect writtenExpect  `json:"expect"`
}

type writtenExpect struct {
	Blocked  bool     `json:"blocked"`
	Decision string   `json:"decision"`
	Reason   string   `json:"reason,omitempty"`
	Ran      []string `json:"ran"`
}

func (f *recordTestFlags) recordTest(cmd *cobra.Command, of *records.LogFlags, path, out string, bySession bool) error {
	c, err := of.Choice()
	if err != nil {
		return err
	}
	if err := f.mayWrite(out); err != nil {
		return err
	}
	in, err := records.OpenHistory(cmd, path, false)
	if err != nil {
		return err
	}
	defer in.Close()
	dir, err := f.Directory()
	if err != nil {
		return err
	}
	all, err := fixturesOf(cmd, in, path, c, dir, bySession)
	if err != nil {
		return err
	}
	lines, err := f.holding(cmd, all)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s: no fixture can be made of this record", path)
	}
	text := strings.Join(lines, "\n") + "\n"
	if out != "" && !strings.HasSuffix(out, "l") {
		text = "[\n  " + strings.Join(lines, ",\n  ") + "\n]\n"
	}
	if out == "" {
		return cli.Write(cmd.OutOrStdout(), cli.VisibleJSON([]byte(text)))
	}
	file, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = file.WriteString(text); errors.Join(err, file.Close()) != nil {
		return errors.Join(err, os.Remove(out))
	}
	return cli.Say(cmd, fmt.Sprintf("wrote  %s: %s", out, cli.Count(len(lines), "fixture")))
}

func (f *recordTestFlags) mayWrite(out string) error {
	switch {
	case out == "":
		return nil
	case !lo.SomeBy(fixture.Suffixes, func(s string) bool { return strings.HasSuffix(out, s) }):
		return fmt.Errorf("--out %s: the name of a fixture file ends in %s", out, strings.Join(fixture.Suffixes, " or "))
	}
	if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("--out %s: the file exists, and is not replaced; name another file", out)
	}
	return nil
}

// mostSteps limits the steps of fixtures in memory.
const mostSteps = 10_000

// fixturesOf makes fixtures of the selected fires.
func fixturesOf(
	cmd *cobra.Command, in io.Reader, path string, c *records.Choice, dir string, bySession bool,
) ([]*written, error) {
	var all []*written
	seen, sessions, names, unfit, kept := map[string]bool{}, map[string]*written{}, map[string]int{}, 0, 0
	for p, err := range pastLines(in) {
		switch {
		case cmd.Context().Err() != nil:
			return nil, cli.ErrInterrupted
		case err != nil && p == nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case err != nil:
			cli.Warn(cmd, "%s:%d: %v; the line is left out", path, p.number, err)
			continue
		case !c.Has(&p.Line):
			continue
		case p.Decision == nil || records.Unfit(&p.Line) != "":
			unfit++
			continue
		}
		step := stepOf(p, dir)
		if bySession {
			w := sessions[p.Session]
			if w == nil {
				w = &written{Name: "session " + p.Session}
				sessions[p.Session], all = w, append(all, w)
			}
			w.Session = append(w.Session, step)
		} else {
			key, _ := json.Marshal(step) // encoding cannot fail: the values come from JSON
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
			all = append(all, &written{Name: uniqueName(names, p), Session: []writtenStep{step}})
		}
		if kept++; kept > mostSteps {
			return nil, fmt.Errorf("%s: there are more than %d fires; select fewer with --since, --event, --session or --decision",
				path, mostSteps)
		}
	}
	if unfit > 0 {
		cli.Warn(cmd, "%s: no fixture can be made of %s: keep a record with --record-input full", path, cli.Count(unfit, "line"))
	}
	return all, nil
}

// uniqueName returns a name that no other fixture has.
func uniqueName(names map[string]int, p *past) string {
	name := strings.TrimSpace(p.Event + " " + p.Subject)
	name += ": " + plainOr(p.Decision, "decision")
	if names[name]++; names[name] > 1 {
		return fmt.Sprintf("%s #%d", name, names[name])
	}
	return name
}

// stepOf returns a recorded fire as a step of a fixture, independent of the project's path.
func stepOf(p *past, dir string) writtenStep {
	// no text contains "\x00": paths in the home directory stay as they are, because a test has another home
	// directory
	at := fixture.Place{Dir: dir, Home: "\x00"}
	decision := plainOr(p.Decision, "decision")
	expect := writtenExpect{Blocked: decision == "deny", Decision: decision, Ran: []string{}}
	if p.Reason != nil {
		expect.Reason = at.Hold(plainOr(p.Reason, "reason"))
	}
	for i := range p.Hooks {
		if h := &p.Hooks[i]; h.Ran {
			expect.Ran = append(expect.Ran, at.Hold(h.Label()))
		}
	}
	return writtenStep{p.Event, at.HoldJSON(p.Input), expect}
}

// holding runs fixtures, and returns the text of the fixtures that pass.
func (f *recordTestFlags) holding(cmd *cobra.Command, all []*written) (lines []string, err error) {
	var text strings.Builder
	for _, w := range all {
		line, err := json.Marshal(w, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if err != nil {
			return nil, err
		}
		lines = append(lines, string(line))
		text.Write(append(line, '\n'))
	}
	if len(lines) == 0 {
		return nil, nil
	}
	fixtures, err := fixture.Parse(filepath.Join(f.Dir, "record.hooktest.jsonl"), []byte(text.String()))
	if err != nil {
		return nil, err
	}
	t, err := newTester(cmd, &testFlags{SourceFlags: f.SourceFlags, jobs: 1})
	if err != nil {
		return nil, err
	}
	t.reached = newCoverage()
	if t.worlds, err = fixture.NewWorlds(cmd.Context(), t.project); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.worlds.Close()) }()
	var hold []string
	for i, fx := range fixtures {
		r := t.play(cmd.Context(), fx)
		switch {
		case errors.Is(r.err, context.Canceled):
			return nil, cli.ErrInterrupted
		case r.err != nil:
			cli.Warn(cmd, "%s is left out: %v", fx.Name, r.err)
		case r.failed():
			cli.Warn(cmd, "%s is left out, because it fails: %s", fx.Name, junitFailureOf(r).Message)
		default:
			hold = append(hold, lines[i])
		}
	}
	return hold, nil
}
