package wire

import (
	"encoding/binary"
	"testing"
)

// Eight bytes are plain if each of them is.
func TestEightBytesArePlainIfEachIs(t *testing.T) {
	for at := range 8 {
		for c := range 256 {
			eight := [8]byte{'a', 0x80, ' ', 0xff, '!', '#', '[', ']'}
			eight[at] = byte(c)
			if got := allPlain(binary.LittleEndian.Uint64(eight[:])); got != plain[c] {
				t.Fatalf("byte %#x at %d: plain is %v, want %v", c, at, got, plain[c])
			}
		}
	}
}
