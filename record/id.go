package record

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/pipeline"
)

const base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// appendID appends an id of 26 characters, a ULID: 48 bits of milliseconds and 80 random bits. Ids
// sort by time.
func appendID(dst []byte, now time.Time) []byte {
	ms, high, low := uint64(now.UnixMilli()), rand.Uint64()>>24, rand.Uint64()>>24
	dst = appendBase32(dst, ms, 10)
	return appendBase32(appendBase32(dst, high, 8), low, 8)
}

func appendBase32(dst []byte, v uint64, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, base32[v>>(5*i)&31])
	}
	return dst
}

// appendHex appends the given number of random hexadecimal digits, at most 16, which are not all 0.
func appendHex(dst []byte, digits int) []byte {
	v := rand.Uint64() | 1
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, "0123456789abcdef"[v>>(4*i)&15])
	}
	return dst
}

func sortByPlace(ends []*pipeline.Evaluation, place func(*pipeline.Evaluation) int) {
	slices.SortStableFunc(ends, func(a, b *pipeline.Evaluation) int { return cmp.Compare(place(a), place(b)) })
}
