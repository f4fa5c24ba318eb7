package run

import (
	"math"
	"sync/atomic"
)

// Room limits the total captured output of several commands: the sum of the bytes beyond the first 64 KiB of each
// stream. Output beyond the limit is read and discarded, and flagged in [hook.Reply.Truncated]. A Room may be used from
// many goroutines at once.
type Room struct {
	limit int64
	used  atomic.Int64
	whole *Room // the Room whose limit also applies, or nil
}

// NewRoom returns a Room with a limit in bytes.
func NewRoom(bytes int64) *Room { return &Room{limit: bytes} }

// Part returns a Room for one user of r; its bytes also count against r. Close it when the output is no longer used.
func (r *Room) Part() *Room { return &Room{limit: math.MaxInt64, whole: r} }

// Close returns the bytes of a part to its Room.
func (r *Room) Close() {
	if r.whole != nil {
		r.whole.Add(-r.used.Swap(0))
	}
}

// Add counts bytes as used, even beyond the limit; a negative number returns them.
func (r *Room) Add(bytes int64) {
	r.used.Add(bytes)
	if r.whole != nil {
		r.whole.Add(bytes)
	}
}

// take counts bytes as used if the limit allows it, and reports whether it does.
func (r *Room) take(bytes int64) bool {
	if r.used.Add(bytes) <= r.limit && (r.whole == nil || r.whole.take(bytes)) {
		return true
	}
	r.used.Add(-bytes)
	return false
}

// taken returns the part of a buffer's size that counts against a Room.
func taken(kept []byte) int64 { return int64(max(0, cap(kept)-mostRoom)) }

// Held returns the number of bytes that the output of a call counts against a Room.
func Held(stdout, stderr []byte) int64 { return taken(stdout) + taken(stderr) }
