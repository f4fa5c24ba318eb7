package claude

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// GateTool fires PreToolUse and applies its result. It is the first half of [RunTool], for frameworks with callbacks
// before and after a tool. It returns the error of the fire; Run is then false.
func GateTool(ctx context.Context, s *pipeline.Session, call *PreToolUseInput) (ToolVerdict, error) {
	res, err := PreToolUse.Fire(ctx, s, call)
	v := ApplyPreToolUse(call, res)
	if err != nil {
		v.Run, v.Decision, v.Reason = false, hook.Deny, err.Error()
	}
	return v, err
}

// ReviewTool fires PostToolUse, or PostToolUseFailure if the tool has failed, and applies its result. It is the second
// half of [RunTool]. The arguments in call are the ones with which the tool ran.
func ReviewTool(
	ctx context.Context,
	s *pipeline.Session,
	call *PreToolUseInput,
	response jsontext.Value,
	failed error,
) (ResultVerdict, error) {
	if failed != nil {
		res, err := PostToolUseFailure.Fire(
			ctx,
			s,
			&PostToolUseFailureInput{PreToolUseInput: *call, Error: failed.Error()},
		)
		return ApplyPostToolUseFailure(res), err
	}
	done := &PostToolUseInput{PreToolUseInput: *call, Response: response}
	res, err := PostToolUse.Fire(ctx, s, done)
	return ApplyPostToolUse(done, res), err
}

// RunTool runs a tool with its hooks. tool gets the arguments after the hooks' rewrites, and returns any JSON; its
// error is a failure of the tool, and RunTool returns it. ask puts a question to the user if hooks demand it; a nil ask
// refuses. A refused call is not an error: the tool does not run, and ran is nil.
//
//	gate, after, err := claude.RunTool(ctx, session, &call, tool, ask)
//	if after == nil {
//		// the model sees gate.Reason in place of a result
//	}
func RunTool(
	ctx context.Context,
	s *pipeline.Session,
	call *PreToolUseInput,
	tool func(context.Context, wire.Object) (jsontext.Value, error),
	ask func(ctx context.Context, reason string) bool,
) (gate ToolVerdict, ran *ResultVerdict, err error) {
	gate, err = GateTool(ctx, s, call)
	if err == nil && gate.Decision == hook.Ask && !gate.Stop && ask != nil {
		gate.Run = ask(ctx, gate.Reason)
	}
	if err != nil || !gate.Run {
		return gate, nil, err
	}
	final := *call
	final.rewrite(gate.Input)
	response, failed := tool(ctx, gate.Input)
	after, err := ReviewTool(ctx, s, &final, response, failed)
	if failed != nil {
		err = failed
	}
	return gate, &after, err
}
