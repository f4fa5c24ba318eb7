package pipeline

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

// questionsOf returns the function with which a hook of a session asks the user; nil if the hook cannot ask. One
// question is asked at a time.
func questionsOf(s *Session, h *hook.Hook) func(context.Context, hook.Question) (string, bool) {
	host := s.host
	if host == nil || host.Ask == nil || host.MayAsk == nil || !host.MayAsk(h) || inShadow(h) {
		return nil
	}
	asking := s.state().asking
	return func(ctx context.Context, q hook.Question) (key string, ok bool) {
		select {
		case asking <- struct{}{}:
			defer func() { <-asking }()
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return "", false
		}
		return host.Ask(ctx, h, q)
	}
}
