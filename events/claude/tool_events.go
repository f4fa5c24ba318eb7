package claude

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// PreToolUse fires before a tool runs and before permission is asked for (C52). A
// hook denies the call, permits it, has the user asked, puts it
// off, or rewrites its arguments; silence leaves it to the normal permissions.
var PreToolUse *pipeline.Event[Call, Gate] = declare(traits{
	kinds: all, reason: model, decides: true, permission: true, stopBlocks: true, conditions: true, verdict: denyAndEnd,
}, addGate, pipeline.Spec[Call, Gate]{
	Name:        "PreToolUse",
	Doc:         "before a tool runs, and before permission is asked for",
	Can:         pipeline.CanBlock | pipeline.CanStop | pipeline.CanRewriteInput | pipeline.CanAddContext,
	Rules:       pipeline.Rules{LateFuncBlocks: true, Asks: true},
	Subject:     func(c *Call) *string { return &c.Name },
	SubjectName: "tool_name",
	Check:       Call.check,
	Detail:      (*Call).detail,
	Rewrites:    rewrites,
	Refine:      refineGate[Call],
})

// PermissionRequest fires before the user is asked for a permission (C53); a hook
// answers in the user's place. Its exit status decides nothing.
var PermissionRequest *pipeline.Event[Asked, Permission] = declare(traits{
	kinds: all, reason: model, decides: true, permission: true, conditions: true,
}, addPermission, pipeline.Spec[Asked, Permission]{
	Name:        "PermissionRequest",
	Doc:         "before the user is asked for a permission",
	Can:         pipeline.CanBlock | pipeline.CanStop | pipeline.CanRewriteInput,
	Rules:       pipeline.Rules{Exits: ignoresTwo},
	Subject:     func(a *Asked) *string { return &a.Name },
	SubjectName: "tool_name",
	Check:       func(a Asked) error { return a.check() },
	Detail:      func(a *Asked) hook.Detail { return a.detail() },
	Refine:      refinePermission,
})

// PermissionDenied fires when the classifier of the auto mode has refused a
// call (C54).
var PermissionDenied *pipeline.Event[Denied, Retry] = declare(traits{
	kinds: all, noContinue: true, noMessage: true, conditions: true,
}, addRetry, pipeline.Spec[Denied, Retry]{
	Name:        "PermissionDenied",
	Doc:         "when the classifier of the auto mode has refused a call",
	Rules:       pipeline.Rules{Exits: ignoresTwo},
	Subject:     func(d *Denied) *string { return &d.Name },
	SubjectName: "tool_name",
	Check:       func(d Denied) error { return d.check() },
	Detail:      func(d *Denied) hook.Detail { return d.detail() },
})

// PostToolUse fires when a tool has succeeded (C55). A block undoes
// nothing: its reason goes to the model, beside the result.
var PostToolUse *pipeline.Event[Done, Edit] = declare(traits{
	kinds: all, reason: model, decides: true, conditions: true, verdict: endTurn,
}, addEdit, pipeline.Spec[Done, Edit]{
	Name:        "PostToolUse",
	Doc:         "when a tool has succeeded",
	Can:         pipeline.CanStop | pipeline.CanRewriteOutput | pipeline.CanAddContext,
	Subject:     func(d *Done) *string { return &d.Name },
	SubjectName: "tool_name",
	Check:       func(d Done) error { return d.check() },
	Detail:      func(d *Done) hook.Detail { return d.detail() },
	Refine:      refineEdit,
})

// PostToolUseFailure fires when a tool has failed (C56).
var PostToolUseFailure *pipeline.Event[Failed, Plain] = declare(traits{
	kinds: all, reason: model, decides: true, conditions: true, verdict: block,
}, nil, pipeline.Spec[Failed, Plain]{
	Name:        "PostToolUseFailure",
	Doc:         "when a tool has failed",
	Can:         pipeline.CanStop | pipeline.CanAddContext,
	Subject:     func(f *Failed) *string { return &f.Name },
	SubjectName: "tool_name",
	Check:       func(f Failed) error { return f.check() },
	Detail:      func(f *Failed) hook.Detail { return f.detail() },
})

// PostToolBatch fires when all calls of one turn of the model are done, before
// it is asked again (release 2.1.239). A block ends the agent's work.
var PostToolBatch *pipeline.Event[Batch, Plain] = declare(traits{
	kinds: all, reason: user, decides: true, stopBlocks: true, verdict: endLoop,
}, nil, pipeline.Spec[Batch, Plain]{
	Name: "PostToolBatch",
	Doc:  "when all parallel calls are done, before the model is asked again",
	Can:  pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
})

// Elicitation fires when an MCP server asks the user (C73); a hook
// answers in the user's place.
var Elicitation *pipeline.Event[Question, Reply] = declare(traits{
	kinds: outside, noContinue: true, noMessage: true,
}, addReply, pipeline.Spec[Question, Reply]{
	Name:        "Elicitation",
	Doc:         "when an MCP server asks the user",
	Can:         pipeline.CanBlock,
	Subject:     func(q *Question) *string { return &q.Server },
	SubjectName: "mcp_server_name",
	Refine:      refineReply[Question],
	Blocks:      replyBlocks,
})

// ElicitationResult fires when the user has answered, before the server is told
// (C73).
var ElicitationResult *pipeline.Event[Answered, Reply] = declare(traits{
	kinds: outside, noContinue: true, noMessage: true,
}, addReply, pipeline.Spec[Answered, Reply]{
	Name:        "ElicitationResult",
	Doc:         "when the user has answered an MCP server, before the answer is sent",
	Can:         pipeline.CanBlock,
	Subject:     func(a *Answered) *string { return &a.Server },
	SubjectName: "mcp_server_name",
	Refine:      refineReply[Answered],
	Blocks:      replyBlocks,
})

// PreModelSwitch fires before another model is used (release 2.1.251).
var PreModelSwitch *pipeline.Event[Switch, SwitchGate] = declare(traits{
	kinds: all, reason: user, decides: true, permission: true, verdict: block,
}, addSwitch, pipeline.Spec[Switch, SwitchGate]{
	Name:        "PreModelSwitch",
	Doc:         "before another model is used",
	Can:         pipeline.CanBlock | pipeline.CanStop,
	Rules:       pipeline.Rules{Timeout: 30 * time.Second, LateBlocks: true, Asks: true},
	Subject:     func(s *Switch) *string { return &s.To },
	SubjectName: "to_model",
	Refine:      refineSwitch,
})

// PostModelSwitch fires when another model is used (release 2.1.251).
var PostModelSwitch *pipeline.Event[Switch, Plain] = declare(traits{
	kinds: all, reason: user,
}, nil, pipeline.Spec[Switch, Plain]{
	Name:        "PostModelSwitch",
	Doc:         "when another model is used",
	Can:         pipeline.CanStop | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Timeout: 30 * time.Second, Text: hook.TextContext},
	Subject:     func(s *Switch) *string { return &s.To },
	SubjectName: "to_model",
})

func (c *Call) detail() hook.Detail { return hook.Detail{Tool: c.Name, Input: c.Input} }
