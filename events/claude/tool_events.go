package claude

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// PreToolUse fires before a tool runs, and before permission is requested (C52). A hook denies the call, allows it,
// asks the user, defers it, or rewrites its arguments. After an empty answer the normal permissions apply.
var PreToolUse *pipeline.Event[PreToolUseInput, PreToolUseOutput] = declare(traits{
	kinds: all, reason: model, decides: true, permission: true, stopBlocks: true, conditions: true, verdict: denyAndEnd,
}, addGate, pipeline.Spec[PreToolUseInput, PreToolUseOutput]{
	Name:           "PreToolUse",
	Doc:            "before a tool runs, and before permission is asked for",
	Can:            pipeline.CanBlock | pipeline.CanStop | pipeline.CanRewriteInput | pipeline.CanAddContext,
	Rules:          pipeline.Rules{LateFuncBlocks: true, Asks: true},
	Subject:        func(c *PreToolUseInput) *string { return &c.Name },
	SubjectName:    toolSubject,
	Check:          PreToolUseInput.check,
	ConditionInput: (*PreToolUseInput).conditionInput,
	Rewrites:       rewrites,
	Rewritten: func(c PreToolUseInput, o *hook.Output[PreToolUseOutput]) (PreToolUseInput, bool) {
		ok := c.rewrite(o.Specific.UpdatedInput)
		return c, ok
	},
	Unrewritten: func(o *hook.Output[PreToolUseOutput]) (rewrote bool) {
		g := o.Specific
		o.Specific = PreToolUseOutput{
			PermissionDecision: g.PermissionDecision, PermissionDecisionReason: g.PermissionDecisionReason,
		}
		return g.UpdatedInput != nil
	},
	Refine: refineGate[PreToolUseInput],
})

// PermissionRequest fires before the user is asked for a permission (C53); a hook
// answers in the user's place. Its exit status decides nothing.
var PermissionRequest *pipeline.Event[PermissionRequestInput, PermissionRequestOutput] = declare(traits{
	kinds: all, reason: model, decides: true, permission: true, conditions: true,
}, addPermission, pipeline.Spec[PermissionRequestInput, PermissionRequestOutput]{
	Name:           "PermissionRequest",
	Doc:            "before the user is asked for a permission",
	Can:            pipeline.CanBlock | pipeline.CanStop | pipeline.CanRewriteInput,
	Rules:          pipeline.Rules{Exits: ignoresTwo},
	Subject:        func(a *PermissionRequestInput) *string { return &a.Name },
	SubjectName:    toolSubject,
	Check:          func(a PermissionRequestInput) error { return a.check() },
	ConditionInput: func(a *PermissionRequestInput) hook.ConditionInput { return a.conditionInput() },
	Rewrites: func(o *hook.Output[PermissionRequestOutput]) wire.Object {
		if d := o.Specific.Decision; d != nil {
			return asInput(d.UpdatedInput)
		}
		return nil
	},
	Rewritten: func(a PermissionRequestInput, o *hook.Output[PermissionRequestOutput]) (PermissionRequestInput, bool) {
		d := o.Specific.Decision
		ok := d != nil && a.rewrite(d.UpdatedInput)
		return a, ok
	},
	Unrewritten: func(o *hook.Output[PermissionRequestOutput]) (rewrote bool) {
		if d := o.Specific.Decision; d != nil && d.UpdatedInput != nil {
			own := *d
			own.UpdatedInput = nil
			o.Specific.Decision, rewrote = &own, true
		}
		return rewrote
	},
	Refine: refinePermission,
})

// PermissionDenied fires when the classifier of the auto mode has refused a
// call (C54).
var PermissionDenied *pipeline.Event[PermissionDeniedInput, PermissionDeniedOutput] = declare(traits{
	kinds: all, noContinue: true, noMessage: true, conditions: true,
}, addRetry, pipeline.Spec[PermissionDeniedInput, PermissionDeniedOutput]{
	Name:           "PermissionDenied",
	Doc:            "when the classifier of the auto mode has refused a call",
	Rules:          pipeline.Rules{Exits: ignoresTwo},
	Subject:        func(d *PermissionDeniedInput) *string { return &d.Name },
	SubjectName:    toolSubject,
	Check:          func(d PermissionDeniedInput) error { return d.check() },
	ConditionInput: func(d *PermissionDeniedInput) hook.ConditionInput { return d.conditionInput() },
})

