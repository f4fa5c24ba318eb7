package run

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// captured lets c read a text in parts of any size, and returns the bytes that it keeps.
func captured(c *capture, text []byte) []byte {
	random := rand.New(rand.NewPCG(1, uint64(len(text))))
	for len(text) > 0 {
		n := copy(c.room(), text[:min(len(text), 1+random.IntN(200<<10))])
		c.took(n)
		text = text[n:]
	}
	return c.bytes()
}

// Whatever the length of an output, its first bytes are kept, and stay while later outputs are captured.
func TestTheFirstBytesOfAnOutputAreKept(t *testing.T) {
	const limit = 8 << 20
	sizes := []int{
		0, 3, leastRoom, 5 << 10, mostRoom, mostRoom + 1, 300 << 10, pieceSize, mostInOne, mostInOne + 1, mostInOne + pieceSize,
		2 << 20, 4 << 20, 70 << 10, 300 << 10, 2 << 20, limit - 1, limit, limit + 1, limit + 100<<10, 3,
	}
	for name, c := range map[string]*capture{
		"in pieces": {limit: limit}, "in one": {limit: limit, inOne: true}, "with an odd limit": {limit: 3<<20 + 12345},
	} {
		var all [][]byte
		for i, size := range sizes {
			all = append(all, captured(c, bytes.Repeat([]byte{byte('a' + i)}, size)))
			if over := size > c.limit; c.over != over {
				t.Errorf("%s: %d bytes are too many is %v, want %v", name, size, c.over, over)
			}
			c.over = false
		}
		for i, got := range all {
			if want := bytes.Repeat([]byte{byte('a' + i)}, min(sizes[i], c.limit)); !bytes.Equal(got, want) {
				t.Errorf("%s: capture %d of %d bytes has changed, or has %d bytes", name, i, sizes[i], len(got))
			}
		}
	}
}

// The bytes that captures count against a Room are the bytes of their buffers; after the end those of the output.
func TestCapturesCountTheirBuffersAgainstARoom(t *testing.T) {
	for _, inOne := range []bool{false, true} {
		for _, size := range []int{0, 100, mostRoom, mostRoom + 1, 1 << 20, mostInOne + 1, 5 << 20, 20 << 20} {
			whole := NewRoom(1 << 40)
			room := whole.Part()
			c := &capture{limit: 8 << 20, inOne: inOne, shared: room}
			out := captured(c, make([]byte, size))
			if got, want := whole.used.Load(), Held(out, nil); got != want {
				t.Errorf("%d bytes, in one %v: %d bytes are counted, want %d", size, inOne, got, want)
			}
			room.Close()
			if got := whole.used.Load(); got != 0 {
				t.Errorf("%d bytes, in one %v: %d bytes are counted after the end", size, inOne, got)
			}
		}
	}
}

func TestAnOutputIsCutWhereTheRoomEnds(t *testing.T) {
	for _, most := range []int{0, 100 << 10, mostInOne, 3 << 20} {
		c := &capture{limit: 8 << 20, shared: NewRoom(int64(most))}
		text := bytes.Repeat([]byte("0123456789abcde\n"), 8<<20/16)
		out := captured(c, text)
		if !c.over || !bytes.HasPrefix(text, out) || len(out) > most+mostRoom || len(out) < min(most, mostRoom) {
			t.Errorf("a room of %d bytes: %d bytes are kept, and bytes were dropped is %v", most, len(out), c.over)
		}
	}
}
