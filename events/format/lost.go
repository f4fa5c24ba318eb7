package format

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/unread"
)

// lostDenial begins the note on a failed hook whose output or exit status means a denial.
const lostDenial = "a denial is lost, and the action goes ahead: "

// maybeLost begins the note on a failed hook whose output may have been a denial.
const maybeLost = "if the answer was a denial, the denial is lost, and the action goes ahead: "

// NoteLostDenial adds a note to the report of a hook that meant to deny but failed without blocking: its output
// contains a denial, or its exit status is 2. It adds another note if the output looks like an answer and may have been
// a denial. It is for the Refine of events whose hooks guard something.
func NoteLostDenial[Out any](r *hook.Report[Out]) {
	if r.Err == nil || r.Reply == nil || r.Backgrounded || r.Output.Decision.Blocks() || r.Output.Stop {
		return
	}
	if r.Reply.Signal == nil && r.Reply.Exit == 2 || unread.DeniesFormally(edges(r.Reply.Stdout)) ||
		unread.DeniesFormally(edges(r.Reply.Stderr)) {
		r.Notes = append(r.Notes, lostDenial+r.Err.Error())
	} else if hook.ClassOf(r.Err) == hook.ClassOutput && unread.Doubtful(edges(r.Reply.Stdout)) {
		r.Notes = append(r.Notes, maybeLost+r.Err.Error())
	}
}

// edges returns the beginning and the end of a long text.
func edges(text []byte) []byte {
	const most = 16 << 10
	if len(text) <= 2*most {
		return text
	}
	return append(text[:most:most], text[len(text)-most:]...)
}

// NoteFailed adds a note to the report of a hook that failed without blocking: the error for which the original system
// calls the run Failed. It adds no note after NoteLostDenial, whose note has the same error.
func NoteFailed[Out any](r *hook.Report[Out]) {
	said := func(note string) bool {
		return strings.HasPrefix(note, lostDenial) || strings.HasPrefix(note, maybeLost)
	}
	if r.Err == nil || r.Output.Decision.Blocks() || slices.ContainsFunc(r.Notes, said) {
		return
	}
	r.Notes = append(r.Notes, "the run is Failed, and its output is ignored: "+r.Err.Error())
}
