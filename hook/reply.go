package hook

import (
	"context"
	"os"
	"time"
)

// Runner runs one hook outside the engine: a process, a request, a model. It is used from many
// goroutines at once.
//
// The output of a hook that ran is a Reply, however badly it ended. An error means that there is
// no answer: the hook could not be started, ctx ended, or the call's Timeout passed; [Call.Limit]
// returns a context for both. When Run returns, nothing that it started is left running, except
// processes that the hook has deliberately put into the background.
type Runner interface {
	Run(ctx context.Context, call Call) (Reply, error)
}

// Call is the input of one hook run.
type Call struct {
	Hook    *Hook
	Session string // the session's id
	Dir     string // working directory of the session, and of the hook
	Payload []byte // one JSON object: the event's input. Must not be changed

	// Timeout limits the run; 0 is no limit. The Runner enforces it, since a process or a
	// connection can be watched for less than the cost of a context, and returns a
	// [TimeoutError].
	Timeout time.Duration

	// Env holds variables of this call alone, "NAME=value"; they replace the Runner's.
	Env []string

	// Trace is where the call is in a distributed trace; Env has it already.
	Trace Trace

	// Ask puts a hook's question to the user; see [Question]. It blocks until
	// there is an answer, and is false if the user gave none. Nil means that the
	// hook may not ask: its standard input ends after the payload.
	Ask func(ctx context.Context, q Question) (key string, ok bool)

	// Detach moves a running hook to the background, which the hook asks for with {"async": true}
	// as the first line of its output. The Runner calls it once, returns [ErrDetached] from Run
	// at once, and goes on with ctx in place of its own; it passes the outcome to done, with the
	// whole output. timeout is the hook's own wish, 0 if it has none; ctx enforces it. Nil means
	// that such a line is output like any other.
	Detach func(timeout time.Duration) (ctx context.Context, done func(Reply, error))
}

// Question is a choice that a running hook puts to the user.
type Question struct {
	ID      string // the hook's own, which comes back with the answer
	Message string
	Options []Option
}

// Option is one of the answers to a [Question].
type Option struct {
	Key         string // the hook gets this
	Label       string // the user sees this
	Description string // may be empty
}

// Limit returns a context that ends with ctx, or when the call's Timeout has
// passed; [context.Cause] is a [TimeoutError] then.
func (c *Call) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, c.Timeout, &TimeoutError{After: c.Timeout})
}

// Reply is the output of a hook run, in terms of a process for every transport.
type Reply struct {
	Exit      int       // exit status, or -1 if a signal ended it
	Signal    os.Signal // the signal that ended it, or nil
	Stdout    []byte
	Stderr    []byte
	Truncated Streams  // streams that were longer than the capture limit
	Notes     []string // requests of the call that the Runner could not meet; the report has them

	// Merged says that Stdout is an answer that an engine elsewhere has merged, in the form of wire.Encode, and not
	// one that a hook printed in the form of its dialect. An answer that this form does not hold is a
	// failure of [ClassOutput].
	Merged bool
}

// Streams is a set of output streams.
type Streams uint8

// The two output streams.
const (
	Stdout Streams = 1 << iota
	Stderr
)

// ExitEffect is the effect of an exit status on the reading of a Reply.
type ExitEffect uint8

// The effects. Warn is the zero value, so that a status no table names warns.
const (
	FailWithWarning ExitEffect = iota // the hook failed: its text becomes a warning, nothing else of it counts
	ParseAnswer                       // standard output is the answer
	ParseAndDeny                      // standard output is the answer, and the answer is a denial
	ParseOrFail                       // an answer on standard output counts; without one, the hook failed
	DenyWithReason                    // a denial, for the answer's own reason or that on standard error, and for no other
	DenyForStderr                     // a denial for the reason on standard error alone; without one the hook failed
	Fail                              // the hook failed, and nothing that it printed counts
	DenyUnread                        // a denial, for the reason on standard error or none; standard output is not read

	// Of the following the answer is on standard output or, if that is blank, on
	// standard error, and it counts as it is. They differ in plain text.
	ReadAny // its meaning is that of Text
	WarnAny // the hook failed, and it is a warning
	DenyAny // it is the reason of a denial; without any, the hook failed
)

// Exits maps exit statuses to effects. [OtherStatus] stands for those it does not
// name, and for death by a signal; without it they are Warn.
type Exits map[int]ExitEffect

// OtherStatus is the key of [Exits] for everything that has none of its own.
const OtherStatus = -1

// Of returns the effect of an end.
func (e Exits) Of(r *Reply) ExitEffect {
	if r.Signal == nil && r.Exit >= 0 {
		if effect, named := e[r.Exit]; named {
			return effect
		}
	}
	return e[OtherStatus]
}

// Text is the meaning of plain text, where an answer was expected.
type Text uint8

// The readings of plain text.
const (
	TextInherited Text = iota // as the rules above say, and in the end TextMessage
	TextMessage               // a message to the user, and an assumed permission
	TextContext               // context for the model
	TextIgnored               // nothing; it is in the Reply, and a note says so
)

// Trace is a place in a distributed trace, as W3C Trace Context writes it.
type Trace struct {
	Parent string // traceparent: "00-" trace id "-" span id "-" flags; empty: there is no trace
	State  string // tracestate; may be empty
}

type traceKey struct{}

// WithTrace returns a context in which hooks run below t: commands find it in
// TRACEPARENT and TRACESTATE, requests carry it in their headers.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the Trace that WithTrace has put into ctx, or the zero Trace.
func TraceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

// IDs returns the hexadecimal trace and span ids, and whether Parent has them:
// neither may be all zeroes.
func (t Trace) IDs() (trace, span string, ok bool) {
	const length = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	p := t.Parent
	if len(p) < length || p[2] != '-' || p[35] != '-' || p[52] != '-' || p[:2] == "ff" ||
		p[:2] == "00" && len(p) > length {
		return "", "", false
	}
	trace, span = p[3:35], p[36:52]
	return trace, span, hexadecimal(p[:2]) && hexadecimal(p[53:55]) && id(trace) && id(span)
}

func id(s string) bool {
	for i := range len(s) {
		if s[i] != '0' {
			return hexadecimal(s)
		}
	}
	return false
}

func hexadecimal(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
