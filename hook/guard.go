package hook

// Guard identifies a hook of a project that could block when the user agreed to the project's
// hooks. Equal hooks have equal Guards.
type Guard struct {
	Event   string `json:"event"`             // the event's name, without the dialect's name
	Matcher string `json:"matcher,omitempty"` // as configured
	If      string `json:"if,omitempty"`      // the condition, as configured
	Label   string `json:"label"`             // [Hook.Label]
}

// GuardOf returns the Guard of a hook.
func GuardOf(h *Hook) Guard {
	return Guard{Event: h.Event, Matcher: h.Pattern, If: h.If, Label: h.Label()}
}
