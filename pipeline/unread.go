package pipeline

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/unread"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// doubting finds answers that the event did not understand or does not honour.
type doubting[Out any] struct{ *fire[Out] }

// doubt describes the part of a hook's output that was not understood.
type doubt struct {
	why    string
	denies bool // the part contains a denial: the hook fails under any policy
	note   bool // the hook gets a note; it fails only under a strict policy
	shaped bool // the part looks like an answer: the hook gets a note, or fails if it fails closed
}

// noteUnread is the note for a denial on standard error beside output that does not deny.
const noteUnread = "the words of a denial stand on standard error, where no answer is read"

// doubtAnswer turns an answer that the event did not understand into a failure of class output. It always does if the
// answer contains a denial; otherwise only if the hook's policy demands valid answers, or if the output looks like an
// answer and the hook fails closed. A denial that was understood stays.
func (f doubting[Out]) doubtAnswer(r *hook.Report[Out]) {
	if !f.event.guards || r.Err != nil || r.Reply == nil {
		return
	}
	turn := &f.runs[r.Index]
	if turn.refuses = f.blocks(r) || r.Output.Stop; turn.refuses {
		return
	}
	var d doubt
	if r.Output.Raw != nil {
		d = f.doubtObject(r)
	} else {
		d = f.doubtText(r.Hook, r.Reply, r.Notes)
	}
	f.settle(r, d)
}

// doubtNotes makes a Go hook fail with class output if its answer has notes and its policy demands valid answers. A
// denial stays.
func (f doubting[Out]) doubtNotes(r *hook.Report[Out]) {
	if f.event.guards && r.Err == nil && f.strict(r.Hook) && !f.blocks(r) && !r.Output.Stop {
		r.Err = &hook.UnreadError{Why: r.Notes[0]}
	}
}

// settle applies the policy to a doubt: the hook fails and gets a note, or only gets a note, or neither.
func (f doubting[Out]) settle(r *hook.Report[Out], d doubt) {
	switch strict := f.strict(r.Hook); {
	case d.why == "":
		return
	case d.denies || strict || d.shaped && r.Hook.FailClosed:
		r.Err = &hook.UnreadError{Why: d.why, Denies: d.denies}
	case !d.note && !d.shaped:
		return
	}
	if d.shaped && !d.denies && r.Err == nil {
		d.why = "if the answer was a denial, the denial is lost: " + d.why
	}
	r.Notes = append(r.Notes, d.why)
}

// strict reports whether an overlay turns an invalid answer of a hook into a failure.
func (f doubting[Out]) strict(h *hook.Hook) bool {
	return h.Policy != nil && overlaid(h) && h.Policy.OnFailure[hook.ClassOutput] != hook.FailOpen && waitsFor(h)
}

// doubtObject checks an answer that is one object.
func (f doubting[Out]) doubtObject(r *hook.Report[Out]) (d doubt) {
	o := &r.Output
	read := f.event.form.Read(o.Raw)
	denyAny := exitsOf(r.Hook, &f.of.rules).Of(r.Reply) == hook.DenyAny
	switch {
	case denyAny && o.Decision == hook.Undecided:
		d = doubt{why: fmt.Sprintf("its exit status %d denies, and its answer decides nothing", r.Reply.Exit), note: true}
	case denyAny && isDecision(o.Decision):
		d.note = true
		d.why = fmt.Sprintf("its exit status %d denies, and its answer, which counts, says %q", r.Reply.Exit, o.Decision)
	case read.Why != "":
		d = doubt{why: read.Why, denies: unread.DeniesFormally(read.Unread), shaped: read.Near}
	case len(r.Notes) > 0:
		d = doubt{why: r.Notes[0], denies: unread.DeniesFormally(o.Raw)}
	case !isDecision(o.Decision):
		d.why = fmt.Sprintf("there is no decision %.60q; write allow, ask, block or deny", string(o.Decision))
		d.shaped = true
		d.denies = unread.DeniesFormally([]byte(`"decision":` + string(wire.Quote(string(o.Decision)))))
	case !isWord(read.Decision, o.Decision) && deniesInWord(read.Decision):
		d = doubt{why: "its decision denies, and another member of its answer overrules it", note: true}
	case r.Reply.Exit == 2 && !denyAny:
		d.why = "its exit status is 2, which has no effect here, and its answer does not deny"
	case unread.DeniesFormally(r.Reply.Stderr):
		d = doubt{why: noteUnread, note: true}
	}
	if d.denies {
		d.why = "the words of a denial have no effect: " + d.why
	}
	if d.why == "" && f.event.spec.CheckOutput != nil {
		if err := f.event.spec.CheckOutput(o); err != nil {
			d.why = err.Error()
		}
	}
	return d
}

