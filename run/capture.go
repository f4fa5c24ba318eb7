package run

import (
	"bytes"

	"github.com/snaphook-go/snaphook/hook"
)

const (
	firstRoom = 4 << 10  // of a new buffer
	mostRoom  = 64 << 10 // of a buffer worth keeping for the next process
)

// capture keeps the first limit bytes of a stream and forgets the rest.
type capture struct {
	limit int
	kept  []byte
	waste []byte // where the rest goes
	over  bool   // there was a rest
}

// room gives space for the next read, never none. Tell took how much was used.
func (c *capture) room() []byte {
	if len(c.kept) >= c.limit {
		if c.waste == nil {
			c.waste = make([]byte, mostRoom)
		}
		return c.waste
	}
	if len(c.kept) == cap(c.kept) {
		bigger := make([]byte, len(c.kept), min(max(2*cap(c.kept), firstRoom), c.limit))
		copy(bigger, c.kept)
		c.kept = bigger
	}
	return c.kept[len(c.kept):min(cap(c.kept), c.limit)]
}

func (c *capture) took(n int) {
	if len(c.kept) >= c.limit {
		c.over = c.over || n > 0
		return
	}
	c.kept = c.kept[:len(c.kept)+n]
}

// bytes gives what was kept, nil if nothing was, and empties c.
func (c *capture) bytes() []byte {
	kept := c.kept
	if cap(kept) > mostRoom {
		c.kept = nil // too big to be reused, so it need not be copied
		return kept
	}
	c.kept = kept[:0]
	if len(kept) == 0 {
		return nil
	}
	return bytes.Clone(kept)
}

// output moves what was captured into a Reply, and makes both captures new.
func output(stdout, stderr *capture) (r hook.Reply) {
	if stdout.over {
		r.Truncated |= hook.Stdout
	}
	if stderr.over {
		r.Truncated |= hook.Stderr
	}
	stdout.over, stderr.over = false, false
	r.Stdout, r.Stderr = stdout.bytes(), stderr.bytes()
	return r
}
