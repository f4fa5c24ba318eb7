package jsrun

import "testing"

func TestAnOutboxIsBounded(t *testing.T) {
	o := outbox{more: make(chan struct{}, 1)}
	line := make([]byte, 1<<20)
	lines := 0
	for ; o.add(line); lines++ {
		if lines > mostWaiting>>20 {
			t.Fatalf("%d MiB wait", lines)
		}
	}
	if lines != mostWaiting>>20 {
		t.Errorf("%d lines wait, want %d", lines, mostWaiting>>20)
	}
	o.take()
	if o.add(line) {
		t.Error("lines that are taken, and not written, have their room")
	}
	o.written(line)
	if !o.add(line) {
		t.Error("a line that is written has no room")
	}
}
