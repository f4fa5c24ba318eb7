package check

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/hook"
)

// hooksFlags holds the flags of hooks.
type hooksFlags struct {
	project.SessionFlags
	cli.JSONFlag
	record                           string
	call, event, hook, source, state string
}

// NewHooks returns the verb hooks.
func NewHooks(global *cli.Global) *cobra.Command {
	f := &hooksFlags{SessionFlags: project.NewSessionFlags(global)}
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "List the hooks of all systems for this project, with their states and figures",
		Long: "Lists the hooks of all systems that are configured for the project: event, matcher, condition, label, source and position, " +
			"the policy in force, and the state. The state is runs, warm (it runs in a process that is kept ready) or shadow (it runs, and its " +
			"answer does not count), or else the reason why the hook does not run: disabled, untrusted, invalid, unsupported_type, policy. " +
			"With a record (--record or SNAPHOOK_RECORD) it shows how often each hook ran, blocked and failed, and its p50 and p95; " +
			"the record's hooks are found by event, id and command.\n\n" +
			"--for TOOL lists only hooks of tool events whose matcher matches that tool. --for '{…}' plans one call, with its conditions, and " +
			"says of each hook whether it would run; the event is the call's hook_event_name, else the event before a tool runs. " +
			"No hook runs; modules of xcsh are loaded.\n\n" +
			"Exit status: 0; 1 if a file of settings cannot be used at all.",
		Example: `# All hooks of this project
snaphook hooks
# Which hooks see shell commands, and which would run for this command?
snaphook hooks --for Bash
snaphook hooks --for '{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
# Which hooks do not run?
snaphook hooks --json | jq '.hooks[] | select(.why) | {label, state, detail}'`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.hooks(cmd) },
	}
	f.AddJSON(cmd)
	f.AddSources(cmd.Flags())
	f.AddModules(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddDialect(cmd.Flags())
	to := cmd.Flags()
	to.BoolVar(&f.Interactive, "interactive", false, "Show the hooks that run if the agent has a user who can be asked: hooks --interactive")
	to.StringVar(&f.record, "record", "", "Take the figures from the record `FILE`; default: the file in SNAPHOOK_RECORD: --record hooks.jsonl")
	to.StringVar(&f.call, "for", "", "Only hooks for `CALL`, the name of a tool or a call as JSON: --for Bash")
	to.StringVar(&f.event, "event", "", "Only hooks of `EVENT`, with or without its dialect; * stands for any text: --event 'claude.*'")
	to.StringVar(&f.hook, "hook", "", "Only `HOOK`, by id, command or name; * stands for any text: --hook '*guard*'")
	to.StringVar(&f.source, "source", "", "Only hooks of `SOURCE`, such as project, user or managed: --source project")
	to.StringVar(&f.state, "state", "", "Only hooks in `STATE`, such as runs, shadow or untrusted: --state untrusted")
	return cmd
}

func (f *hooksFlags) hooks(cmd *cobra.Command) error {
	call, err := readCall(f.call)
	if err != nil {
		return err
	}
	list, err := f.listHooks(cmd, call)
	if err != nil {
		return err
	}
	if list.Hooks, err = f.filter(list.Hooks); err != nil {
		return err
	}
	if err := f.addFigures(cmd, list); err != nil {
		return err
	}
	if slices.ContainsFunc(list.Problems, func(p problem) bool { return p.Fatal }) {
		f.Status = cli.Failed
	}
	if f.JSON {
		return cli.SayJSON(cmd, list)
	}
	return cli.Say(cmd, list.text())
}