// PostToolUse fires when a tool has succeeded (C55). A block undoes nothing: its reason goes to the model, besides the
// result.
var PostToolUse *pipeline.Event[PostToolUseInput, PostToolUseOutput] = declare(traits{
	kinds: all, reason: model, decides: true, conditions: true, verdict: endTurn,
}, addEdit, pipeline.Spec[PostToolUseInput, PostToolUseOutput]{
	Name:           "PostToolUse",
	Doc:            "when a tool has succeeded",
	Can:            pipeline.CanStop | pipeline.CanRewriteOutput | pipeline.CanAddContext,
	Subject:        func(d *PostToolUseInput) *string { return &d.Name },
	SubjectName:    toolSubject,
	Check:          func(d PostToolUseInput) error { return d.check() },
	ConditionInput: func(d *PostToolUseInput) hook.ConditionInput { return d.conditionInput() },
	Refine:         refineEdit,
})

// PostToolUseFailure fires when a tool has failed (C56).
var PostToolUseFailure *pipeline.Event[PostToolUseFailureInput, PostToolUseFailureOutput] = declare(traits{
	kinds: all, reason: model, decides: true, conditions: true, verdict: block,
}, nil, pipeline.Spec[PostToolUseFailureInput, BasicOutput]{
	Name:           "PostToolUseFailure",
	Doc:            "when a tool has failed",
	Can:            pipeline.CanStop | pipeline.CanAddContext,
	Subject:        func(f *PostToolUseFailureInput) *string { return &f.Name },
	SubjectName:    toolSubject,
	Check:          func(f PostToolUseFailureInput) error { return f.check() },
	ConditionInput: func(f *PostToolUseFailureInput) hook.ConditionInput { return f.conditionInput() },
})

// PostToolBatch fires when all calls of one turn of the model are done, before the next request to the model (release
// 2.1.239). A block ends the agent's work.
var PostToolBatch *pipeline.Event[PostToolBatchInput, PostToolBatchOutput] = declare(traits{
	kinds: all, reason: user, decides: true, stopBlocks: true, verdict: endLoop,
}, nil, pipeline.Spec[PostToolBatchInput, BasicOutput]{
	Name: "PostToolBatch",
	Doc:  "when all parallel calls are done, before the model is asked again",
	Can:  pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
})

// Elicitation fires when an MCP server asks the user (C73); a hook
// answers in the user's place.
var Elicitation *pipeline.Event[ElicitationInput, ElicitationOutput] = declare(traits{
	kinds: outside, noContinue: true, noMessage: true,
}, addReply, pipeline.Spec[ElicitationInput, ElicitationOutput]{
	Name:        "Elicitation",
	Doc:         "when an MCP server asks the user",
	Can:         pipeline.CanBlock,
	Subject:     func(q *ElicitationInput) *string { return &q.Server },
	SubjectName: "mcp_server_name",
	Refine:      refineReply[ElicitationInput],
	Blocks:      replyBlocks,
})

// ElicitationResult fires when the user has answered, before the server gets the answer (C73).
var ElicitationResult *pipeline.Event[ElicitationResultInput, ElicitationResultOutput] = declare(traits{
	kinds: outside, noContinue: true, noMessage: true,
}, addReply, pipeline.Spec[ElicitationResultInput, ElicitationOutput]{
	Name:        "ElicitationResult",
	Doc:         "when the user has answered an MCP server, before the answer is sent",
	Can:         pipeline.CanBlock,
	Subject:     func(a *ElicitationResultInput) *string { return &a.Server },
	SubjectName: "mcp_server_name",
	Refine:      refineReply[ElicitationResultInput],
	Blocks:      replyBlocks,
})

// PreModelSwitch fires before the agent changes to another model (release 2.1.251).
var PreModelSwitch *pipeline.Event[PreModelSwitchInput, PreModelSwitchOutput] = declare(traits{
	kinds: all, reason: user, decides: true, permission: true, verdict: block,
}, addSwitch, pipeline.Spec[PreModelSwitchInput, PreModelSwitchOutput]{
	Name:        "PreModelSwitch",
	Doc:         "before another model is used",
	Can:         pipeline.CanBlock | pipeline.CanStop,
	Rules:       pipeline.Rules{Timeout: 30 * time.Second, LateBlocks: true, Asks: true},
	Subject:     func(s *PreModelSwitchInput) *string { return &s.To },
	SubjectName: "to_model",
	Refine:      refineSwitch,
})

// PostModelSwitch fires after the agent has changed to another model (release 2.1.251).
var PostModelSwitch *pipeline.Event[PostModelSwitchInput, PostModelSwitchOutput] = declare(traits{
	kinds: all, reason: user,
}, nil, pipeline.Spec[PreModelSwitchInput, BasicOutput]{
	Name:        "PostModelSwitch",
	Doc:         "after the agent has switched to another model",
	Can:         pipeline.CanStop | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Timeout: 30 * time.Second, Text: hook.TextContext},
	Subject:     func(s *PreModelSwitchInput) *string { return &s.To },
	SubjectName: "to_model",
})

// original returns the arguments in the form of payloads. A call without arguments has an empty object.
func original(input wire.Object) wire.Object {
	if input == nil {
		return wire.Object("{}")
	}
	return input
}
