package hook

// Decision is a hook's decision, as the hook spelled it.
type Decision string

// The decisions of the hook systems. Block and Deny block. Ask and Defer leave the action to the user; all other
// decisions let it go ahead.
const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Approve   Decision = "approve"
	Ask       Decision = "ask"
	Defer     Decision = "defer"
	Block     Decision = "block"
	Deny      Decision = "deny"
)

// Blocks reports whether d is Block or Deny (L44).
func (d Decision) Blocks() bool { return d == Block || d == Deny }

// Output is the answer of one hook, or the merged answer of many. The zero Output means no opinion: the action goes
// ahead unchanged.
//
// T is the event's own part, hookSpecificOutput in JSON.
type Output[T any] struct {
	Decision   Decision
	Reason     string // the reason for Decision
	Stop       bool   // the agent has to stop: "continue": false
	StopReason string // shown to the user, if Stop is set
	Suppress   bool   // hide the output from the user
	Message    string // systemMessage
	Context    string // additionalContext, for the model
	Specific   T

	// Set has a bit for each field that the hook wrote, also with null or false. Decoding sets it. A Go hook needs it
	// only to override an earlier hook with a zero value.
	Set Fields

	// Synthetic marks an answer that the engine made, from plain text or for a failed hook. It never overrides the
	// decision of another hook.
	Synthetic bool

	// Notes holds remarks on the answer of a Go hook, for example that a member has no effect. They are copied to the
	// hook's report and to the log; a merged answer has none.
	Notes []string

	// Raw is the answer as the hook wrote it, one JSON object; nil if there was none. It is the only source of members
	// without a field.
	Raw []byte
}

// Fields is a set of an Output's fields.
type Fields uint16

// The fields of an Output. SetAnswer is set on every decoded answer: an empty JSON object is an answer, empty output is
// not.
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

// Common returns the common fields, all except Specific, that o sets: fields that the hook wrote, and fields that are
// not zero.
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
