package stages

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// Decode reads what a hook printed: its answer, which has [hook.Spoke] unless
// it was silent, and notes on what had to be ignored. An error means that the
// text is not an answer but plain text.
type Decode[Out any] func(stdout []byte) (out hook.Output[Out], notes []string, err error)

// The reason of a refusal that gives none.
const noReason = "blocked by a hook that gave no reason"

// Parse reads the Reply of a report into its Output (seed 003 §4.2 to §4.4,
// §9; seed 000 "Plain Text Fallback"):
//
//   - Read: standard output is the answer; plain text is a message to the user
//     and an assumed permission. Standard error has no effect.
//   - Refuse: as Read, but the answer is a denial whatever it says. Its reason
//     is the answer's, else standard error, else plain text on standard
//     output; the other fields keep their effect.
//   - Warn, and any status exits does not name: the hook failed. Standard
//     error, else plain text on standard output, becomes a warning; a JSON
//     answer does not count.
//
// An answer that was longer than the engine keeps is not read: its hook has
// failed, unless its status refuses. Standard error is never decoded.
func Parse[Out any](r *hook.Report[Out], exits hook.Exits, decode Decode[Out]) {
	effect := hook.Warn
	if r.Reply.Signal == nil {
		effect = exits[r.Reply.Exit]
	}
	switch effect {
	case hook.Read:
		if r.Reply.Truncated&hook.Stdout != 0 {
			r.Err = &hook.TooLargeError{Kept: len(r.Reply.Stdout)}
			return
		}
		if text := answer(r, decode); text != "" {
			r.Output = hook.Output[Out]{Decision: hook.Allow, Message: text, Given: hook.Spoke, Assumed: true}
		}
	case hook.Refuse:
		refuse(r, decode)
	default:
		warn(r, decode)
	}
	r.Said = r.Output.Given.Has(hook.Spoke)
}

// answer decodes standard output into the report, or gives it as plain text.
func answer[Out any](r *hook.Report[Out], decode Decode[Out]) (text string) {
	out, notes, err := decode(r.Reply.Stdout)
	if err != nil {
		return plain(r.Reply.Stdout)
	}
	r.Output, r.Notes = out, notes
	return ""
}

func refuse[Out any](r *hook.Report[Out], decode Decode[Out]) {
	var text string
	if r.Reply.Truncated&hook.Stdout == 0 {
		text = answer(r, decode)
	}
	o := &r.Output
	o.Given |= hook.Spoke
	o.Assumed = false
	if !o.Decision.Blocks() {
		o.Decision = hook.Deny
	}
	for _, reason := range [...]string{plain([]byte(o.Reason)), plain(r.Reply.Stderr), text, noReason} {
		if reason != "" {
			if plain([]byte(o.Reason)) == "" {
				o.Reason = reason
			}
			return
		}
	}
}

func warn[Out any](r *hook.Report[Out], decode Decode[Out]) {
	r.Err = &hook.ExitError{Reply: r.Reply}
	text := plain(r.Reply.Stderr)
	if text == "" && r.Reply.Truncated&hook.Stdout == 0 {
		if _, _, err := decode(r.Reply.Stdout); err != nil {
			text = plain(r.Reply.Stdout)
		}
	}
	if text != "" {
		r.Output = hook.Output[Out]{Decision: hook.Allow, Message: "Warning: " + text, Given: hook.Spoke, Assumed: true}
	}
}

func plain(b []byte) string { return wire.Valid(wire.Trim(b)) }
