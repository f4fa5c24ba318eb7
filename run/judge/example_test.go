package judge_test

import (
	"context"
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/wire"
)

// careful is a language model.
type careful struct{}

func (careful) Generate(_ context.Context, r judge.ModelRequest) (string, error) {
	fmt.Println("asked:", r.Prompt)
	return `{"ok": false, "reason": "the tests have not run"}`, nil
}

// RunAgent implements [judge.AgentRunner] with one question to the model.
func (c careful) RunAgent(ctx context.Context, r judge.AgentRequest) (string, error) {
	fmt.Println("in", r.Dir, "for at most", r.MaxTurns, "turns")
	return c.Generate(ctx, judge.ModelRequest{Prompt: r.Prompt})
}

func block(v judge.Verdict) hook.Reply {
	if v.OK {
		return hook.Reply{}
	}
	return hook.Reply{Stdout: []byte(`{"decision":"block","reason":` + string(wire.Quote(v.Reason)) + `}`)}
}

func ExampleJudge() {
	j := &judge.Judge{Model: careful{}, Prompt: "May the agent stop now? $ARGUMENTS", Answer: block}
	reply, err := j.Run(context.Background(), hook.Call{Payload: []byte(`{"hook_event_name":"Stop"}`)})
	fmt.Println(string(reply.Stdout), err)
	// Output:
	// asked: May the agent stop now? {"hook_event_name":"Stop"}
	// {"decision":"block","reason":"the tests have not run"} <nil>
}

func ExampleJudge_agent() {
	j := &judge.Judge{Agent: careful{}, Prompt: "Look whether $ARGUMENTS is fine.", Answer: block}
	reply, err := j.Run(context.Background(), hook.Call{Dir: "/project", Payload: []byte(`{}`)})
	fmt.Println(string(reply.Stdout), err)
	// Output:
	// in /project for at most 50 turns
	// asked: Look whether {} is fine.
	// {"decision":"block","reason":"the tests have not run"} <nil>
}
