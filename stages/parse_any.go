package stages

import (
	"errors"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// readAny reads the answer from the stream that has one. A hook that fails
// without a word has failed, whatever its status.
func readAny[Out any](r *hook.Report[Out], how ReplyRules[Out]) {
	effect := how.Exits.Of(r.Reply)
	if effect != hook.ReadAny {
		r.Err = &hook.ExitError{Reply: r.Reply}
	}
	if r.Reply.Truncated&hook.Stdout != 0 { // standard output is not whole
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
		r.Output, r.Notes, r.Err = out, notes, nil
	}
}

// readWords reads plain text.
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

// readCut reads a hook whose answer is not whole: it has failed, unless its
// status and what is there of its words refuse.
func readCut[Out any](r *hook.Report[Out], effect hook.ExitEffect) {
	if effect != hook.DenyAny {
		r.Err = &hook.TooLargeError{Kept: len(r.Reply.Stdout)}
		return
	}
	r.Err = nil
	deny(r, plain(r.Reply.Stderr), noReason)
}
