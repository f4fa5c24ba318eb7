package run

import (
	"bytes"
	"testing"
)

// capturing returns the bytes that a capture keeps of a text.
func capturing(limit int, text []byte) []byte {
	c := capture{limit: limit}
	for len(text) > 0 {
		n := copy(c.room(), text)
		c.took(n)
		text = text[n:]
	}
	return c.bytes()
}

func TestCapturedBytesStayWhenLaterCapturesUseOutgrownBuffers(t *testing.T) {
	const limit = 8 << 20
	var all [][]byte
	sizes := []int{3, 5 << 10, 300 << 10, 2 << 20, 4 << 20, 300 << 10, 2 << 20, limit}
	for i, size := range sizes {
		all = append(all, capturing(limit, bytes.Repeat([]byte{byte('a' + i)}, size)))
	}
	for i, got := range all {
		if want := bytes.Repeat([]byte{byte('a' + i)}, sizes[i]); !bytes.Equal(got, want) {
			t.Errorf("capture %d of %d bytes has changed, or has %d bytes", i, sizes[i], len(got))
		}
	}
}
