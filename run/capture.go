package run

import (
	"bytes"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
)

// bufferSizes lists the sizes of a growing buffer. Large sizes are far apart because each step copies the contents.
var bufferSizes = [...]int{4 << 10, 16 << 10, 64 << 10, middleSize, 1<<20 + 64<<10, 3 << 20, 8 << 20}

const mostRoom = 64 << 10 // size of a buffer that is kept for the next process

// middleSize is the size of the buffers that are used again. Larger ones would hold too much memory.
const middleSize = 256 << 10

// outgrown holds buffers of middleSize that captures have outgrown, as *[]byte.
var outgrown sync.Pool

// newBuffer returns an empty buffer of a capacity; it reuses an outgrown one of middleSize.
func newBuffer(size int) []byte {
	if size == middleSize {
		if b, ok := outgrown.Get().(*[]byte); ok {
			return (*b)[:0]
		}
	}
	return make([]byte, 0, size)
}

// recycle keeps a buffer of middleSize for later captures. The caller no longer uses it.
func recycle(b []byte) {
	if cap(b) == middleSize {
		outgrown.Put(&b)
	}
}

// capture keeps the first limit bytes of a stream and discards the rest.
type capture struct {
	limit  int
	kept   []byte
	waste  []byte // buffer for the discarded bytes
	over   bool   // bytes were dropped
	shared *Room  // limit shared with other captures; nil: none
}

// room returns space for the next read, at least one byte. The caller passes the number of bytes read to took.
func (c *capture) room() []byte {
	if len(c.kept) < c.limit && len(c.kept) == cap(c.kept) { // take the next buffer, if there is room for it
		size := c.limit
		for _, room := range bufferSizes {
			if room > cap(c.kept) {
				size = min(room, c.limit)
				break
			}
		}
		if c.shared != nil && !c.shared.take(int64(max(0, size-mostRoom))-taken(c.kept)) {
			c.limit = len(c.kept)
		} else {
			full := c.kept
			c.kept = append(newBuffer(size), full...)
			recycle(full)
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

// bytes returns the captured bytes and empties c. It returns nil if c was empty.
func (c *capture) bytes() []byte {
	kept := c.kept
	if cap(kept) > mostRoom {
		c.kept = nil // too big for reuse: returned without a copy
		return kept
	}
	c.kept = kept[:0]
	if len(kept) == 0 {
		return nil
	}
	return bytes.Clone(kept)
}

// output moves the captured bytes into a Reply, and resets both captures.
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
