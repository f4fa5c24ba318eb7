package claude

import (
	"fmt"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/pipeline"
)

// harmless matches the sequences that a hook may send to the user's terminal: the bell, and titles
// and notifications (OSC 0, 1, 2, 9, 99 and 777).
var harmless = lazyregexp.New("^(\x07|\x1b\\](0|1|2|9|99|777)(;[^\x00-\x1f\x7f]*)?(\x07|\x1b\\\\))+$")

// maxSequence limits the length of a terminal sequence, in bytes.
const maxSequence = 16 << 10

// shown returns a terminal sequence if it may be sent: the session has a terminal, and every part of the sequence is
// harmless (release 2.1.141), and it is not too long. Otherwise it returns "".
func shown(s *pipeline.Session, sequence string, notes *[]string) string {
	switch {
	case sequence == "":
	case !s.Interactive():
		*notes = append(*notes, "terminalSequence has no effect without a user at a terminal")
	case len(sequence) > maxSequence:
		*notes = append(*notes, fmt.Sprintf("terminalSequence has %d bytes, more than %d, and is not sent", len(sequence), maxSequence))
	case !harmless.MatchString(sequence):
		*notes = append(*notes, "terminalSequence contains more than bells, titles and notifications, and is not sent")
	default:
		return sequence
	}
	return ""
}
