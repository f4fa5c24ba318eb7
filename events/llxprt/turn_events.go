package llxprt

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// BeforeTool fires before a tool runs (L48). A block keeps the tool
// from running, and the model sees the reason. [ApplyBeforeTool] applies the
// result.
var BeforeTool *pipeline.Event[BeforeToolInput, BeforeToolOutput] = declare(
	lostAnswer{asks: true},
	pipeline.Spec[BeforeToolInput, BeforeToolOutput]{
		Name:        "BeforeTool",
		Doc:         "before a tool runs",
		Can:         pipeline.CanBlock | pipeline.CanRewriteInput | pipeline.CanStop,
		Subject:     func(c *BeforeToolInput) *string { return &c.Name },
		SubjectName: "tool_name",
		Check:       BeforeToolInput.check,
		Chain: func(c BeforeToolInput, o hook.Output[BeforeToolOutput]) BeforeToolInput {
			c.Input = c.Input.Merge(o.Specific.ToolInput) // OriginalInput is not set: the payload has only LLxprt's members
			return c
		},
		Rewrites: func(o *hook.Output[BeforeToolOutput]) wire.Object { return o.Specific.ToolInput },
		Rewritten: func(c BeforeToolInput, o *hook.Output[BeforeToolOutput]) (BeforeToolInput, bool) {
			ok := c.rewrite(c.Input.Merge(o.Specific.ModifiedToolInput()))
			return c, ok
		},
		Unrewritten: keepsCall,
		CheckOutput: checkGate,
		Blocks:      gateBlocks,
		Reduce:      mergeGates,
		Conclude:    concludeCall,
		Effects:     gateEffects,
	},
)

// AfterTool fires when a tool has finished, before the model sees its result (L49). A denial, by decision or by exit
// status 2, undoes nothing: the model sees its reason besides the result, or in the profile Gemini in place of it.
// [ApplyAfterTool] applies the result.
var AfterTool *pipeline.Event[AfterToolInput, AfterToolOutput] = declare(
	lostAnswer{},
	pipeline.Spec[AfterToolInput, BasicOutput]{
		Name:        "AfterTool",
		Doc:         "when a tool has finished, before the model sees its result",
		Can:         pipeline.CanStop | pipeline.CanAddContext,
		Subject:     func(d *AfterToolInput) *string { return &d.Name },
		SubjectName: "tool_name",
		Check:       AfterToolInput.check,
		Reduce:      reducers.BlockWins(addPlain),
		Conclude:    concludeDone,
		Effects:     toolDoneEffects,
	},
)

// BeforeModel fires before a request goes to the model (L50). After a block, or if a hook gives a response, the model
// is not called, and the hook's response replaces the model's. [ApplyBeforeModel] applies the result.
var BeforeModel *pipeline.Event[BeforeModelInput, BeforeModelOutput] = declare(
	lostAnswer{},
	pipeline.Spec[BeforeModelInput, BeforeModelOutput]{
		Name:      "BeforeModel",
		Doc:       "before a request goes to the model",
		Can:       pipeline.CanBlock | pipeline.CanRewriteInput | pipeline.CanStop | pipeline.CanAddContext,
		Rules:     everything,
		Check:     BeforeModelInput.check,
		Chain:     chainModel,
		Rewrites:  func(o *hook.Output[BeforeModelOutput]) wire.Object { return o.Specific.Request },
		Rewritten: rewrittenRequest, Unrewritten: keepsRequest,
		Reduce:  reducers.Replace(addModelGate),
		Effects: modelGateEffects,
	},
)

// AfterModel fires once the model has responded in full (L51), and in the profile Gemini for each
// chunk of the response, see [Profile.PerChunk]. [ApplyAfterModel] applies the result.
var AfterModel *pipeline.Event[AfterModelInput, AfterModelOutput] = declare(
	lostAnswer{denied: "the response goes on; \"continue\": false stops the agent", gemini: true},
	pipeline.Spec[AfterModelInput, AfterModelOutput]{
		Name:     "AfterModel",
		Doc:      "when the model has responded, before the agent reads the response",
		Can:      pipeline.CanRewriteOutput | pipeline.CanStop,
		Rules:    everything,
		Check:    AfterModelInput.check,
		Rewrites: func(o *hook.Output[AfterModelOutput]) wire.Object { return o.Specific.Response },
		Reduce:   reducers.Replace(addModelEdit),
		Conclude: concludeEdit,
		Effects:  modelEditEffects,
	},
)

// BeforeToolSelection fires before the request that lists the tools for the model (L52). Hooks
// restrict the tools; they cannot block. [ApplyBeforeToolSelection] applies the result.
var BeforeToolSelection *pipeline.Event[BeforeToolSelectionInput, BeforeToolSelectionOutput] = declare(
	lostAnswer{denied: "the model gets its tools; the mode NONE takes them away"},
	pipeline.Spec[BeforeModelInput, BeforeToolSelectionOutput]{
		Name:    "BeforeToolSelection",
		Doc:     "before the model gets its tools",
		Can:     pipeline.CanSelectTools | pipeline.CanStop,
		Rules:   everything,
		Check:   BeforeModelInput.check,
		Blocks:  func(*hook.Output[BeforeToolSelectionOutput]) bool { return false },
		Reduce:  uniteTools,
		Effects: toolChoiceEffects,
	},
)

// BeforeAgent fires when the user has sent a prompt, before the agent works on
// it. [ApplyBeforeAgent] applies the result.
var BeforeAgent *pipeline.Event[BeforeAgentInput, BeforeAgentOutput] = declare(
	lostAnswer{},
	pipeline.Spec[BeforeAgentInput, BasicOutput]{
		Name:    "BeforeAgent",
		Doc:     "when the user has sent a prompt, before the agent works on it",
		Can:     pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
		Rules:   everything,
		Chain:   chainPrompt,
		Reduce:  reducers.BlockWins(addPlain),
		Effects: plainEffects[BeforeAgentInput],
	},
)

// AfterAgent fires when the agent has answered. A block sends its reason to the agent as a new
// prompt. [ApplyAfterAgent] applies the result.
var AfterAgent *pipeline.Event[AfterAgentInput, AfterAgentOutput] = declare(
	lostAnswer{},
	pipeline.Spec[AfterAgentInput, AfterAgentOutput]{
		Name:    "AfterAgent",
		Doc:     "when the agent has answered",
		Can:     pipeline.CanBlock | pipeline.CanStop | pipeline.CanAddContext,
		Rules:   everything,
		Reduce:  reducers.BlockWins(addAgentEnd),
		Effects: agentEndEffects,
	},
)
