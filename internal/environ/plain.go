package environ

import "strings"

// beginnings lists, in lower case, the texts with which secrets begin; a password in a URL follows "://".
var beginnings = [...]string{
	"-----begin ",
	"gho_",
	"ghp_",
	"ghr_",
	"ghs_",
	"ghu_",
	"github_pat_",
	"aizasy",
	"akia",
	"eyj",
	"sk_",
	"rk_",
	"xox",
	"://",
}

// isPlain reports whether text contains no beginning of a secret, which is the usual case. It does not
// allocate.
func isPlain(text string) bool {
	for i := range len(text) {
		switch text[i] | 0x20 { // maps a letter to lower case, and keeps '-' and ':'
		case '-', 'g', 'a', 'e', 's', 'r', 'x', ':':
			for _, b := range beginnings {
				if len(text)-i >= len(b) && text[i]|0x20 == b[0] && strings.EqualFold(text[i:i+len(b)], b) {
					return false
				}
			}
		}
	}
	return true
}
