package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/overlay"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// checkPolicy returns problems of the overlays, and adds findings about the hooks under them.
func checkPolicy(
	ctx context.Context, f *project.SourceFlags, all []*project.Sources, found *Answer,
) ([]settings.Problem, error) {
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	src, err := f.PolicySource(dir)
	if err != nil {
		return nil, err
	}
	for level := policy.Machine; level <= policy.Project; level++ {
		if file := src.Files[level]; file != "" {
			found.Files = append(found.Files, file)
		}
	}
	set, problems := src.Load(dir, false)
	events := pipeline.PolicyEvents()
	if wrong := set.Problems(found.loaded, events); len(wrong) > 0 {
		problems, set = append(problems, wrong...), nil // an invalid set has no effect
	}
	dialects := lo.Uniq(
		lo.FilterMap(all, func(s *project.Sources, _ int) (string, bool) { return s.Dialect.Name, !s.Dialect.Modules }),
	)
	for _, g := range set.Findings(found.loaded, events, dialects) {
		found.Findings = append(found.Findings, newFinding(g.ID, isWarning, g.Position, g.Message, g.Fix))
	}
	// The findings above assume a trusted project. From here on the overlays apply as in a fire now, perhaps without
	// trust.
	if found.undecided && set != nil {
		set, _ = src.Load(dir, true)
	}
	notStarting := lint.NotStarting(ctx, dir, found.loaded)
	for i, h := range found.loaded {
		missing := missingMessage(notStarting[h])
		h = set.Apply(h, events.Of(h))
		found.Hooks[i].DescribedHook, found.Hooks[i].Policy = project.Describe(h), project.Governed(h)
		if h.Skip == hook.Policy && found.Hooks[i].Why == nil {
			found.Hooks[i].Why, found.Hooks[i].Detail = &h.Skip, &h.SkipDetail
		}
		found.Findings = append(found.Findings, gateFindings(h, events.Of(h), missing)...)
		found.loaded[i] = h
	}
	for i, h := range found.handlers {
		h = set.Apply(h, events.Of(h))
		line := &found.Hooks[len(found.loaded)+i]
		line.DescribedHook, line.Policy, found.handlers[i] = project.Describe(h), project.Governed(h), h
		if h.Skip == hook.Policy && line.Why == nil {
			line.Why, line.Detail = &h.Skip, &h.SkipDetail
		}
	}
	return problems, nil
}

// missingMessage returns the message of the first finding that a program or a script is not there; "" without one.
func missingMessage(all []lint.Finding) string {
	for _, g := range all {
		if g.ID == "script-missing" || g.ID == "interpreter-missing" {
			return g.Message
		}
	}
	return ""
}

// gateFindings returns the findings about one hook that can block. missing is the message of its [missingMessage].
func gateFindings(h *hook.Hook, ev policy.Event, missing string) (found []finding) {
	if !ev.Gate || h.Skip != "" || h.Background != hook.Foreground || h.Policy != nil && h.Policy.Mode != hook.Enforce {
		return nil
	}
	p := h.Policy
	if p == nil {
		p = policy.EffectiveDefault(h, ev)
	}
	if missing != "" && p.OnFailure[hook.ClassMissing] == hook.FailClosed {
		at, way := h.Position, "in its settings"
		if from, ok := p.From["onFailure"]; ok {
			way = "at " + from.Position.String()
		}
		found = append(found, newFinding(
			policy.ClosedMissing,
			IsError,
			at,
			fmt.Sprintf(
				"%s, and this hook fails closed (class %q): every call that it matches will be denied",
				missing,
				hook.ClassMissing,
			),
			fmt.Sprintf(
				"put the program there; or write \"onFailure\": {\"missing\": \"open\"} %s; or switch the hook off with \"mode\": \"off\"",
				way,
			),
		))
	}
	if open := openClasses(p); len(open) > 0 {
		if tools := writesMatched(h); len(tools) > 0 {
			found = append(found, newFinding(
				policy.GateOpen,
				isNote,
				h.Position,
				fmt.Sprintf(
					"this hook guards tools that write (%s), but if the hook fails (%s), the tools run anyway",
					strings.Join(tools, ", "),
					strings.Join(open, ", "),
				),
				fmt.Sprintf(
					"to block the tools when the hook fails, write %s in %s",
					overlay.Rule(h.Event, shortGlob(h.Command), "onFailure", "closed"),
					policy.FileName,
				),
			))
		}
	}
	return found
}

// shortGlob returns a glob for a command: the whole command, or the beginning of a long one.
func shortGlob(command string) string {
	if runes := []rune(command); len(runes) > 80 {
		return overlay.Literal(string(runes[:79])) + "*"
	}
	return overlay.Literal(command)
}

// openClasses returns the classes of failures that a policy lets pass. It leaves out classes that are no failure of the
// hook itself, such as cancelled.
func openClasses(p *hook.EffectivePolicy) (open []string) {
	for _, class := range hook.Classes() {
		if class != hook.ClassUntrusted && class != hook.ClassCancelled && class != hook.ClassQueue &&
			class != hook.ClassBreaker && class != hook.ClassInvalid &&
			p.OnFailure[class] == hook.FailOpen {
			open = append(open, string(class))
		}
	}
	return open
}

// writesMatched returns the writing tools of the hook's dialect that the hook matches.
func writesMatched(h *hook.Hook) []string {
	d, err := systems.Named(h.Dialect)
	if err != nil || h.Event != d.ToolGate {
		return nil
	}
	return lo.Filter(d.Writers, func(tool string, _ int) bool { return h.Matcher == nil || h.Matcher.Match(tool) })
}
