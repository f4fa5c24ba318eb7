package genai

import "slices"

// match is a pair of corresponding messages: was is the index of the shown message, now the index of the hook's
// message.
type match struct{ was, now int }

// align returns, for each message that a hook wrote, the index of the shown message that it corresponds to, or -1 for a
// new message.
func align(was, now []hookMessage) []int {
	pairs := slices.Repeat([]int{-1}, len(now))
	w, n := 0, 0
	for _, m := range append(matches(was, now), match{len(was), len(now)}) {
		pairInOrder(was[w:m.was], now[n:m.now], pairs[n:m.now], w)
		if m.now < len(now) {
			pairs[m.now] = m.was
		}
		w, n = m.was+1, m.now+1
	}
	return pairs
}

// pairInOrder pairs each message with the next one of the same role.
func pairInOrder(was, now []hookMessage, pairs []int, offset int) {
	w := 0
	for n, m := range now {
		for next := w; next < len(was); next++ {
			if m.mayStandFor(was[next]) {
				pairs[n], w = offset+next, next+1
				break
			}
		}
	}
}

func (m hookMessage) mayStandFor(was hookMessage) bool {
	return m.garbled || hookRole(m.role) == was.role
}

func (m hookMessage) equals(was hookMessage) bool {
	return !m.garbled && m.text == was.text && hookRole(m.role) == was.role
}

// matches returns pairs of messages that are certain to correspond: all messages if number and roles agree; otherwise
// the unchanged messages at both ends, and the longest common subsequence of the messages between those ends.
func matches(was, now []hookMessage) []match {
	var found []match
	if slices.EqualFunc(now, was, hookMessage.mayStandFor) {
		for i := range now {
			found = append(found, match{i, i})
		}
		return found
	}
	start, end := 0, 0
	for start < min(len(was), len(now)) && now[start].equals(was[start]) {
		found = append(found, match{start, start})
		start++
	}
	for end < min(len(was), len(now))-start && now[len(now)-1-end].equals(was[len(was)-1-end]) {
		end++
	}
	for _, m := range commonSeries(was[start:len(was)-end], now[start:len(now)-end]) {
		found = append(found, match{start + m.was, start + m.now})
	}
	for ; end > 0; end-- {
		found = append(found, match{len(was) - end, len(now) - end})
	}
	return found
}

// maxCells limits the cost of commonSeries: 16 MB and some 50 ms.
const maxCells = 4 << 20

// commonSeries returns the longest common subsequence, or nothing if finding it costs too much.
func commonSeries(was, now []hookMessage) (found []match) {
	width := len(now) + 1
	if (len(was)+1)*width > maxCells {
		return nil
	}
	lengths := make([]int32, (len(was)+1)*width) // length of the longest common subsequence of was[w:] and now[n:]
	for w := len(was) - 1; w >= 0; w-- {
		for n := len(now) - 1; n >= 0; n-- {
			best := max(lengths[(w+1)*width+n], lengths[w*width+n+1])
			if now[n].equals(was[w]) {
				best = 1 + lengths[(w+1)*width+n+1]
			}
			lengths[w*width+n] = best
		}
	}
	for w, n := 0, 0; w < len(was) && n < len(now); {
		switch {
		case now[n].equals(was[w]):
			found = append(found, match{w, n})
			w, n = w+1, n+1
		case lengths[(w+1)*width+n] >= lengths[w*width+n+1]:
			w++
		default:
			n++
		}
	}
	return found
}
