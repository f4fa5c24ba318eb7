// Package format holds the parts that are common to hook systems with Claude Code's format of
// hooks: groups of matchers and commands, exit status 2, answers in JSON.
package format

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
)

// Effects lists everything that a caller has to apply after a fire, in words that are the same for
// all dialects. A dialect with further effects embeds it. Members that the event does not have are
// null, and lists empty.
//
// The command line adds a member "env" with the variables that hooks have exported; see
// [pipeline.Session.EnvFiles].
type Effects struct {
	Decision      *hook.Decision `json:"decision"`      // allow, deny, ask …, about the guarded action
	UpdatedInput  jsontext.Value `json:"updatedInput"`  // the complete arguments in place of the original
	UpdatedOutput jsontext.Value `json:"updatedOutput"` // the result in place of the tool's

	AdditionalContext []string `json:"additionalContext"` // one text for each hook, in plan order
	SystemMessages    []string `json:"systemMessages"`    // one text for each hook, in plan order
	Continue          *bool    `json:"continue"`          // false, if the agent has to stop
	StopReason        *string  `json:"stopReason"`
	Followup          *string  `json:"followup"` // the text with which the agent continues

	ModelSees []string `json:"model_sees"`
	UserSees  []string `json:"user_sees"`
}

// EffectsOf returns the effects that all events have in common: the stop, and from foreground hooks the contexts that
// the model sees and the messages that the user sees.
func EffectsOf[Out any](res *hook.Result[Out]) *Effects {
	o := common.Of(&res.Restore().Output)
	return effectsOf(&o, common.ReportsOf(res.Reports))
}

func effectsOf(o *common.Output, reports []common.Report) *Effects {
	texts := func(of func(*common.Output) string) []string {
		return lo.FilterMap(reports, func(r common.Report, _ int) (string, bool) {
			return of(&r.Output), !r.Backgrounded && of(&r.Output) != ""
		})
	}
	e := &Effects{
		AdditionalContext: texts(func(o *common.Output) string { return o.Context }),
		SystemMessages:    texts(func(o *common.Output) string { return o.Message }),
	}
	e.ModelSees, e.UserSees = append([]string{}, e.AdditionalContext...), append([]string{}, e.SystemMessages...)
	if o.Stop {
		e.Continue, e.StopReason = new(bool), lo.EmptyableToPtr(o.StopReason)
		e.TellUser(o.StopReason)
	}
	return e
}

// Decide sets the decision; "" leaves it null.
func (e *Effects) Decide(d hook.Decision) { e.Decision = lo.EmptyableToPtr(d) }

// TellModel adds a text that the model sees, unless it is empty.
func (e *Effects) TellModel(text string) { e.ModelSees = tell(e.ModelSees, text) }

// TellUser adds a text that the user sees, unless it is empty.
func (e *Effects) TellUser(text string) { e.UserSees = tell(e.UserSees, text) }

func tell(to []string, text string) []string {
	if text == "" {
		return to
	}
	return append(to, text)
}
