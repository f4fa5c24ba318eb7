package run

import (
	"bytes"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
)

// A capture copies its bytes into a larger buffer until the buffer has mostInOne bytes, and adds pieces after that.
const (
	leastRoom = 4 << 10  // size of the first buffer
	mostRoom  = 64 << 10 // size of the largest buffer that is kept for the next process
	pieceSize = 256 << 10
	mostInOne = 1<<20 + 64<<10 // an answer with a text of 1 MiB needs no pieces
)

// piece is a part of a long output.
type piece = *[pieceSize]byte

// unused holds pieces for later captures.
var unused = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// capture keeps the first limit bytes of a stream and discards the rest.
type capture struct {
	limit  int
	kept   []byte  // the captured bytes before the pieces
	small  []byte  // an unused buffer of mostRoom, or nil
	inOne  bool    // there are no pieces, because the captured bytes are changed while the stream is read
	pieces []piece // the bytes after kept
	last   int     // the number of bytes in the last piece
	waste  []byte  // buffer for the discarded bytes
	over   bool    // bytes were dropped
	shared *Room   // limit shared with other captures; nil: none
}

// size returns the number of captured bytes.
func (c *capture) size() int { return len(c.kept) + max(0, len(c.pieces)-1)*pieceSize + c.last }

// room returns space for the next read, at least one byte. The caller passes the number of bytes read to took.
func (c *capture) room() []byte {
	size := c.size()
	if size < c.limit && len(c.space()) == 0 && !c.grow() {
		c.limit = size
	}
	if size >= c.limit {
		if c.waste == nil {
			c.waste = make([]byte, mostRoom)
		}
		return c.waste
	}
	space := c.space()
	return space[:min(len(space), c.limit-size)]
}

// space returns the unused part of the last buffer.
func (c *capture) space() []byte {
	if n := len(c.pieces); n > 0 {
		return c.pieces[n-1][c.last:]
	}
	return c.kept[len(c.kept):cap(c.kept)]
}

// grow adds space after the captured bytes. It returns false if the captures that share a limit have used it.
func (c *capture) grow() bool {
	full := c.kept
	if !c.inOne && cap(full) >= mostInOne {
		return c.addPiece()
	}
	size := max(leastRoom, 4*cap(full))
	if size == 4*pieceSize {
		size = mostInOne
	}
	size = min(size, c.limit)
	if c.shared != nil && !c.shared.take(int64(max(0, size-mostRoom))-taken(full)) {
		return false
	}
	var larger []byte
	if size == pieceSize {
		larger = unused.Get().(piece)[:0]
	} else {
		larger = make([]byte, 0, size)
	}
	c.kept = append(larger, full...)
	switch cap(full) {
	case mostRoom:
		c.small = full[:0]
	case pieceSize:
		unused.Put(piece(full[:pieceSize]))
	}
	return true
}

// addPiece adds an empty piece. It returns false in the same case as grow.
func (c *capture) addPiece() bool {
	if c.shared != nil && !c.shared.take(pieceSize) {
		return false
	}
	c.pieces, c.last = append(c.pieces, unused.Get().(piece)), 0
	return true
}

// took adds the next n bytes of the last room to the captured bytes.
func (c *capture) took(n int) {
	switch {
	case c.size() >= c.limit:
		c.over = c.over || n > 0
	case len(c.pieces) > 0:
		c.last += n
	default:
		c.kept = c.kept[:len(c.kept)+n]
	}
}

// bytes returns the captured bytes and empties c. It returns nil if c was empty.
func (c *capture) bytes() []byte {
	kept := c.kept
	if cap(kept) > mostRoom {
		c.kept = c.small
	} else {
		c.kept = kept[:0]
	}
	switch {
	case len(c.pieces) > 0:
		return c.join(kept)
	case cap(kept) > mostRoom:
		return kept // without a copy
	case len(kept) > 0:
		return bytes.Clone(kept)
	}
	return nil
}

// join returns the first bytes followed by the bytes of the pieces, and removes the pieces.
func (c *capture) join(first []byte) []byte {
	all := append(make([][]byte, 0, 1+len(c.pieces)), first)
	for _, p := range c.pieces {
		all = append(all, p[:])
	}
	all[len(c.pieces)] = c.pieces[len(c.pieces)-1][:c.last]
	whole := bytes.Join(all, nil)
	if c.shared != nil {
		c.shared.Add(taken(whole) - taken(first) - int64(len(c.pieces)*pieceSize))
	}
	for _, p := range c.pieces {
		unused.Put(p)
	}
	c.pieces, c.last = nil, 0
	return whole
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
