package claude

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/pipeline"
)

// MaxText is the maximum number of characters of a text that the model or the user gets. If a text is longer, they get
// its beginning and the path of a file with the whole text (release 2.1.239).
const MaxText = 10_000

// preview is the number of characters that are shown of a text that is too long.
const preview = 2_000

// refiner reduces one hook's answer to the parts that its event honours.
type refiner struct {
	event  string
	traits *traits
}

// refining returns the Refine of an event. Refine calls own, the event's own function, before it cuts long texts.
// Because In is always a pointer, Go compiles the function only once for each type of answer.
//
//go:noinline
func refining[In, Out any, O interface {
	*Out
	commonOut
}](f refiner, own func(*pipeline.Session, In, *hook.Report[Out])) func(*pipeline.Session, In, *hook.Report[Out]) {
	return func(s *pipeline.Session, in In, r *hook.Report[Out]) {
		var part commonOut = O(&r.Output.Specific)
		c := common.ReportOf(r)
		if f.honour(&c, part) {
			sequence := part.own().TerminalSequence
			r.Output.Specific = *new(Out)
			part.own().TerminalSequence = sequence
		}
		common.Put(&r.Output, &c.Output)
		r.Notes = c.Notes
		if own != nil {
			own(s, in, r)
		}
		o := &r.Output
		f.finish(s, part.own(), &r.Notes, &o.Context, &o.Message, &o.Reason, &o.StopReason)
	}
}

// honour removes from a report the parts that its event does not honour. silenced reports that only the terminal
// sequence remains of the event's own part.
func (f refiner) honour(r *common.Report, part commonOut) (silenced bool) {
	if r.Hook.Func != nil && r.Err == nil {
		spoken(&r.Output, part)
	}
	if f.traits.silent || !r.Backgrounded {
		f.drop(r)
		silenced = f.traits.silent
	}
	return silenced
}

// finish checks the sequence for the user's terminal, and cuts texts that are too long.
func (f refiner) finish(s *pipeline.Session, own *CommonOutput, notes *[]string, texts ...*string) {
	own.TerminalSequence = shown(s, own.TerminalSequence, notes)
	for _, text := range texts {
		cut(s, f.event+".txt", text, own, notes)
	}
}

// spoken copies the decision in a Go function's own part to the common decision.
func spoken(o *common.Output, part commonOut) {
	if v, ok := part.(decider); ok && !o.Decision.Blocks() {
		said := struct { // a copy, which keeps the answer off the heap
			decision hook.Decision
			reason   string
		}{o.Decision, o.Reason}
		v.decide(&said.decision, &said.reason)
		o.Decision = said.decision
		if said.reason != "" {
			o.Reason = said.reason
		}
	}
}

// drop removes the members that the event does not honour. It notes a block or stop that has no
// effect.
func (f refiner) drop(r *common.Report) {
	t, o := f.traits, &r.Output
	refuses := refused(t, r)
	// "approve" has an effect only if the decision is a permission
	means := o.Decision.Blocks() || t.permission && o.Decision != ""
	counts := means && (t.decides || refuses)
	f.noteVain(r, counts)
	if t.silent {
		silence(r, refuses)
	}
	if t.noContinue {
		o.Stop, o.StopReason = false, ""
	}
	if t.noMessage {
		o.Message = ""
	}
	if !t.contexts {
		o.Context = ""
	}
	if !counts {
		o.Decision, o.Reason = "", ""
	}
	if o.Decision.Blocks() && r.Err != nil && r.Reply != nil && r.OnFailure == hook.FailOpen &&
		hook.ClassOf(r.Err) == hook.ClassExit {
		o.Reason = cmp.Or(plain(r.Reply.Stderr), o.Reason) // the text that the hook wrote, as for exit status 2
	}
}

// noteVain notes the first request of a hook that the event cannot honour: to refuse, to ask the user, or to stop the
// agent. A hook can refuse by its answer or by its exit status.
func (f refiner) noteVain(r *common.Report, counts bool) {
	t, o, vain := f.traits, &r.Output, ""
	harmless := o.Decision == "" || o.Decision == hook.Allow || o.Decision == hook.Approve
	switch {
	case exitTwo(r) && !t.exitTwoDenies:
		vain = strings.TrimSuffix(
			fmt.Sprintf("exit status 2 has no effect on %s: %s", f.event, plain(r.Reply.Stderr)), ": ")
	case r.Err == nil && !harmless && (!counts || !t.blocks && !t.decides):
		vain = fmt.Sprintf("decision %q has no effect on %s", o.Decision, f.event)
	case r.Err == nil && o.Stop && (t.noContinue || t.silent):
		vain = "\"continue\": false has no effect on " + f.event
	}
	if vain != "" {
		r.Notes = append(r.Notes, vain)
	}
}

// exitTwo reports whether a hook exited with status 2, not ended by a signal.
func exitTwo(r *common.Report) bool {
	return r.Reply != nil && r.Reply.Signal == nil && r.Reply.Exit == 2
}

// silence removes the common fields of an answer, except the refusal by exit status.
func silence(r *common.Report, refuses bool) {
	o := r.Output
	r.Output = common.Output{Set: o.Set & hook.SetAnswer, Raw: o.Raw}
	if refuses && r.Reply != nil {
		r.Output.Decision, r.Output.Reason = o.Decision, plain(r.Reply.Stderr)
	}
}

// refused reports whether a hook blocked by its exit status and not by its answer. For a Go function, which has no exit
// status, it uses the decision.
func refused(t *traits, r *common.Report) bool {
	d := r.Output.Decision
	switch {
	case r.Err != nil:
		return d.Blocks() // the hook failed, and fails closed
	case r.Reply == nil:
		return d.Blocks() && t.exitTwoDenies
	}
	return exitTwo(r) && d.Blocks() && t.exitTwoDenies
}

// cut shortens a text that is too long.
func cut(s *pipeline.Session, name string, text *string, own *CommonOutput, notes *[]string) {
	if len(beginning(*text, MaxText)) == len(*text) {
		return
	}
	whole := *text
	*text = beginning(whole, preview)
	path, err := s.Keep(name, whole)
	if err != nil {
		*text += "…"
		*notes = append(*notes, fmt.Sprintf("a text of %d bytes was cut, and could not be saved to a file: %v", len(whole), err))
		return
	}
	*text += fmt.Sprintf(
		"…\n\nThis is the beginning of a text of %d bytes. The whole text is in %s",
		len(whole),
		path,
	)
	own.Kept = append(own.Kept, path)
}

// beginning returns the first n characters of a text, or all if it has no more.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}
