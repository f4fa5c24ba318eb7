package wire

import (
	"bytes"
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

// A string ends at its first quote that has no backslash before it, wherever the bytes that are not plain stand.
func TestAStringEndsAtItsQuote(t *testing.T) {
	const most = shortText + 2*block + 20
	for n := range most {
		text := append(bytes.Repeat([]byte("x"), n), '"')
		if got := textAfter(text); got != n+1 {
			t.Fatalf("%d bytes and a quote: the end is %d, want %d", n, got, n+1)
		}
		if got := textAfter(append(bytes.Repeat([]byte("x"), n), `\"`...)); got != bad {
			t.Fatalf("%d bytes and an escaped quote: the end is %d, want none", n, got)
		}
		for part, want := range map[string]int{"\n": bad, "\x1f": bad, `\q`: bad, `\n`: most + 3, `\"`: most + 3} {
			text := append(bytes.Repeat([]byte("x"), n), part...)
			text = append(append(text, bytes.Repeat([]byte("x"), most-n)...), '"')
			if got := textAfter(text); got != want {
				t.Fatalf("%q after %d bytes: the end is %d, want %d", part, n, got, want)
			}
		}
	}
}

// textAfter calls text with bytes behind the string, which must not matter, and without.
func textAfter(b []byte) int {
	end := text(b, 0)
	if more := text(append(bytes.Clone(b), bytes.Repeat([]byte(`y"`), block)...), 0); end != bad && more != end {
		return more
	}
	return end
}
