package wire

import (
	"encoding/binary"
	"testing"
)

// A block of bytes is plain if, and only if, each of its bytes is plain.
func TestBytesArePlainIfEachIs(t *testing.T) {
	for at := range block {
		for c := range 256 {
			bytes := [block]byte{}
			for i := range block {
				bytes[i] = [8]byte{'a', 0x80, ' ', 0xff, '!', '#', '[', ']'}[i%8]
			}
			bytes[at] = byte(c)
			if got := allPlain(&bytes); got != plain[c] {
				t.Fatalf("byte %#x at %d of a block: plain is %v, want %v", c, at, got, plain[c])
			}
			if got := oddBytes(binary.LittleEndian.Uint64(bytes[at&^7:])) == 0; got != plain[c] {
				t.Fatalf("byte %#x at %d of 8: plain is %v, want %v", c, at%8, got, plain[c])
			}
		}
	}
}
