package fleet

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/pipeline"
)

// BenchmarkRoundTrip compares a fire that asks a worker with a plain request of the same size.
func BenchmarkRoundTrip(b *testing.B) {
	nc := connect(b, startServer(b))
	serve(b, nc, sessionsOf(b, system(b, pipeline.Config{})), ServeOptions{})
	s := session(b, system(b, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{})}}))
	e := preToolUse(b)
	other := connect(b, nc.ConnectedUrl())
	payload := make([]byte, 400)
	if _, err := other.Subscribe("plain", func(m *nats.Msg) { _ = m.Respond(payload) }); err != nil {
		b.Fatal(err)
	}
	_ = other.Flush()
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if _, err := nc.Request("plain", payload, time.Second); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hook", func(b *testing.B) {
		for b.Loop() {
			fire(b, e, s, bash)
		}
	})
}

// BenchmarkRecord compares a fire that is recorded with one that is not.
func BenchmarkRecord(b *testing.B) {
	nc := connect(b, startServer(b))
	load := []pipeline.Load{hooked("claude", "PreToolUse", says(""))}
	r, err := Records(nc, b.TempDir(), RecordOptions{Log: quiet, MaxSpool: 1 << 32})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.Close)
	for name, cfg := range map[string]pipeline.Config{
		"without": {Load: load}, "with": {Load: load, Observe: []pipeline.Observer{r.Shared()}},
	} {
		s, e := session(b, system(b, cfg)), preToolUse(b)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fire(b, e, s, bash)
			}
		})
	}
}
