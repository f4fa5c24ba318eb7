package records

import (
	"math"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/samber/lo"
)

// times holds durations in milliseconds: single values while there are few, later a histogram with an error below 1 %.
type times struct {
	few  []float64
	many *hdrhistogram.Histogram // microseconds
	max  float64
	n    int
}

const (
	fewTimes    = 1024
	longestTime = 7 * 24 * 3600 * 1e6 // microseconds; longer times are recorded as this value
)

func (t *times) add(ms float64) {
	t.n++
	t.max = max(t.max, ms)
	if t.many == nil && len(t.few) < fewTimes {
		t.few = append(t.few, ms)
		return
	}
	if t.many == nil {
		t.many = hdrhistogram.New(1, longestTime, 2)
		for _, one := range t.few {
			t.record(one)
		}
		t.few = nil
	}
	t.record(ms)
}

func (t *times) record(ms float64) {
	_ = t.many.RecordValue(int64(min(longestTime, max(0, math.Round(ms*1000))))) // the value is in range
}

func (t *times) ranks() ranks {
	if t.n == 0 {
		return ranks{}
	}
	slices.Sort(t.few)
	return ranks{P50: lo.ToPtr(t.at(0.50)), P95: lo.ToPtr(t.at(0.95)), P99: lo.ToPtr(t.at(0.99)), Max: &t.max}
}

// at returns the percentile by nearest rank: the smallest value v for which at least the given part of all values is at
// most v.
func (t *times) at(part float64) float64 {
	rank := max(1, int64(math.Ceil(part*float64(t.n)-1e-9)))
	if t.many == nil {
		return t.few[rank-1]
	}
	for _, bar := range t.many.Distribution() {
		if rank -= bar.Count; rank <= 0 {
			return min(t.max, float64(bar.From+bar.To)/2000)
		}
	}
	return t.max
}

// curve holds the mean of durations over time, in a limited number of parts: when all parts are used, neighbouring ones
// are merged.
type curve struct {
	sums   []float64
	counts []int
	width  int // number of values in each part
}

const maxParts = 24

func (c *curve) add(v float64) {
	c.width = max(1, c.width)
	if last := len(c.sums) - 1; last >= 0 && c.counts[last] < c.width {
		c.sums[last] += v
		c.counts[last]++
		return
	}
	if len(c.sums) == maxParts {
		for i := range maxParts / 2 {
			c.sums[i], c.counts[i] = c.sums[2*i]+c.sums[2*i+1], c.counts[2*i]+c.counts[2*i+1]
		}
		c.sums, c.counts = c.sums[:maxParts/2], c.counts[:maxParts/2]
		c.width *= 2
	}
	c.sums, c.counts = append(c.sums, v), append(c.counts, 1)
}

// String draws a block for each part. The height of the block is the part's mean in proportion to the highest mean.
func (c *curve) String() string {
	const blocks = "▁▂▃▄▅▆▇█"
	highest := 0.0
	for i := range c.sums {
		highest = max(highest, c.sums[i]/float64(c.counts[i]))
	}
	var b strings.Builder
	for i := range c.sums {
		level := 0
		if highest > 0 {
			level = int(math.Round(7 * c.sums[i] / float64(c.counts[i]) / highest))
		}
		b.WriteRune([]rune(blocks)[level])
	}
	return b.String()
}

// nearest finds the subject that is nearest to a matcher.
type nearest struct {
	matcher string
	subject string
	away    int
	found   bool
	seen    map[string]bool
}

// Limits of the number of subjects that are compared for one hook, and of the lengths of subjects and matchers.
const (
	maxSubjects = 1000
	maxSubject  = 256 // bytes
	maxMatcher  = 4 << 10
)

func (n *nearest) see(matcher, subject string) {
	if matcher == "" || subject == "" || n.seen[subject] || len(n.seen) >= maxSubjects ||
		len(subject) > maxSubject || len(matcher) > maxMatcher {
		return
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[subject], n.matcher = true, matcher
	for _, meant := range strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune("|,()^$ ", r) }) {
		if away := distance([]rune(meant), []rune(subject)); !n.found || away < n.away {
			n.subject, n.away, n.found = subject, away, true
		}
	}
}

func (n *nearest) best() *string {
	if !n.found {
		return nil
	}
	return &n.subject
}

// distance returns the edit distance of two texts: 2 for each letter that is inserted, deleted or
// replaced, and 1 for a letter that differs only in case.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = 2 * j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = 2 * (i + 1)
		for j := range b {
			cost := 2
			switch {
			case a[i] == b[j]:
				cost = 0
			case strings.EqualFold(string(a[i]), string(b[j])):
				cost = 1
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+2, row[j+1]+2)
		}
	}
	return row[len(b)]
}
