package run

import (
	"errors"
	"testing"
)

// If a worker is ended before its first line, and prints the line while it is drained, no call can begin.
func TestAWorkerBecomesReadyWhileItIsDrained(t *testing.T) {
	for range 200 {
		p := &workerProcess{ready: make(chan struct{}), gone: make(chan struct{}), replaced: make(chan struct{}), ended: errors.New("it is not needed")}
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			p.drain()
		}()
		if err := p.read([]byte(`{"ready":{"concurrency":3}}`)); err != nil {
			t.Fatal(err)
		}
		if <-drained; len(p.tokens) != 3 {
			t.Fatalf("%d calls could still begin", 3-len(p.tokens))
		}
	}
}