// isWord reports whether JSON text is the string word without escapes.
func isWord(text jsontext.Value, word hook.Decision) bool {
	n := len(text)
	return n == len(word)+len(`""`) && text[0] == '"' && string(text[1:n-1]) == string(word)
}

// deniesInWord reports whether JSON text is a string that denies.
func deniesInWord(text jsontext.Value) bool {
	word, isText := wire.Text(text)
	return isText && hook.Decision(word).Blocks()
}

// doubtText checks output that is not an object: a text, other JSON, or nothing.
func (f doubting[Out]) doubtText(h *hook.Hook, reply *hook.Reply, notes []string) (d doubt) {
	text, other := wire.Trim(reply.Stdout), reply.Stderr
	if len(text) == 0 && exitsOf(h, &f.of.rules).Of(reply) >= hook.ReadAny {
		text, other = wire.Trim(reply.Stderr), nil
	}
	if len(text) == 0 {
		switch {
		case unread.DeniesFormally(other):
			return doubt{why: "the words of a denial have no effect: they stand on standard error", denies: true}
		case reply.Exit != 0:
			return doubt{why: fmt.Sprintf("exit status %d has no effect here", reply.Exit)}
		}
		return doubt{}
	}
	if silent, err := wire.Answer(text); err == nil && silent == nil && f.textOf(h) != hook.TextIgnored {
		return doubt{} // such as null
	}
	d.why = unread.Text(reply.Stdout)
	d.denies = unread.Denies(text)
	if unread.IsObject(text) { // an answer with members that the event's Decode has read
		d.shaped = unread.Doubtful(text)
	} else {
		d.shaped = unread.LooksLikeAnswer(reply.Stdout, f.textOf(h) == hook.TextContext)
	}
	switch {
	case d.denies && d.why != "":
		d.why = "the words of a denial have no effect: " + d.why
	case d.denies:
		d.why = "the words of a denial have no effect: they stand in plain text; write one JSON object and nothing else"
	case d.why != "":
	case d.shaped:
		d.why = "it looks like a part of an answer, but is plain text"
	case len(notes) > 0 && notes[0] != stages.NoteText:
		d.why = notes[0]
	case f.textOf(h) == hook.TextIgnored:
		d.why = stages.NoteText
	case reply.Exit != 0:
		d.why = fmt.Sprintf("exit status %d has no effect here", reply.Exit)
	case unread.DeniesFormally(other):
		d = doubt{why: noteUnread, note: true}
	}
	return d
}

// textOf returns the effect of plain text printed by a hook.
func (f doubting[Out]) textOf(h *hook.Hook) hook.Text {
	if h.Text != 0 {
		return h.Text
	}
	return f.of.rules.Text
}

// doubtEffect turns an answer into a failure if the event's Refine has dropped a part of it: always if that part is a
// denial, otherwise if the policy is strict. notes is the number of notes before Refine. doubtEffect returns true if
// the hook failed.
func (f doubting[Out]) doubtEffect(r *hook.Report[Out], notes int) (failed bool) {
	if !f.event.guards || r.Err != nil || r.Reply == nil || r.Backgrounded || f.blocks(r) || r.Output.Stop {
		return false
	}
	refuses := f.runs[r.Index].refuses
	switch {
	case refuses || len(r.Notes) > notes && f.strict(r.Hook):
		why := "the event does not honour this answer"
		if len(r.Notes) > notes {
			why = r.Notes[len(r.Notes)-1]
		}
		r.Err = &hook.UnreadError{Why: why, Denies: refuses}
		policing[Out]{f.fire}.applyFailurePolicy(r)
		return true
	}
	return false
}

// printsDenial reports whether a hook printed a denial at the beginning or the end of standard output or standard
// error.
func printsDenial(reply *hook.Reply) bool {
	const most = 16 << 10
	for _, text := range [...][]byte{reply.Stdout, reply.Stderr} {
		if len(text) > 2*most {
			text = append(text[:most:most], text[len(text)-most:]...)
		}
		if unread.DeniesFormally(text) {
			return true
		}
	}
	return false
}
