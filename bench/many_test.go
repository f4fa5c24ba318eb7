package bench

import (
	"fmt"
	"testing"
)

func BenchmarkFireManyGo(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ses := session(b, off)
			for range n {
				silent(ses)
			}
			b.ReportAllocs()
			for b.Loop() {
				fireOnce(ses)
			}
		})
	}
}
