package systems

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/pipeline"
)

// EventNamed finds an event by its full name, or by its bare name if only one dialect has it.
func EventNamed(name string, events []pipeline.Declared) (pipeline.Declared, error) {
	for _, e := range events {
		if e.Info().FullName() == name {
			return e, nil
		}
	}
	found := EventsByName(name, events)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, unknownEvent(name, events)
	}
	return nil, fmt.Errorf("several dialects have an event %q; write %s", name,
		strings.Join(lo.Map(found, func(e pipeline.Declared, _ int) string { return e.Info().FullName() }), " or "))
}

// EventsByName returns the events with a bare name. If dialects that allow bare names have such events, it returns only
// these, else the events of the other dialects.
func EventsByName(name string, events []pipeline.Declared) []pipeline.Declared {
	named := lo.Filter(events, func(e pipeline.Declared, _ int) bool {
		return e.Info().Name == name && e.Info().Dialect != agentDialect
	})
	plain := lo.Filter(named, func(e pipeline.Declared, _ int) bool { return goesByName(e.Info()) })
	if len(plain) > 0 {
		return plain
	}
	return named
}

// goesByName reports whether a bare name may mean the event. The full name is needed for events of dialects with
// inFull, and for the moments of package snaphook, for which settings cannot have hooks.
func goesByName(info pipeline.Info) bool {
	d, err := Named(info.Dialect)
	return (err != nil || !d.inFull) && info.Dialect != agentDialect
}

// agentDialect is the name under which package snaphook declares its moments.
const agentDialect = "host"

func unknownEvent(name string, events []pipeline.Declared) error {
	if name == "" {
		return errors.New("the name of the event is empty; `snaphook events` lists them")
	}
	names := lo.Map(events, func(e pipeline.Declared, _ int) string { return e.Info().FullName() })
	dialect, bare, isFull := strings.Cut(name, ".")
	if !isFull {
		names = lo.Uniq(lo.Map(events, func(e pipeline.Declared, _ int) string { return e.Info().Name }))
	}
	meant, found := lo.Find(names, func(n string) bool { return strings.EqualFold(n, name) })
	if !found && isFull {
		meant, found = counterpart(dialect, bare)
	}
	if found {
		return fmt.Errorf("there is no event %q; write %s, or another event that `snaphook events` lists", name, meant)
	}
	return fmt.Errorf("there is no event %q%s; `snaphook events` lists them", name, cli.DidYouMean("", name, names))
}

// counterpart returns the full name of a dialect's event that corresponds to the event name of another system.
func counterpart(dialect, name string) (event string, ok bool) {
	all := Portable()
	for i := range all {
		key, known := all[i].Event(name)
		for j := range all {
			if known && all[j].Dialect == dialect {
				if event = cmp.Or(all[j].Fired[key], all[j].Events[key]); event != "" {
					return dialect + "." + event, true
				}
			}
		}
	}
	return "", false
}

// OneEvent checks the single argument of verbs that take an event.
func OneEvent(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return fmt.Errorf(
			"EVENT is missing; write %s llxprt.BeforeTool, or another event that `snaphook events` lists",
			cmd.CommandPath(),
		)
	case 1:
		return nil
	}
	return fmt.Errorf(
		"one EVENT is wanted, not %d: %s; the event's fields come as JSON on standard input",
		len(args),
		strings.Join(args, " "),
	)
}

// CompleteEvent completes full names, and bare names if they are unique.
func CompleteEvent(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	events := Events()
	bare := lo.CountValuesBy(events, func(e pipeline.Declared) string {
		return lo.Ternary(goesByName(e.Info()), e.Info().Name, "")
	})
	var names []cobra.Completion
	for _, e := range events {
		info := e.Info()
		switch {
		case strings.HasPrefix(info.FullName(), typed):
			names = append(names, cobra.CompletionWithDesc(info.FullName(), info.Doc))
		case goesByName(info) && strings.HasPrefix(info.Name, typed) && bare[info.Name] == 1:
			names = append(names, cobra.CompletionWithDesc(info.Name, info.Doc))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
