package settings

import (
	"slices"
	"strings"
)

// maxNear limits the number of names that a "did you mean" offers.
const maxNear = 3

// Near returns at most three candidates that a misspelt name may mean, the nearest first. It ignores case, counts two
// swapped neighbouring letters as one mistake, and allows one mistake for every three letters of a candidate, at
// least one.
func Near(name string, candidates []string) []string {
	wrote := []rune(strings.ToLower(name))
	var byMistakes [][]string
	for _, candidate := range candidates {
		meant := []rune(strings.ToLower(candidate))
		allowed := max(1, len(meant)/3)
		if max(len(wrote)-len(meant), len(meant)-len(wrote)) > allowed {
			continue // this also limits the time for very long names
		}
		if mistakes := distance(wrote, meant, allowed); mistakes <= allowed {
			byMistakes = append(byMistakes, make([][]string, max(0, mistakes+1-len(byMistakes)))...)
			byMistakes[mistakes] = append(byMistakes[mistakes], candidate)
		}
	}
	near := slices.Concat(byMistakes...)
	return near[:min(len(near), maxNear)]
}

// distance returns the number of edits that turn a into b: a letter inserted, deleted, replaced or swapped with its
// neighbour. If the number is greater than most, it returns most+1.
func distance(a, b []rune, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	var room [3 * 32]int // enough for most names
	rows := room[:]
	if 3*(len(b)+1) > len(rows) {
		rows = make([]int, 3*(len(b)+1))
	}
	before, above, row := rows[:len(b)+1], rows[len(b)+1:2*(len(b)+1)], rows[2*(len(b)+1):3*(len(b)+1)]
	for j := range above {
		above[j] = j
	}
	for i := range a {
		row[0] = i + 1
		least := row[0]
		for j := range b {
			d := min(above[j+1]+1, row[j]+1)
			if a[i] == b[j] {
				d = min(d, above[j])
			} else {
				d = min(d, above[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
			least = min(least, d)
		}
		if i > 0 && least > most && slices.Min(above) > most {
			return most + 1 // a swap looks back two rows at most
		}
		before, above, row = above, row, before
	}
	return min(above[len(b)], most+1)
}
