package codex

import (
	"fmt"
	"unicode/utf8"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

const (
	maxTokens     = 2500 // default limit, in tokens, of a text for the model
	bytesPerToken = 4
)

// limitsKey is the key of the setting that holds the limits of hooks, a map[string]int by their
// ids.
type limitsKey struct{}

// limitOf returns the limit of a hook's texts in tokens; 0 means no limit.
func limitOf(s *pipeline.Session, h *hook.Hook) int {
	limits, _ := s.Setting(limitsKey{}).(map[string]int)
	if n, own := limits[h.ID]; own {
		return n
	}
	return maxTokens
}

// spill writes a text that is too long for the model to a file of the session. In the text it keeps the beginning and
// the end, with the path of the file between them (CX38).
func spill(s *pipeline.Session, tokens int, text *string, notes *[]string) {
	most := tokens * bytesPerToken
	if most == 0 || len(*text) <= most {
		return
	}
	whole := *text
	first, last := whole[:boundary(whole, most/2)], whole[boundary(whole, len(whole)-most/2):]
	path, err := s.Keep("hook_outputs.txt", whole)
	if err != nil {
		*notes = append(*notes, fmt.Sprintf("a text of %d bytes was cut, and could not be saved to a file: %v", len(whole), err))
		path = "no file: " + err.Error()
	}
	*text = fmt.Sprintf("%s\n… %d bytes are left out here. The whole text is in %s …\n%s",
		first, len(whole)-len(first)-len(last), path, last)
}

// boundary returns the offset of the character that contains offset at.
func boundary(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
