package fire

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// NewEvents returns the verb events.
func NewEvents() *cobra.Command {
	var f cli.JSONFlag
	cmd := &cobra.Command{
		Use:   "events [DIALECT]",
		Short: "List the events, and what hooks may do at each",
		Example: `# The events of Claude Code
snaphook events claude`,
		ValidArgs: systems.Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("one DIALECT is wanted, not %d: %s", len(args), strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return listEvents(cmd, args, f.JSON) },
	}
	f.AddJSON(cmd)
	return cmd
}

// catalogued is an event in the form for programs.
type catalogued struct {
	Event   string   `json:"event"`
	Dialect string   `json:"dialect"`
	Fires   string   `json:"fires"`
	Subject *string  `json:"subject"` // the member that matchers test; null if matchers test no member
	Types   []string `json:"types"`   // types of hooks that run at the event
	Can     []string `json:"can"`
	// effects by exit status; "other" stands for all other statuses, "error" for an error of a module
	Exits     map[string]string `json:"exits"`
	TimeoutMS *float64          `json:"timeoutMs"`
	Result    []string          `json:"result,omitempty"` // members that modules may return
}

// listEvents prints the events of a dialect, or of all.
func listEvents(cmd *cobra.Command, args []string, asJSON bool) error {
	var of *pipeline.Dialect
	if len(args) > 0 {
		d, err := systems.Named(args[0])
		if err != nil {
			return err
		}
		of = d.Dialect
	}
	catalogue := lo.Map(pipeline.Events(of), func(e pipeline.Declared, _ int) catalogued { return catalogue(e.Info()) })
	if asJSON {
		return cli.SayJSON(cmd, catalogue)
	}
	rows := lo.Map(catalogue, func(c catalogued, _ int) []string { return c.row() })
	return cli.Say(
		cmd,
		cli.Columns(
			cmd,
			[]string{"EVENT", "FIRES", "MATCHER TESTS", "HOOKS MAY", "EXIT STATUS", "TIMEOUT", "HOOK TYPES"},
			rows,
		),
	)
}

// effects describes the effect of an exit status in words.
var effects = map[hook.ExitEffect]string{
	hook.ParseAnswer:     "answer",
	hook.ParseAndDeny:    "refuse",
	hook.FailWithWarning: "warn",
	hook.ParseOrFail:     "answer or warn",
	hook.ReadAny:         "answer",
	hook.WarnAny:         "answer or warn",
	hook.DenyAny:         "answer or refuse",
	hook.DenyForStderr:   "refuse or warn",
	hook.DenyUnread:      "refuse",
	hook.Fail:            "warn",
}

func catalogue(i pipeline.Info) catalogued {
	c := catalogued{
		Event:   i.FullName(),
		Dialect: i.Dialect,
		Fires:   i.Doc,
		Can:     i.Can.Words(),
		Exits:   map[string]string{"other": effects[hook.FailWithWarning]},
	}
	c.Subject = lo.EmptyableToPtr(i.Subject)
	told := ""
	d, err := systems.Named(i.Dialect)
	if err == nil {
		c.Types, told = d.Traits(i.Name)
	}
	for status, effect := range i.Rules.Exits {
		name := strconv.Itoa(status)
		if status == hook.OtherStatus {
			name = "other"
		}
		c.Exits[name] = cmp.Or(effects[effect], vetoed(i.Can, told))
	}
	if d != nil && d.Modules {
		c.describeModules(i)
	}
	if i.Rules.Timeout > 0 {
		c.TimeoutMS = lo.ToPtr(float64(i.Rules.Timeout.Microseconds()) / 1000)
	}
	return c
}

// vetoed returns words for an exit status that blocks: "block" if the event can be blocked, and "tell the …" with the
// reader of standard error.
func vetoed(can pipeline.Capability, told string) string {
	switch blocks := can&pipeline.CanBlock != 0; {
	case blocks && told != "":
		return "block and tell the " + told
	case blocks:
		return "block"
	case told != "":
		return "tell the " + told
	}
	return "nothing"
}

func (c catalogued) row() []string {
	exits := lo.Map(
		slices.Sorted(maps.Keys(c.Exits)),
		func(status string, _ int) string { return status + " " + c.Exits[status] },
	)
	timeout := "none"
	if c.TimeoutMS != nil {
		timeout = (time.Duration(*c.TimeoutMS) * time.Millisecond).String()
	}
	can := lo.Ternary(len(c.Can) > 0, strings.Join(c.Can, ", "), "observe")
	if len(c.Result) > 0 {
		can += ": " + strings.Join(c.Result, ", ")
	}
	return []string{
		c.Event,
		c.Fires,
		lo.FromPtrOr(c.Subject, "-"),
		can,
		strings.Join(exits, ", "),
		timeout,
		strings.Join(c.Types, ", "),
	}
}

// ModuleResults lists the members of a handler's result, by event; an event that is not listed ignores
// the result.
var ModuleResults = map[string][]string{
	"tool_call":              {"block", "reason"},
	"tool_result":            {"content", "details"},
	"context":                {"messages"},
	"before_agent_start":     {"message"},
	"session_before_switch":  {"cancel"},
	"session_before_branch":  {"cancel", "skipConversationRestore"},
	"session_before_compact": {"cancel", "compaction"},
	"session.compacting":     {"context", "prompt", "preserveData"},
	"session_before_tree":    {"cancel", "summary"},
}

// extensionResults lists the results that differ from [ModuleResults] in the extension runtime.
var extensionResults = map[string][]string{
	"tool_result":        {"content", "details", "isError"},
	"before_agent_start": {"message", "systemPrompt"},
}

// describeModules adapts the catalogue's entry to modules, which have errors instead of exit statuses.
func (c *catalogued) describeModules(i pipeline.Info) {
	c.Result = ModuleResults[i.Name]
	if more, differs := extensionResults[i.Name]; differs && i.Dialect == xcsh.Extensions.Name {
		c.Result = more
	}
	c.Exits = map[string]string{"error": lo.Ternary(i.Rules.Propagate || i.Rules.FailClosed, "block", "report")}
}
