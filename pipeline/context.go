package pipeline

import "context"

// sessionKey is the key under which a context carries a session.
type sessionKey struct{}

// NewContext returns a context that carries s, for code that gets a context and
// no session: a tool, a handler of a framework.
func NewContext(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// FromContext returns the session that ctx carries; ok is false if it carries
// none.
func FromContext(ctx context.Context) (s *Session, ok bool) {
	s, ok = ctx.Value(sessionKey{}).(*Session)
	return s, ok && s != nil
}
