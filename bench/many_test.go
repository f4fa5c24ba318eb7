//go:build !race

package bench

import (
	"fmt"
	"testing"
)

// mostForEightInGo is what a fire of eight hooks in Go may allocate: it was 61
// when they ran on a pool.
const mostForEightInGo = 40

func TestHooksInGoThatAreReadyAtOnceDoNotPayForAPool(t *testing.T) {
	ses := session(t, off)
	for range 8 {
		silent(ses)
	}
	allocations(place{what: "FireGo of 8 hooks"}, mostForEightInGo, func() { fireOnce(ses) }).test(t)
}

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
