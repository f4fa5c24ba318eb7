package hook

import "context"

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

// TraceOf returns what WithTrace has put into ctx; the zero Trace if it has not.
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
