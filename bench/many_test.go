//go:build !race

package bench

import (
	"fmt"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// mostForEightInGo limits the allocations of a fire of eight Go hooks. It was 61 when they ran on a
// pool.
const mostForEightInGo = 27

// mostForEightToOne limits the time of a fire of eight Go hooks, as a multiple of a fire of one
// hook. It was 36 when they ran on a pool. The limit is wide: other programs disturb work on two
// processors more than work on one.
const mostForEightToOne = 18

func TestHooksInGoThatAreReadyAtOnceDoNotPayForAPool(t *testing.T) {
	testkit.Timed(t)
	ses := session(t, off)
	for range 8 {
		silent(ses)
	}
	allocations(place{what: "FireGo of 8 hooks"}, mostForEightInGo, func() { fireOnce(ses) }).test(t)
	one := session(t, off)
	silent(one)
	eight, alone := times(1000, func() { fireOnce(ses) }), times(1000, func() { fireOnce(one) })
	compared(place{what: "FireGo of 8 hooks, ratio to one hook"}, mostForEightToOne, 21, 1000, timed(eight), timed(alone)).test(t)
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