// listHooks loads the hooks of all systems. With --for it returns only the hooks for a call.
func (f *hooksFlags) listHooks(cmd *cobra.Command, call *callAsked) (*hookList, error) {
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	all, err := f.AllSources(cmd)
	if err != nil {
		return nil, err
	}
	found, problems, err := loadHooks(cmd, &f.SessionFlags, all)
	if err != nil {
		return nil, err
	}
	all = lo.Reject(all, f.Passes)
	warnMissed(cmd, all)
	for _, p := range problems {
		cli.Warn(cmd, "%s", p)
	}
	if err := missed(&f.SessionFlags, all, &found); err != nil {
		return nil, err
	}
	list := &hookList{
		Dir: dir, Hooks: []listedHook{}, For: call, Problems: cli.OrEmpty(found.Problems),
		LookedAt: found.LookedAt, NearMisses: found.NearMisses,
	}
	hooks := append(slices.Clone(found.loaded), found.handlers...)
	for i, line := range found.Hooks {
		list.Hooks = append(list.Hooks, newListedHook(line, hooks[i], dir))
	}
	for _, h := range found.unloaded {
		line := CheckedHook{Event: h.Dialect + "." + h.Event, DescribedHook: project.Describe(h), Why: &h.Skip, Detail: &h.SkipDetail, Policy: project.Governed(h)}
		list.Hooks = append(list.Hooks, newListedHook(line, h, dir))
	}
	list.Hooks, list.all = byEvent(list.Hooks), len(list.Hooks)
	if call == nil {
		return list, nil
	}
	list.Hooks, err = forCall(cmd, f, all, list.Hooks, call)
	return list, err
}

// warnMissed warns of guards that existed when trust was granted, and do not exist now.
func warnMissed(cmd *cobra.Command, all []*project.Sources) {
	decided := project.Decisions(cmd)
	for _, src := range all {
		stand := project.Trust{}
		stand.Miss(src, decided)
		if err := project.WarnMissing(cmd, src, stand.Missed); err != nil {
			cli.Warn(cmd, "%v", err)
		}
	}
}

// filter returns the hooks that every given flag selects.
func (f *hooksFlags) filter(all []listedHook) ([]listedHook, error) {
	var states, sources []string
	for _, h := range all {
		states, sources = append(states, h.State), append(sources, h.Source)
	}
	known := append([]string{
		stateRuns, stateWarm, stateShadow,
		string(hook.Disabled), string(hook.Untrusted), string(hook.Invalid), string(hook.Policy),
		string(hook.UnsupportedType),
		string(hook.NotMatched), string(hook.ConditionFalse), string(hook.Duplicate),
	}, states...)
	if f.state != "" && !slices.Contains(known, f.state) {
		return nil, fmt.Errorf("--state %q: there is no such state; write one of: %s", f.state, strings.Join(lo.Uniq(known), ", "))
	}
	if sources = lo.Uniq(sources); f.source != "" && len(all) > 0 && !slices.Contains(sources, f.source) {
		return nil, fmt.Errorf("--source %q: no hook here comes from it; write one of: %s", f.source, strings.Join(sources, ", "))
	}
	event, named := records.GlobOf(f.event), records.GlobOf(f.hook)
	return lo.Filter(all, func(h listedHook, _ int) bool {
		_, bare, _ := strings.Cut(h.Event, ".")
		return (f.event == "" || event(h.Event) || event(bare)) &&
			(f.source == "" || f.source == h.Source) &&
			(f.state == "" || f.state == h.State) &&
			(f.hook == "" || named(h.ID) || named(lo.FromPtr(h.Command)) || named(lo.FromPtr(h.Name)))
	}), nil
}

// addFigures adds the figures of a record, if one is named. If SNAPHOOK_RECORD names a record that cannot be read,
// addFigures only warns: perhaps no fire has created the file yet.
func (f *hooksFlags) addFigures(cmd *cobra.Command, list *hookList) error {
	path := cmp.Or(f.record, os.Getenv(records.RecordVariable))
	if path == "" {
		return nil
	}
	figures, read, err := records.ReadFigures(cmd, path)
	switch {
	case err != nil && (f.record != "" || cmd.Context().Err() != nil):
		return err
	case err != nil:
		cli.Warn(cmd, "%s: %v; the list has no figures", records.RecordVariable, err)
		return nil
	}
	list.Record = read
	for i := range list.Hooks {
		h := &list.Hooks[i]
		if one, ok := figures[records.HookKey{Event: h.Event, ID: h.ID, SHA256: commandSum(h.hook)}]; ok {
			h.Record = &one
		}
	}
	return nil
}

// commandSum returns the digest by which a record distinguishes commands.
func commandSum(h *hook.Hook) string {
	if h.Command == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(h.Command))
	return hex.EncodeToString(sum[:])
}
