package unread

import "unicode"

// deciding lists the names of members that decide, in any system, in lower case and letters only.
var deciding = []string{
	"decision", "permissiondecision", "permission", "continue", "behavior", "hookspecificoutput", "hookeventname",
}

// Resembles reports whether the name of a member that nothing reads is almost the name of a deciding member: it differs
// in case, has one to three wrong letters, or has characters that no such name has.
func Resembles(name []byte) bool {
	const most = 60
	if len(name) > most {
		return false // longer than three bytes for each letter of the longest name
	}
	var letters []byte
	odd := false
	for _, r := range string(name) {
		switch {
		case r >= 'A' && r <= 'Z':
			letters = append(letters, byte(r)+'a'-'A')
		case r >= 'a' && r <= 'z':
			letters = append(letters, byte(r))
		case r > unicode.MaxASCII || r < ' ':
			odd = true
		}
	}
	for _, word := range deciding {
		wrong := 1 + len(word)/8
		if odd {
			wrong = len(word) / 2
		}
		if distance(letters, word, wrong) <= wrong {
			return true
		}
	}
	return odd && len(letters) == 0
}

// distance returns the number of letters to add, remove or replace to turn a into word, or a number above
// most.
func distance(a []byte, word string, most int) int {
	if d := len(a) - len(word); d > most || -d > most {
		return most + 1
	}
	const longest = 64
	var rows [2][longest]int
	before, row := rows[0][:len(word)+1], rows[1][:len(word)+1]
	for j := range before {
		before[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range len(word) {
			changed := before[j]
			if a[i] != word[j] {
				changed++
			}
			row[j+1] = min(changed, before[j+1]+1, row[j]+1)
		}
		before, row = row, before
	}
	return before[len(word)]
}
