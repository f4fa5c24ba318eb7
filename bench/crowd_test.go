//go:build !race

package bench

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/snaphook-go/snaphook/pipeline"
)

// mostForOneSession limits the bytes of a session with one Go hook.
const mostForOneSession = 1536

func TestASessionWithAHookInGoIsSmall(t *testing.T) {
	const n = 20_000
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	dir := t.TempDir()
	sessions := make([]*pipeline.Session, n)
	before := heap()
	for i := range sessions {
		ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: fmt.Sprintf("session-%06d", i), Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		silent(ses)
		if err := fireOnce(ses); err != nil {
			t.Fatal(err)
		}
		sessions[i] = ses
	}
	each := int(heap()-before) / n
	t.Logf("a session with a hook in Go, after one fire: %d bytes", each)
	if each > mostForOneSession {
		t.Errorf("a session with a hook in Go keeps %d bytes; want at most %d", each, mostForOneSession)
	}
	runtime.KeepAlive(sessions)
}
