package hook

import (
	"context"
	"os"
	"sync/atomic"
	"time"
)

// Runner runs one hook outside the engine: a process, a request, a model. It is used from many goroutines at once.
//
// A hook that ran has a Reply, whatever its exit status. Run returns an error if there is no Reply: the hook could not
// be started, ctx ended, or the call's Timeout passed; [Call.Limit] returns a context that ends with ctx or at the
// Timeout. When Run returns, nothing that it started is still running, except processes that the hook deliberately put
// into the background.
type Runner interface {
	Run(ctx context.Context, call Call) (Reply, error)
}

// RunnerAs returns the first Runner of type T among r and the Runners that it wraps, as errors.AsType does for errors.
// A Runner that wraps another one has a method Unwrap() Runner.
func RunnerAs[T any](r Runner) (found T, ok bool) {
	for r != nil {
		if found, ok := r.(T); ok {
			return found, true
		}
		wrapper, wraps := r.(interface{ Unwrap() Runner })
		if !wraps {
			break
		}
		r = wrapper.Unwrap()
	}
	return found, false
}

// Call is the input of one hook run.
type Call struct {
	Hook    *Hook
	Session string // the session's id
	Dir     string // working directory of the session, and of the hook
	Payload []byte // one JSON object: the event's input. Must not be changed

	// Timeout limits the run; 0 means no limit. The Runner enforces it and returns a [TimeoutError], because a Runner
	// can time out a process or a connection more cheaply than a context can.
	Timeout time.Duration

	// Stretch limits the extension of Timeout to Stretch times Timeout: 0 means [DefaultStretch], 1 means no extension.
	// Timeout grows on Linux: for a process by the time in which it and its descendants were ready to run while no
	// processor was free, and for a request to a server while more threads of the machine are ready to run than it has
	// processors. If Stretch is 0, a request's Timeout of less than 10 ms grows to 10 ms while another thread is ready.
	Stretch float64

	// PID, if not nil, gets the id of the process that a Runner on Linux starts, and 0 when the process has ended.
	PID *atomic.Int64

	// Env holds "NAME=value" variables for this call; they override the Runner's.
	Env []string

	// Trace is the caller's position in a distributed trace; Env already contains it.
	Trace Trace

	// Ask puts a hook's question to the user; see [Question]. It blocks until the user answers; ok is false without an
	// answer. If Ask is nil, the hook may not ask, and its standard input ends after the payload.
	Ask func(ctx context.Context, q Question) (key string, ok bool)

	// Detach moves a running hook to the background. A Runner calls it once if the first line of output is {"async":
	// true}; then Run returns [ErrDetached] at once. The hook continues with ctx in place of Run's, and the Runner
	// passes the outcome, with the whole output, to done. timeout is the limit that the hook asks for, 0 if none; ctx
	// enforces it. If Detach is nil, such a line is ordinary output.
	Detach func(timeout time.Duration) (ctx context.Context, done func(Reply, error))
}

// DefaultStretch is the Stretch of a [Call] that sets none, and the largest that a policy can set.
const DefaultStretch = 4

// Question is a choice that a running hook puts to the user.
type Question struct {
	ID      string // chosen by the hook, and sent back with the answer
	Message string
	Options []Option
}

// Option is one of the answers to a [Question].
type Option struct {
	Key         string // the hook gets this
	Label       string // the user sees this
	Description string // may be empty
}

// Limit returns a context that ends with ctx, or at the call's Timeout with a [TimeoutError] as its [context.Cause].
func (c *Call) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, c.Timeout, &TimeoutError{After: c.Timeout})
}

// Reply is the output of a hook run, in the terms of a process whatever the transport.
type Reply struct {
	Exit      int       // exit status, or -1 after a signal
	Signal    os.Signal // the signal that ended the process, or nil
	Stdout    []byte
	Stderr    []byte
	Truncated Streams       // streams that were longer than the capture limit
	Granted   time.Duration // the extension of the call's Timeout; see Stretch of [Call]
	Processor time.Duration // processor time of the process and its descendants; 0 if it is not known
	Notes     []string      // parts of the call that the Runner could not honour; copied to the report

	// Merged marks Stdout as an answer merged by another engine, in the form of wire.Encode, not in the form of the
	// dialect. An answer that this form cannot represent is a failure of [ClassOutput].
	Merged bool
}

// Streams is a set of output streams.
type Streams uint8

// The two output streams.
const (
	Stdout Streams = 1 << iota
	Stderr
)

// ExitEffect determines how a Reply is read, by its exit status.
type ExitEffect uint8

// The effects. FailWithWarning is the zero value: it applies if [Exits] has no entry for the status and none for
// [OtherStatus].
const (
	FailWithWarning ExitEffect = iota // the hook failed: its text becomes a warning and has no other effect
	ParseAnswer                       // standard output is the answer
	ParseAndDeny                      // standard output is the answer, and the answer is a denial
	ParseOrFail                       // an answer on standard output is used; without one, the hook failed
	DenyWithReason                    // a denial, with the answer's own reason or else the text on standard error
	DenyForStderr                     // a denial with the reason on standard error; without one the hook failed
	Fail                              // the hook failed, and its output is ignored
	DenyUnread                        // a denial, with the reason on standard error, if any; standard output is not read

	// The following effects read the answer from standard output or, if that is blank, from standard error. They differ
	// in the meaning of plain text.
	ReadAny // the hook's Text determines the meaning
	WarnAny // the hook failed, and the text is a warning
	DenyAny // the text is the reason of a denial; without a text, the hook failed
)

// Exits maps exit statuses to effects. [OtherStatus] is the key for all other statuses, and for death by a signal;
// without this key both map to FailWithWarning.
type Exits map[int]ExitEffect

// OtherStatus is the key of [Exits] for all statuses without an entry.
const OtherStatus = -1

// Of returns the effect of a reply's exit status or signal.
func (e Exits) Of(r *Reply) ExitEffect {
	if r.Signal == nil && r.Exit >= 0 {
		if effect, named := e[r.Exit]; named {
			return effect
		}
	}
	return e[OtherStatus]
}

// Text is the meaning of plain text where an answer was expected.
type Text uint8

// The meanings of plain text.
const (
	TextInherited Text = iota // by the rules of the event or dialect; their default is TextMessage
	TextMessage               // a message to the user, and an allow that overrides no decision of another hook
	TextContext               // context for the model
	TextIgnored               // no effect; the text is in the Reply, and a note reports it
)

// Trace is a position in a distributed trace, in the form of W3C Trace Context.
type Trace struct {
	Parent string // traceparent: "00-" trace id "-" span id "-" flags; empty: there is no trace
	State  string // tracestate; may be empty
}

type traceKey struct{}

// WithTrace returns a context in which hooks run as children of t: commands get it in TRACEPARENT
// and TRACESTATE, requests in their headers.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the Trace that ctx carries from WithTrace, or the zero Trace.
func TraceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

// IDs returns the hexadecimal trace and span ids. ok is false if Parent lacks them or if either is all zeroes.
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
