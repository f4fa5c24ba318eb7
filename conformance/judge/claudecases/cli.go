package claudecases

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
)

// ObserveCLI reads the document that "snaphook fire claude.EVENT --json" prints. The members of
// its effects are the observables of the same names; a missing one is null, unless there are no
// effects at all. Without effects.errors, it counts the hooks that failed without blocking. The
// Go API's description of a fire has the same form and can be read too.
//
// An [Engine] that starts the program needs, for a [Prepared] p:
//
//	snaphook fire claude.EVENT --json
//		--dir p.Dir --session SessionID --transcript p.Transcript
//		--settings NAME=FILE        for all of p.LayerFiles, if managed or flag is among
//		                            them; else the dialect finds them by itself
//		--plugin ROOT               for p.Plugins whose root exists
//		--interactive               if p.Host.Interactive
//		--trusted or --untrusted    by p.Host.Trusted
//
// the event's input on standard input, and p.Environ() as its environment. It skips, with a
// reason, the parts that need a process which outlives the fire: p.Then, p.User, p.LLM, the
// expectation async, the options of plugins.
func ObserveCLI(stdout []byte) (Observation, error) {
	var fired struct {
		Blocked *bool          `json:"blocked"`
		Reason  jsontext.Value `json:"reason"`
		Effects jsontext.Value `json:"effects"`
		Hooks   []HookRun      `json:"hooks"`
	}
	if err := json.Unmarshal(stdout, &fired); err != nil {
		return Observation{}, fmt.Errorf("the answer of fire --json: %w", err)
	}
	if fired.Blocked == nil || fired.Effects == nil || fired.Hooks == nil {
		return Observation{}, errors.New("the answer of fire --json lacks blocked, effects or hooks")
	}
	o, err := observeEffects(fired.Effects)
	if err != nil {
		return o, fmt.Errorf("the effects of fire --json: %w", err)
	}
	o.Blocked, o.Hooks = fired.Blocked, fired.Hooks
	if isNull(o.Reason) && fired.Reason != nil {
		o.Reason = fired.Reason
	}
	if o.Errors == nil {
		o.Errors = new(lo.CountBy(o.Hooks, func(h HookRun) bool { return h.Outcome == "non_blocking_error" }))
	}
	return o, nil
}

// textsOfAny keeps a null where any value is allowed.
var textsOfAny = json.WithUnmarshalers(json.UnmarshalFromFunc(func(in *jsontext.Decoder, v *any) error {
	text, err := in.ReadValue()
	*v = text.Clone()
	return err
}))

func observeEffects(effects jsontext.Value) (o Observation, err error) {
	given, err := membersOf(effects)
	if err != nil || len(given) == 0 {
		return o, err
	}
	o = Observation{
		PermissionDecision: Null, PermissionBehavior: Null, Decision: Null, Reason: Null,
		UpdatedInput: Null, UpdatedPermissions: Null,
		Interrupt: Null, StopReason: Null, PromptErased: Null,
		SuppressOriginalPrompt: Null, SessionTitle: Null, InitialUserMessage: Null,
		WatchPaths: Null, ReloadSkills: Null, UpdatedToolOutput: Null, DisplayContent: Null, WorktreePath: Null, Retry: Null,
		Elicitation: Null, TerminalSequence: Null,
	}
	err = json.Unmarshal(effects, &o, textsOfAny)
	return o, err
}

func isNull(v any) bool {
	text, ok := v.(jsontext.Value)
	return v == nil || ok && text.Kind() == 'n'
}
