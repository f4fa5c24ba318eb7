package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// bins counts values in intervals of equal width between the least and the 98th percentile of all
// lists; the last interval includes all greater values.
func bins(parts int, lists ...[]float64) (from, width float64, counts [][]int) {
	all := slices.Concat(lists...)
	if len(all) == 0 {
		return 0, 0, make([][]int, len(lists))
	}
	from = slices.Min(all)
	width = max(rank(all, 0.98)-from, from/100, 0.001) / float64(parts)
	for _, values := range lists {
		n := make([]int, parts)
		for _, v := range values {
			n[min(parts-1, int((v-from)/width))]++
		}
		counts = append(counts, n)
	}
	return from, width, counts
}

const blocks = " ▁▂▃▄▅▆▇█"

// Histogram draws values in one line, with their range.
func Histogram(values []float64) string {
	from, width, counts := bins(32, values)
	if len(values) == 0 {
		return ""
	}
	most := slices.Max(counts[0])
	var b strings.Builder
	for _, n := range counts[0] {
		level := int(math.Ceil(8 * float64(n) / float64(most)))
		b.WriteRune([]rune(blocks)[level])
	}
	return fmt.Sprintf("%s ▕%s▏ %s", inMS(from), b.String(), inMS(from+32*width))
}
