package pipeline

import (
	"bytes"
	"regexp"

	"github.com/snaphook-go/snaphook/hook"
)

// unread is the note of a hook whose output has a denial that its answer has not.
const unread = "its output has the words of a denial, and its answer is none: they stand among other text, on standard error, " +
	"twice, in other case or in another place than hooks of this event answer in, or another word overrules them"

// noteUnread says so where a hook that could deny has printed a denial, and nothing else is said
// of what it printed. Its answer is what its system reads; who wrote it may have meant another.
func (f *fireRun[Out]) noteUnread(r *hook.Report[Out]) {
	if f.event.guards && r.Err == nil && r.Reply != nil && len(r.Notes) == 0 && !r.Output.Stop &&
		printsDenial(r.Reply) && !f.blocks(r) {
		r.Notes = append(r.Notes, unread)
	}
}

var denial = regexp.MustCompile(
	`(?i)"(?:decision|permission_?decision)"\s*:\s*"\s*(?:deny|denied|block|blocked)\s*"|"continue"\s*:\s*false`)

// printsDenial looks at the beginning and the end of what a hook has printed, also in UTF-16.
func printsDenial(reply *hook.Reply) bool {
	const most = 16 << 10
	for _, text := range [...][]byte{reply.Stdout, reply.Stderr} {
		if len(text) > 2*most {
			text = append(text[:most:most], text[len(text)-most:]...)
		}
		if bytes.IndexByte(text, 0) >= 0 {
			text = bytes.ReplaceAll(text, []byte{0}, nil)
		}
		if bytes.IndexByte(text, '"') >= 0 && denial.Match(text) {
			return true
		}
	}
	return false
}
