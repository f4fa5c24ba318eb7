package stages

import (
	"errors"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Decode decodes the standard output of a hook. The answer has [hook.SetAnswer] unless the hook printed nothing, or
// null; notes describe ignored parts. Decode returns [wire.ErrText] for plain text. Any other error means that the
// answer is invalid, and has the class [hook.ClassOutput] unless it is a [hook.ClassError].
type Decode[Out any] func(stdout []byte) (out hook.Output[Out], notes []string, err error)

// ReplyRules controls how Parse reads the Replies of an event.
type ReplyRules[Out any] struct {
	Exits  hook.Exits
	Text   hook.Text
	Decode Decode[Out]
}

// noReason is the reason of a denial without a reason of the hook's own.
const noReason = "blocked by a hook that gave no reason"

// Parse reads the Reply of a report into its Output, by the effect of the exit status (rules L27, L28, L31, L33, C35):
//
//   - ParseAnswer: standard output is the answer; Text determines the meaning of plain
//     text. Standard error has no effect.
//   - ParseAndDeny: as ParseAnswer, but the answer always denies. The reason is
//     the answer's, else standard error, else plain text on standard output; the
//     other fields keep their effect.
//   - DenyWithReason: as ParseAndDeny, but two texts are not used as the reason: plain
//     text on standard output, and the reason of an answer that does not deny.
//   - ParseOrFail: the answer counts whatever the status; without an answer the hook failed.
//   - ReadAny, WarnAny, DenyAny: the answer is standard output, or standard error if
//     standard output is blank. Plain text has the meaning that Text gives it (ReadAny), is the
//     warning of a failed hook (WarnAny), or is the reason of a denial (DenyAny).
//   - DenyForStderr: a denial, if standard error has a reason; else the hook failed.
//     Standard output is not read.
//   - DenyUnread: a denial, with the reason on standard error, if any. Standard
//     output is not read.
//   - Fail: the hook failed, and its output is ignored.
//   - FailWithWarning: the hook failed. Standard error, else plain text on standard
//     output, becomes a warning; a JSON answer does not count.
//
// An invalid answer counts as no answer, with a note that gives the reason; under ParseAnswer and ReadAny the hook
// failed. An answer longer than the engine's limit was cut and is not read: the hook failed, unless its status
// denies. Standard error is decoded only by ReadAny, WarnAny and DenyAny.
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
	case hook.DenyForStderr:
		denyForStderr(r)
	case hook.DenyUnread:
		deny(r, plain(r.Reply.Stderr), noReason)
	case hook.Fail:
		r.Err = &hook.ExitError{Reply: r.Reply}
	case hook.ReadAny, hook.WarnAny, hook.DenyAny:
		readAny(r, how)
	default:
		warn(r, how)
	}
	r.Answered = r.Output.Set.Has(hook.SetAnswer)
}

// read takes the answer from standard output, for ParseAnswer.
func read[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	if r.Reply.Truncated&hook.Stdout != 0 { // standard output was cut
		r.Err = &hook.TooLargeError{Kept: len(r.Reply.Stdout)}
		return
	}
	text, err := answer(r, how)
	if r.Err = err; err != nil || text == "" {
		return
	}
	readText(r, how.Text, text)
}

// readText turns the plain text of a successful hook into its answer.
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

// NoteText is the note on plain text that has no effect.
const NoteText = "standard output is plain text, which has no effect here"

// noteBroken is the note on plain text that begins like a JSON object.
const noteBroken = "standard output begins like JSON and is not JSON: it counts as plain text"

// answer decodes standard output into the report, or returns it as plain text.
func answer[Out any](r *hook.Report[Out], how ReplyRules[Out]) (text string, err error) {
	out, notes, err := how.Decode(r.Reply.Stdout)
	if errors.Is(err, wire.ErrText) {
		if text = plain(r.Reply.Stdout); strings.HasPrefix(text, "{") {
			r.Notes = append(r.Notes, noteBroken)
		}
		return text, nil
	}
	if _, classed := errors.AsType[*hook.ClassError](err); classed {
		return "", err
	}
	if err != nil {
		return "", &hook.ClassError{Class: hook.ClassOutput, Err: err}
	}
	r.Output, r.Notes = out, LimitNotes(notes)
	return "", nil
}

