package snaphook

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// DialectConfig configures a program's own dialect: how its settings are read, and its names for
// tools.
type DialectConfig struct {
	// Load reads the settings. Nil means the Settings of the dialect, if it has any.
	Load pipeline.Load

	// ToolName maps a tool to the dialect's name for it. Argument maps the canonical name of an argument, given the
	// kind, to the dialect's name. If a function is nil or returns "", a tool keeps the host's name, and an argument
	// gets its canonical name. If both functions are nil, arguments keep the host's names, too. Both are called from
	// many goroutines.
	ToolName func(Tool) string
	Argument func(k Kind, canonical string) string
}

// NewDialect makes a Dialect for a program's own hook system, whose events are declared in d. A stage fires one event
// at a moment; a stage of [InTurn] fires several events. At a moment without a stage the dialect runs no hooks. [Open]
// reports mistakes in a stage or in d.
func NewDialect(d *pipeline.Dialect, cfg DialectConfig, stages ...Stage) *Dialect {
	if d == nil {
		return &Dialect{name: "?", wrong: errors.New("NewDialect got no dialect; give it the dialect in which its events are declared")}
	}
	made := &Dialect{name: d.Name, load: cfg.Load}
	if made.load == nil {
		made.load = d.Settings
	}
	if cfg.ToolName != nil || cfg.Argument != nil {
		made.translate = cfg.translate
	}
	if d.Name == own.name {
		made.wrong = fmt.Errorf("the dialect cannot have the name %q, which belongs to the program's own hooks; give it another name", d.Name)
	}
	for _, st := range stages {
		if wrong := made.take(d, st.stage); wrong != nil && made.wrong == nil {
			made.wrong = fmt.Errorf("the dialect %s: %w", d.Name, wrong)
		}
	}
	return made
}

// translate translates a tool into the dialect's names.
func (cfg *DialectConfig) translate(t *Tool) *translated {
	name, argument := "", func(string) string { return "" }
	if cfg.ToolName != nil {
		name = cfg.ToolName(*t)
	}
	if cfg.Argument != nil {
		argument = func(canonical string) string { return cfg.Argument(t.Kind, canonical) }
	}
	return translate(t, cmp.Or(name, t.Name), argument)
}

// Input is the input type of a moment.
type Input interface {
	StartInput | PromptInput | BeforeModelInput | AfterModelInput | ToolChoiceInput | ToolCall | AfterToolInput |
		PermissionInput | SubagentStartInput | SubagentStopInput | StopInput | BeforeCompactInput | AfterCompactInput |
		NotifyInput | EndInput
}

// Stage holds one or more events of a dialect that fire at a moment. Make a Stage with [Fires] or [InTurn].
type Stage struct{ stage momentStage }

// Fires makes the Stage of an event. The type In selects the moment: ToolCall stands for [BeforeTool].
//
// input makes the event's input. Tools and arguments have the dialect's names; Original has the arguments before hooks
// rewrote them.
//
// read copies a result into the Verdict. Decision, Reason, Stop, StopReason, Context, Messages and SuppressOutput are
// already set from the common fields of the merged answer. An Allow skips the host's permission prompt only if read
// sets Preapproved. To rewrite arguments or a request, read sets Input to the complete new object, in the dialect's
// names. To replace the result of a tool or a model, read sets Result. read is called once for the merged result and,
// if hooks rewrote, once for each answer alone, to find hooks that disagree. A nil read uses only the common fields.
//
// Both functions are called from many goroutines.
func Fires[In Input, E, R any](
	ev *pipeline.Event[E, R], input func(*In) E, read func(*hook.Result[R], *Verdict),
) Stage {
	m := momentOf[In]()
	return Stage{m.stage(func(ctx context.Context, in *In, p *dialectAnswer) {
		words := m.inWords(in, p)
		sent := input(&words)
		res := fired(ctx, ev, &sent, p)
		p.Verdict = verdictOf(res, p.Reports, read)
		if m.at == Start {
			exportEnv(p)
		}
		if p.Input == nil || m.args == nil {
			return
		}
		p.changes = p.view.Whole(p.Input)
		for i := range res.Reports {
			r := &res.Reports[i]
			alone := hook.Result[R]{Output: r.Output, Answered: r.Answered}
			if v := verdictOf(&alone, nil, read); r.Err == nil && v.Input != nil {
				for _, c := range p.view.Whole(v.Input) {
					p.claims = append(p.claims, claim{c, r.Hook.ID})
				}
			}
		}
	}, ev)}
}

// verdictOf converts a result to a Verdict: the common fields first, then read.
func verdictOf[R any](res *hook.Result[R], reports []Report, read func(*hook.Result[R], *Verdict)) (v Verdict) {
	v.Decision, v.Reason, v.Stop, v.StopReason = word(res.Decision), res.Reason, res.Stop, res.StopReason
	if res.Context != "" {
		v.Context = []string{res.Context}
	}
	if res.Message != "" {
		v.Messages = []string{res.Message}
	}
	v.SuppressOutput = res.Suppress
	if read != nil {
		read(res, &v)
		v.Decision = word(v.Decision)
	}
	v.Reports, v.Conflicts = reports, nil
	return v
}

// momentOf returns the moment whose input has type In.
func momentOf[In Input]() *moment[In] {
	for _, m := range [...]any{
		starts, prompts, beforeModels, afterModels, toolChoices, beforeTools, afterTools, permissions,
		subagentStarts, subagentStops, stops, beforeCompacts, afterCompacts, notifies, ends,
	} {
		if m, ok := m.(*moment[In]); ok {
			return m
		}
	}
	panic("snaphook: a moment is missing from the list in momentOf")
}
