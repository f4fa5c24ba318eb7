//go:build unix

package run_test

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// Commands that share a Room keep no more output than the Room allows, apart from the first 64 KiB of each stream.
// Bytes that they return are available to other commands.
func TestCommandsThatShareARoomKeepNoMoreThanItHas(t *testing.T) {
	const room, first = 4 << 20, 64 << 10
	shared := run.NewRoom(room)
	for round := range 2 {
		part := shared.Part()
		writes := &run.Command{Argv: []string{"sh", "-c", "yes | head -c 3000000; yes | head -c 500000 >&2"}, Room: part}
		var all sync.WaitGroup
		replies := make([]hook.Reply, 6)
		for i := range replies {
			all.Go(func() {
				reply, err := writes.Run(context.Background(), hook.Call{})
				if replies[i] = reply; err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		kept, whole := 0, 0
		for _, r := range replies {
			if kept += len(r.Stdout) + len(r.Stderr); r.Truncated == 0 {
				whole++
			}
			if !bytes.HasPrefix(r.Stdout, []byte("y\ny\n")) || len(r.Stdout) < first {
				t.Errorf("a command kept %d bytes", len(r.Stdout))
			}
		}
		if kept > room+12*first || whole == len(replies) {
			t.Errorf("round %d: %d bytes were kept, and %d outputs are whole", round, kept, whole)
		}
		part.Close()
	}
	writes := &run.Command{Argv: []string{"sh", "-c", "yes | head -c 1500000"}, Room: shared.Part()}
	if r, err := writes.Run(t.Context(), hook.Call{}); err != nil || len(r.Stdout) != 1500000 || r.Truncated != 0 {
		t.Errorf("with the room empty again: %d bytes, %v, %v", len(r.Stdout), r.Truncated, err)
	}
	alone := &run.Command{Argv: []string{"sh", "-c", "yes | head -c 5000000"}}
	if r, err := alone.Run(t.Context(), hook.Call{}); err != nil || len(r.Stdout) != 5000000 {
		t.Errorf("without a room: %d bytes, %v", len(r.Stdout), err)
	}
}
