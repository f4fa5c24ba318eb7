package fleet_test

import (
	"context"
	"fmt"
	"os"

	"aead.dev/minisign"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/pipeline"
)

// agent opens hooks that ask the workers of a fleet.
func agent(ctx context.Context, url string, key minisign.PublicKey, dir string) error {
	nc, err := fleet.Connect(url, fleet.ConnectOptions{Creds: "agent.creds"})
	if err != nil {
		return err
	}
	defer nc.Close()
	policy, err := fleet.Watch(ctx, nc, fleet.PolicyOptions{Key: key, Cache: dir})
	if err != nil {
		return err
	}
	defer policy.Close()
	hooks, err := snaphook.Open(snaphook.Config{
		Load: []pipeline.Load{fleet.Hooks(nc, fleet.HookOptions{Policy: policy})},
	})
	if err != nil {
		return err
	}
	defer hooks.Close()
	defer policy.Reloads(hooks.System())()
	return nil
}

// Missing credentials are an error before anything runs.
func ExampleConnect() {
	err := agent(context.Background(), "nats://127.0.0.1:4222", minisign.PublicKey{}, os.TempDir())
	fmt.Println(err != nil)
	// Output: true
}
