// Package fleet holds the hooks of many machines to one policy, over NATS.
//
// Agents fire events on their own machines; workers anywhere answer for the hooks of the policy. NATS carries
// all of it: requests by micro services and queue groups, policies in an object store, records in JetStream,
// the state of hooks in a KV bucket.
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
// A hook that asks workers fails closed: where no worker answers in time, or none that runs the policy of the
// agent, or where the agent has no policy yet, an event that can block blocks, with a failure of
// [hook.ClassRemote]. The overlay of the policy, or of the machine, can say otherwise.
//
// # A worker
//
// [Serve] answers requests by fires in sessions of the program; [Work] does with the hooks of the policy, which
// is the command snaphook serve.
package fleet
