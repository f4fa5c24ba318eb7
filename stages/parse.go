package stages

import (
	"errors"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Decode reads what a hook printed: its answer, which has [hook.SetAnswer] unless
// it was silent, and notes on what had to be ignored. The error [wire.ErrText]
// means that the text is not an answer but plain text; any other, that it is
// an answer that cannot be used.
type Decode[Out any] func(stdout []byte) (out hook.Output[Out], notes []string, err error)

// ReplyRules is how the Replies of an event are read.
type ReplyRules[Out any] struct {
	Exits  hook.Exits
	Text   hook.Text
	Decode Decode[Out]
}

// The reason of a denial that has none.
const noReason = "blocked by a hook that gave no reason"

// Parse reads the Reply of a report into its Output, as the hook's end says
// (rules L27, L31, L33; rule L28; rule C35):
//
//   - ParseAnswer: standard output is the answer. Plain text is what Text says. Standard
//     error has no effect.
//   - ParseAndDeny: as ParseAnswer, but the answer is a denial whatever it says. Its reason
//     is the answer's, else standard error, else plain text on standard
//     output; the other fields keep their effect.
//   - DenyWithReason: as ParseAndDeny, but a reason that the answer has for anything else
//     than a denial does not count, and neither does plain text.
//   - ParseOrFail: an answer is read, whatever the status; without one the hook failed.
//   - ReadAny, WarnAny, DenyAny: standard output, or standard error if that is
//     blank, is the answer, which is read. Plain text is what Text says, a
//     warning of a hook that failed, or the reason of a denial.
//   - FailWithWarning: the hook failed. Standard error, else plain text on standard
//     output, becomes a warning; a JSON answer does not count.
//
// An answer that cannot be used is as good as none, and what was wrong with it
// is noted; where ParseAnswer expects one, its hook has failed. One that was longer than
// the engine keeps is not read: its hook has failed, unless its status refuses.
// But for those with Any, standard error is never decoded.
func Parse[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	switch how.Exits.Of(r.Reply) {
	case hook.ParseAnswer:
		read(r, how)
	case hook.ParseAndDeny:
		refuse(r, how)
	case hook.DenyWithReason:
		denyForOneReason(r, how)
	case hook.ParseOrFail:
		parseOrFail(r, how)
	case hook.ReadAny, hook.WarnAny, hook.DenyAny:
		readAny(r, how)
	default:
		warn(r, how)
	}
	r.Answered = r.Output.Set.Has(hook.SetAnswer)
}

func read[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	if r.Reply.Truncated&hook.Stdout != 0 { // it is not whole
		r.Err = &hook.TooLargeError{Kept: len(r.Reply.Stdout)}
		return
	}
	text, err := answer(r, how)
	if r.Err = err; err != nil || text == "" {
		return
	}
	readText(r, how.Text, text)
}

// readText reads plain text of a hook that worked.
func readText[Out any](r *hook.Report[Out], how hook.Text, text string) {
	switch how {
	case hook.TextContext:
		r.Output = hook.Output[Out]{Context: text, Set: hook.SetAnswer | hook.SetContext}
	case hook.TextIgnored:
		r.Notes = append(r.Notes, NoteText)
	default:
		r.Output = hook.Output[Out]{Decision: hook.Allow, Message: text, Set: hook.SetAnswer, Synthetic: true}
	}
}

// NoteText is noted where plain text means nothing.
const NoteText = "standard output is plain text, which has no effect here"

// noteBroken is noted where a hook meant to answer, and its answer cannot be read.
const noteBroken = "standard output begins like JSON and is none: it counts as plain text"

// answer decodes standard output into the report, or returns it as plain text.
func answer[Out any](r *hook.Report[Out], how ReplyRules[Out]) (text string, err error) {
	out, notes, err := how.Decode(r.Reply.Stdout)
	if errors.Is(err, wire.ErrText) {
		if text = plain(r.Reply.Stdout); strings.HasPrefix(text, "{") {
			r.Notes = append(r.Notes, noteBroken)
		}
		return text, nil
	}
	if err != nil {
		return "", &hook.ClassError{Class: hook.ClassOutput, Err: err}
	}
	r.Output, r.Notes = out, notes
	return "", nil
}

// anyAnswer is answer for hooks that count without one: what cannot be used is
// noted, and what was cut is left.
func anyAnswer[Out any](r *hook.Report[Out], how ReplyRules[Out]) (text string) {
	if r.Reply.Truncated&hook.Stdout != 0 {
		return ""
	}
	text, err := answer(r, how)
	if err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	return text
}

func refuse[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	deny(r, plain(r.Reply.Stderr), anyAnswer(r, how), noReason)
}

func denyForOneReason[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	anyAnswer(r, how)
	if !r.Output.Decision.Blocks() {
		r.Output.Reason = ""
	}
	deny(r, plain(r.Reply.Stderr), noReason)
}

// deny makes the answer a denial, for its own reason or the first of others.
func deny[Out any](r *hook.Report[Out], reasons ...string) {
	o := &r.Output
	o.Set |= hook.SetAnswer
	o.Synthetic = false
	if !o.Decision.Blocks() {
		o.Decision = hook.Deny
	}
	for _, reason := range reasons {
		if plain([]byte(o.Reason)) != "" {
			return
		}
		o.Reason = reason
	}
}

func parseOrFail[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	r.Err = &hook.ExitError{Reply: r.Reply}
	if anyAnswer(r, how); r.Output.Set.Has(hook.SetAnswer) {
		r.Err = nil
	}
}

func warn[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	r.Err = &hook.ExitError{Reply: r.Reply}
	text := plain(r.Reply.Stderr)
	if text == "" && r.Reply.Truncated&hook.Stdout == 0 {
		if _, _, err := how.Decode(r.Reply.Stdout); errors.Is(err, wire.ErrText) {
			text = plain(r.Reply.Stdout)
		}
	}
	if text != "" {
		r.Output = hook.Output[Out]{
			Decision:  hook.Allow,
			Message:   "Warning: " + text,
			Set:       hook.SetAnswer,
			Synthetic: true,
		}
	}
}

func plain(b []byte) string { return wire.Valid(wire.Trim(b)) }
