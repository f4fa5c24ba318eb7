package run

import (
	"bytes"

	"github.com/snaphook-go/snaphook/hook"
)

// rooms are the sizes a buffer grows through. Big ones are far apart: what is
// written to them is copied at each step.
var rooms = [...]int{4 << 10, 16 << 10, 64 << 10, 2 << 20, 8 << 20}

const mostRoom = 64 << 10 // of a buffer worth keeping for the next process

// capture keeps the first limit bytes of a stream and forgets the rest.
type capture struct {
	limit  int
	kept   []byte
	waste  []byte // where the rest goes
	over   bool   // there was a rest
	shared *Room  // with others; nil is not bounded
}

// room returns space for the next read, never none, and makes it. What is read into it is told to took.
func (c *capture) room() []byte {
	if len(c.kept) < c.limit && len(c.kept) == cap(c.kept) { // take the next buffer, if there is room for it
		size := c.limit
		for _, room := range rooms {
			if room > cap(c.kept) {
				size = min(room, c.limit)
				break
			}
		}
		if c.shared != nil && !c.shared.take(int64(max(0, size-mostRoom))-taken(c.kept)) {
			c.limit = len(c.kept)
		} else {
			c.kept = append(make([]byte, 0, size), c.kept...)
		}
	}
	if len(c.kept) >= c.limit {
		if c.waste == nil {
			c.waste = make([]byte, mostRoom)
		}
		return c.waste
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

// bytes returns what was kept, nil if nothing was, and empties c.
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
