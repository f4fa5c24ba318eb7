// Package judge runs hooks that put a question to a model. A [Judge] is a [hook.Runner] that asks a [Model] or an
// [AgentRunner] about each call, and reads a [Verdict]:
//
//	r := &judge.Judge{Model: model, Prompt: "Is this safe? $ARGUMENTS", Answer: block}
//	reply, err := r.Run(ctx, hook.Call{Payload: payload, Timeout: time.Minute})
//
// The host implements the interfaces; package llm has clients for [Model].
//
// # Security
//
// The model is told to treat the payload as evidence and to ignore instructions in it. A reply that is not a verdict is
// an error, and decides nothing.
//
// # Concurrency and cost
//
// A Judge may be used from many goroutines. A call costs as much as the model's.
package judge