// mostNotes limits the notes on one answer.
const mostNotes = 32

// LimitNotes returns the first 32 of the notes on an answer, and the number of the others as one more note. If there
// are more than 32, notes on a denial come first.
func LimitNotes(notes []string) []string {
	if len(notes) <= mostNotes {
		return notes
	}
	isDenial := func(note string, _ int) bool { return strings.Contains(note, "denial") }
	notes = append(lo.Filter(notes, isDenial), lo.Reject(notes, isDenial)...)
	return append(notes[:mostNotes:mostNotes], fmt.Sprintf("%d more notes on the answer are left out", len(notes)-mostNotes))
}

// anyAnswer does the same as answer, for effects that do not need an answer: an invalid answer gets a note, and an
// answer that was cut is not read.
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

// refuse takes the answer from standard output and makes it a denial, for ParseAndDeny.
func refuse[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	deny(r, plain(r.Reply.Stderr), anyAnswer(r, how), noReason)
}

// denyForOneReason makes the answer a denial, for DenyWithReason. The reason of an answer that does not deny is
// dropped.
func denyForOneReason[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	anyAnswer(r, how)
	if !r.Output.Decision.Blocks() {
		r.Output.Reason = ""
	}
	deny(r, plain(r.Reply.Stderr), noReason)
}

// denyForStderr makes standard error the reason of a denial, for DenyForStderr. If it is blank, the hook has failed.
func denyForStderr[Out any](r *hook.Report[Out]) {
	reason := plain(r.Reply.Stderr)
	if reason == "" {
		r.Err = &hook.ExitError{Reply: r.Reply}
		return
	}
	deny(r, reason)
}

// deny makes the answer a denial, with its own reason or the first of reasons that is
// not blank.
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

// parseOrFail takes the answer from standard output, for ParseOrFail. Without an answer the hook has failed.
func parseOrFail[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	r.Err = &hook.ExitError{Reply: r.Reply}
	if anyAnswer(r, how); r.Output.Set.Has(hook.SetAnswer) {
		r.Err = nil
	}
}

// warn reports a failed hook whose output becomes a warning, for FailWithWarning.
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

// readAny takes the answer from standard output, or from standard error if standard output is blank, for ReadAny,
// WarnAny and DenyAny. With WarnAny and DenyAny a hook that prints nothing has failed; with ReadAny it has no answer.
func readAny[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	effect := how.Exits.Of(r.Reply)
	if effect != hook.ReadAny {
		r.Err = &hook.ExitError{Reply: r.Reply}
	}
	if r.Reply.Truncated&hook.Stdout != 0 { // standard output was cut
		readCut(r, effect)
		return
	}
	said := r.Reply.Stdout
	if len(wire.Trim(said)) == 0 {
		said = r.Reply.Stderr
	}
	out, notes, err := how.Decode(said)
	switch {
	case errors.Is(err, wire.ErrText):
		readWords(r, how, effect, plain(said))
	case err != nil && effect == hook.ReadAny:
		r.Err = err
	case err != nil:
		r.Notes = append(r.Notes, err.Error())
	case out.Set.Has(hook.SetAnswer):
		r.Output, r.Notes, r.Err = out, LimitNotes(notes), nil
	}
}

// readWords interprets plain text for readAny.
func readWords[Out any](r *hook.Report[Out], how ReplyRules[Out], effect hook.ExitEffect, text string) {
	switch effect {
	case hook.DenyAny:
		r.Err = nil
		deny(r, text)
	case hook.WarnAny:
		r.Output = hook.Output[Out]{
			Decision:  hook.Allow,
			Message:   "Warning: " + text,
			Set:       hook.SetAnswer,
			Synthetic: true,
		}
	default:
		readText(r, how.Text, text)
	}
}

// readCut reads a reply whose standard output was cut: the hook has failed, unless its status
// denies.
func readCut[Out any](r *hook.Report[Out], effect hook.ExitEffect) {
	if effect != hook.DenyAny {
		r.Err = &hook.TooLargeError{Kept: len(r.Reply.Stdout)}
		return
	}
	r.Err = nil
	deny(r, plain(r.Reply.Stderr), noReason)
}

// plain returns trimmed, valid text.
func plain(b []byte) string { return wire.Valid(wire.Trim(b)) }
