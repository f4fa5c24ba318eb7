// Package fleet runs the hooks of one policy for agents on many machines, over NATS.
//
// Agents fire events on their own machines; workers anywhere answer for the hooks of the policy. Everything uses NATS:
// requests by micro services and queue groups, policies in an object store, records in JetStream, the state of hooks in
// a KV bucket.
//
//	nc, err := fleet.Connect(url, fleet.ConnectOptions{Creds: "agent.creds"})
//	…
//	policy, err := fleet.Watch(ctx, nc, fleet.PolicyOptions{Key: key, Cache: dir})
//	sys := pipeline.NewSystem(pipeline.Config{
//		Load: append(pipeline.LinkedSettings(), fleet.Hooks(nc, fleet.HookOptions{Policy: policy})),
//	})
//	defer policy.Reloads(sys)()
//
// # No window without guards
//
// A hook that asks workers fails closed: if no worker with the agent's revision answers in time, or if the
// agent has no policy yet, an event that can block blocks, with a failure of [hook.ClassRemote]. The overlay
// of the policy or of the machine can change this.
//
// # A worker
//
// [Serve] answers requests with fires in sessions of the program. [Work] answers them with the hooks of the
// policy, like the command snaphook serve.
package fleet
