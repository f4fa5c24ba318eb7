package hook

// Decision is the decision of a hook, in the word it used.
type Decision string

// The decisions of the hook systems. Block and Deny mean the same and both
// block; the other words let the action go ahead.
const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Approve   Decision = "approve"
	Ask       Decision = "ask"
	Defer     Decision = "defer"
	Block     Decision = "block"
	Deny      Decision = "deny"
)

// Blocks reports whether d is one of the two words that block (L32, L33).
func (d Decision) Blocks() bool { return d == Block || d == Deny }

// Output is the answer of one hook, or the merged answer of many. The zero Output is silence: the
// action goes ahead unchanged.
//
// T is the event's own part, hookSpecificOutput on the wire.
type Output[T any] struct {
	Decision   Decision
	Reason     string // goes with Decision
	Stop       bool   // the agent shall stop: "continue": false
	StopReason string // for the user, when Stop
	Suppress   bool   // hide the output from the user
	Message    string // systemMessage
	Context    string // additionalContext, for the model
	Specific   T

	// Set names the fields that the hook spelled out, also those it spelled
	// out as null or false. Decoding sets it; a Go hook needs it only to
	// overrule an earlier hook with a zero value.
	Set Fields

	// Synthetic marks an answer that the engine made, from plain text or from the error of a
	// failed hook. It never lifts the decision of another hook.
	Synthetic bool

	// Notes are remarks on the answer of a hook in Go, such as a member that has no effect. The
	// report of the hook has them, and the result and the log with it; a merged answer has none.
	Notes []string

	// Raw is the answer as the hook wrote it, one JSON object; nil if it wrote
	// none. Members that no field holds are found here and nowhere else.
	Raw []byte
}

// Fields is a set of an Output's fields.
type Fields uint16

// The fields of an Output. SetAnswer is set on every decoded answer, so that an
// empty JSON object is an answer while silence is not.
const (
	SetAnswer Fields = 1 << iota
	SetDecision
	SetReason
	SetStop
	SetStopReason
	SetSuppress
	SetMessage
	SetContext
	SetSpecific
)

// Has reports whether every field of want is in f.
func (f Fields) Has(want Fields) bool { return f&want == want }

// Common reports which of the fields before Specific o sets, either spelled
// out or not zero.
func (o *Output[T]) Common() Fields {
	f := o.Set &^ (SetAnswer | SetSpecific)
	if o.Decision != "" {
		f |= SetDecision
	}
	if o.Reason != "" {
		f |= SetReason
	}
	if o.Stop {
		f |= SetStop
	}
	if o.StopReason != "" {
		f |= SetStopReason
	}
	if o.Suppress {
		f |= SetSuppress
	}
	if o.Message != "" {
		f |= SetMessage
	}
	if o.Context != "" {
		f |= SetContext
	}
	return f
}
