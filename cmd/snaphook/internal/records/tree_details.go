package records

import (
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	rec "github.com/snaphook-go/snaphook/record"
)

// pairs returns the pairs whose value is not empty.
func pairs(all ...string) (some [][2]string) {
	for i := 0; i < len(all); i += 2 {
		if all[i+1] != "" {
			some = append(some, [2]string{all[i], all[i+1]})
		}
	}
	return some
}

// hookDetails returns the facts about one hook of a fire, for traces of other programs.
func hookDetails(h *rec.Hook, l *rec.Line) [][2]string {
	queued, ms := "", ""
	if h.QueuedMS != nil {
		queued = cli.Milliseconds(*h.QueuedMS)
	}
	if h.MS != nil {
		ms = cli.Milliseconds(*h.MS)
	}
	exit := optional(h.Exit)
	all := pairs(
		"event",
		l.Event,
		"hook",
		h.ID,
		"command",
		h.Command,
		"from",
		h.File,
		"matcher",
		h.Matcher,
		"why it did not run",
		strings.TrimSpace(h.Why+" "+h.Detail),
		"exit status",
		exit,
		"took",
		ms,
		"waited for a permit",
		queued,
		"decision",
		h.Decision,
		"reason",
		h.Reason,
		"mode",
		h.Mode,
		"failure",
		h.Class,
		"error",
		h.Error,
		"answer",
		h.Answer,
		"standard error",
		h.Stderr,
	)
	return append(all, endingDetails(h.Background)...)
}

// endingDetails returns the facts about the end of a hook in the background; none for nil.
func endingDetails(e *rec.Ending) [][2]string {
	if e == nil {
		return nil
	}
	exit := optional(e.Exit)
	return pairs(
		"in the background",
		e.Outcome,
		"exit status there",
		exit,
		"took there",
		cli.Milliseconds(e.MS),
		"failure there",
		e.Class,
		"error there",
		e.Error,
		"answer there",
		e.Answer,
		"standard error there",
		e.Stderr,
	)
}
