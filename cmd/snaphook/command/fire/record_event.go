package fire

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// recordEventFlags holds the flags of record-event.
type recordEventFlags struct {
	project.SourceFlags
	recordFlags
	session string
}

// NewRecordEvent returns the verb record-event.
func NewRecordEvent(global *cli.Global) *cobra.Command {
	f := &recordEventFlags{SourceFlags: project.SourceFlags{Global: global}}
	var dialect string
	cmd := &cobra.Command{
		Use:   "record-event [EVENT]",
		Short: "Record an event that another agent fires",
		Long: "Reads the payload of a hook on stdin and appends a line for it to a record, as fire --record does for an event without hooks. It prints nothing and decides nothing: " +
			"an agent that does not embed snaphook can run record-event as a background hook; log and trace then show the agent's sessions. " +
			"The event is the argument, or the hook_event_name of the payload.",
		Example: `# In .claude/settings.json, for each of the events
{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "async": true,
  "command": "snaphook record-event --record ~/hooks.jsonl"}]}]}}`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%d events are named, want at most one; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.recordEvent(cmd, dialect, args) },
	}
	cmd.Flags().
		StringVar(&dialect, "dialect", "claude", "Use `DIALECT` for an event name without a dialect, on the command line or in the payload: --dialect llxprt")
	cmd.Flags().StringVar(&f.session, "session", "", "Use `ID`, such as s-1, as the id of the session; default: the id in the payload")
	f.addRecord(cmd.Flags())
	return cmd
}

func (f *recordEventFlags) recordEvent(cmd *cobra.Command, dialect string, args []string) error {
	input, err := project.ReadInput(cmd)
	if err != nil {
		return err
	}
	recorded := wire.Object(input)
	name := cmp.Or(strings.Join(args, ""), recorded.Text("hook_event_name"))
	if name == "" {
		return errors.New(
			"the payload has no hook_event_name: name the event, as in record-event claude.PreToolUse",
		)
	}
	if !strings.Contains(name, ".") || dialect == "xcsh" && !strings.HasPrefix(name, "xcsh.") {
		name = dialect + "." + name
	}
	event, err := systems.EventNamed(name, systems.Events())
	if err != nil {
		return err
	}
	if cmp.Or(f.record, os.Getenv(records.RecordVariable)) == "" {
		return fmt.Errorf("no record is named: write --record FILE, or set %s", records.RecordVariable)
	}
	to, err := f.openRecord(cmd)
	if err != nil {
		return err
	}
	defer to.close(cmd)
	sys := pipeline.NewSystem(pipeline.Config{Log: f.Log(cmd), Observe: to.observers(), ObserveIdle: true})
	defer sys.Close()
	ses, err := sys.NewSession(cmd.Context(), pipeline.SessionConfig{
		ID:         cmp.Or(f.session, recorded.Text("session_id")),
		Transcript: recorded.Text("transcript_path"),
		Dir:        cmp.Or(f.Dir, recorded.Text("cwd")),
	})
	if err != nil {
		return err
	}
	if _, err := event.FireJSON(traced(cmd.Context()), ses, input); err != nil {
		return project.InputError(err)
	}
	return nil
}
