package fire

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/pipeline"
	rec "github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/explain"
	"github.com/snaphook-go/snaphook/wire"
)

// explainFlags holds the flags of explain.
type explainFlags struct {
	project.SessionFlags
	cli.JSONFlag
	recordFlags
	server    records.NATS // records of a fleet, in place of a file
	last      bool
	ofSession string
	decision  string
}

// NewExplain returns the verb explain.
func NewExplain(global *cli.Global) *cobra.Command {
	f := &explainFlags{SessionFlags: project.NewSessionFlags(global)}
	cmd := &cobra.Command{
		Use:   "explain [ID|EVENT|-]",
		Short: "Explain why a call was denied, changed or allowed",
		Long: "Explains one fire: the hooks that were looked at, in plan order, with the reason why each ran or did not and its answer; " +
			"how the answers were merged, and by which rule; whose change of the input counts; which texts the model and the user saw.\n\n" +
			"ID is the id of a line of the record, or its first characters; --record or SNAPHOOK_RECORD names the record. Without ID the last fire with hooks is explained. " +
			"EVENT takes the event's fields as JSON on stdin, as fire does, and fires the event: the hooks really run. " +
			"- takes a line of a record on stdin, or an input with its hook_event_name; explain without ID also reads stdin if no record is named.\n\n" +
			"Exit status: 0; 1 if there is no such fire.",
		Example: `# Why was the last call denied?
snaphook explain --decision deny
# The last fire of a session, and one by the id that log --json shows
snaphook explain --session s-1
snaphook explain 01KB --record hooks.jsonl
# What do the hooks decide about this call, and why?
snaphook explain claude.PreToolUse < call.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%d fires are named, want one; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: systems.CompleteEvent,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.explain(cmd, strings.Join(args, "")) },
	}
	f.AddJSON(cmd)
	f.AddSources(cmd.Flags())
	f.AddModules(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddHostFlags(cmd.Flags())
	to := cmd.Flags()
	f.server.AddTo(to)
	to.BoolVar(&f.last, "last", false, "Explain the last fire that looked at a hook, the default: explain --last")
	to.StringVar(&f.ofSession, "session", "", "Explain the last fire of the session `ID`; with EVENT, fire with this session id: --session s-1")
	to.StringVar(&f.decision, "decision", "", "Explain the last fire with `DECISION`: deny, ask, allow or none")
	to.StringVar(&f.record, "record", "", "Read the record `FILE`; default: the file in SNAPHOOK_RECORD: --record hooks.jsonl")
	return cmd
}

// explained is the answer of explain: the story and, for an event that was fired, its effects.
type explained struct {
	*explain.Explanation
	Effects any `json:"effects,omitempty"`
}

func (f *explainFlags) explain(cmd *cobra.Command, what string) error {
	chooses := f.last || f.decision != ""
	switch {
	case chooses && what != "":
		return fmt.Errorf("%s names the fire; leave out --last and --decision", what)
	case f.decision != "" && !lo.Contains([]string{"deny", "ask", "allow", "none"}, f.decision):
		return fmt.Errorf("--decision %q: write deny, ask, allow or none", f.decision)
	case what == "-":
		input, err := project.ReadInput(cmd)
		if err != nil {
			return err
		}
		return f.explainInput(cmd, input)
	case isEventName(what):
		f.ID = f.ofSession
		return f.explainEvent(cmd, what)
	}
	return f.explainRecorded(cmd, what)
}

// isEventName reports whether text is the name of an event, or a misspelt one, and not the id of a
// line.
func isEventName(text string) bool {
	return strings.Contains(text, ".") || text != "" && len(systems.EventsByName(text, systems.Events())) > 0
}

// explainRecorded explains the last selected fire of a record. Without an id it prefers fires with hooks. It keeps only
// one line of the record in memory.
func (f *explainFlags) explainRecorded(cmd *cobra.Command, id string) error {
	path := cmp.Or(f.server.Path(), f.record, os.Getenv(records.RecordVariable))
	if path == "" {
		return f.explainPiped(cmd, id)
	}
	var found *rec.Line
	ids := map[string]bool{}
	id = strings.ToUpper(id)
	_, err := records.ReadRecord(cmd, path, false, func(_ rec.Text, l *rec.Line) error {
		switch {
		case l.Late != "":
			if found != nil && l.Late == found.ID {
				addEndings(found, l)
			}
		case !f.has(l, id):
		case id != "":
			if len(ids) < 3 {
				ids[l.ID] = true
			}
			found = l
		case found == nil || len(l.Hooks) > 0 || len(found.Hooks) == 0:
			found = l
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case found == nil && id != "":
		return fmt.Errorf("%s: there is no fire %s%s; `snaphook log --json` shows the ids", path, id, f.words())
	case found == nil:
		return fmt.Errorf("%s: the record has no fire%s; `snaphook log` shows the fires", path, f.words())
	case len(ids) > 1:
		return fmt.Errorf("%s: several fires have ids that begin with %s; write more of the id: %s", path, id,
			strings.Join(slices.Sorted(maps.Keys(ids)), ", "))
	}
	return f.sayExplained(cmd, explained{Explanation: explain.Of(found)})
}

func (f *explainFlags) has(l *rec.Line, id string) bool {
	return (id == "" || strings.HasPrefix(l.ID, id)) && (f.ofSession == "" || l.Session == f.ofSession) &&
		(f.decision == "" || l.Decision == f.decision || f.decision == "none" && l.Decision == "")
}

// words describes the selection, as the end of "fire …".
func (f *explainFlags) words() string {
	words := ""
	if f.ofSession != "" {
		words += fmt.Sprintf(" of the session %q", f.ofSession)
	}
	if f.decision != "" {
		words += " with the decision " + f.decision
	}
	return words
}

// addEndings copies the ends of background hooks into the line of their fire.
func addEndings(fire, late *rec.Line) {
	for i := range late.Hooks {
		for j := range fire.Hooks {
			if h := &fire.Hooks[j]; h.ID == late.Hooks[i].ID && h.Outcome == "backgrounded" && h.Background == nil {
				h.Background = late.Hooks[i].Background
				break
			}
		}
	}
}

// explainPiped explains standard input if no record is named.
func (f *explainFlags) explainPiped(cmd *cobra.Command, id string) error {
	if id == "" && isPiped(cmd.InOrStdin()) {
		input, err := project.ReadAll(cmd.Context(), cmd.InOrStdin())
		switch {
		case err != nil:
			return fmt.Errorf("standard input: %w", err)
		case len(bytes.TrimSpace(input)) > 0:
			return f.explainInput(cmd, input)
		}
	}
	return fmt.Errorf("no record is named: write --record FILE, or set %s, or pipe in the JSON input of an event, with a member hook_event_name", records.RecordVariable)
}

// isPiped reports whether a stream may have an input without anybody typing it.
func isPiped(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return true
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// explainInput explains the last selected line of a record, or fires the event that an input names and explains that
// fire.
func (f *explainFlags) explainInput(cmd *cobra.Command, input []byte) error {
	in := wire.Object(input)
	if in.IsObject() && in.Get("v") == nil && in.Text("hook_event_name") != "" {
		f.ID = f.ofSession
		return f.explainFire(cmd, in.Text("hook_event_name"), input)
	}
	if in.IsObject() && in.Get("v") == nil && in.Get("event") == nil {
		return errors.New("standard input: this is neither a line of a record nor an input with the name of its event; " +
			"add hook_event_name, or name the event: snaphook explain claude.PreToolUse")
	}
	var found *rec.Line
	var wrong error
	for _, l := range rec.Lines(bytes.NewReader(input), func(_ int, why error) { wrong = errors.Join(wrong, why) }) {
		if f.has(l, "") {
			found = l
		}
	}
	switch {
	case found == nil && wrong != nil:
		return fmt.Errorf("standard input: %w; want a line of a record, or an input with its hook_event_name", wrong)
	case found == nil:
		return fmt.Errorf("standard input: the record has no fire%s", f.words())
	}
	return f.sayExplained(cmd, explained{Explanation: explain.Of(found)})
}

func (f *explainFlags) explainEvent(cmd *cobra.Command, name string) error {
	if _, err := systems.EventNamed(name, systems.Events()); err != nil {
		return err
	}
	input, err := project.ReadInput(cmd)
	if err != nil {
		return err
	}
	return f.explainFire(cmd, name, input)
}

// explainFire fires an event, and explains the line of its record.
func (f *explainFlags) explainFire(cmd *cobra.Command, name string, input []byte) error {
	event, err := systems.EventNamed(name, systems.Events())
	if err != nil {
		return err
	}
	var line bytes.Buffer
	kept := rec.New(&line, rec.Config{Input: rec.Full, Hold: true, Log: slog.New(slog.DiscardHandler)})
	all, err := fireTraced(cmd, &f.SessionFlags, tracing{event, input, []pipeline.Observer{openRecord{kept}}, !f.JSON})
	kept.Close(time.Second)
	if err != nil {
		return err
	}
	for _, l := range rec.Lines(&line, nil) {
		e := explain.Of(l)
		setSeen(e, all.Effects)
		return f.sayExplained(cmd, explained{e, all.Effects})
	}
	return errors.New("the fire left no record; therefore it cannot be explained")
}

// setSeen replaces the recorded texts for the model and the user by the texts in the fire's effects, if the effects
// have such texts.
func setSeen(e *explain.Explanation, effects any) {
	o, err := wire.Of(effects)
	if err != nil {
		return
	}
	var seen struct {
		Model []string `json:"model_sees"`
		User  []string `json:"user_sees"`
	}
	if o.Get("model_sees") == nil || o.Into(&seen) != nil {
		return
	}
	e.Model, e.User = cli.OrEmpty(seen.Model), cli.OrEmpty(seen.User)
}

func (f *explainFlags) sayExplained(cmd *cobra.Command, e explained) error {
	if f.JSON {
		return cli.SayJSON(cmd, e)
	}
	return cli.Say(cmd, explainText(e.Explanation))
}
