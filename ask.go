package snaphook

import (
	"cmp"
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

// resolve turns an Ask into a denial if the session cannot ask the user.
func (s *Session) resolve(v *Verdict) {
	if v.Decision == hook.Ask && s.hooks.cfg.Ask == nil && !s.cfg.Interactive {
		v.Decision = hook.Deny
		v.Reason = lines(v.Reason, "A hook wants to ask the user, but there is no user: the call is refused.")
	}
}

// permit asks the user whether a call may run.
func (s *Session) permit(ctx context.Context, call *ToolCall, reason string) (ok bool, why string) {
	if s.hooks.cfg.Ask == nil {
		return false, lines(reason, "A hook wants to ask the user, but the program cannot: the call is refused.")
	}
	key, answered := s.hooks.cfg.Ask(ctx, s, nil, hook.Question{
		ID: call.ID, Message: cmp.Or(reason, "May "+call.Name+" run?"),
		Options: []hook.Option{{Key: "allow", Label: "Allow"}, {Key: "deny", Label: "Deny"}},
	})
	if answered && key == "allow" {
		return true, ""
	}
	return false, lines(reason, "The user has refused.")
}
