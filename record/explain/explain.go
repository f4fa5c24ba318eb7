package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/record"
)

// Explanation explains one fire. Its texts come from hooks and from agents: escape them before
// display.
type Explanation struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Event   string    `json:"event"`
	Session string    `json:"session"`
	Subject string    `json:"subject"`
	Call    string    `json:"call"` // the command, path or prompt of the input, if the record has it
	MS      float64   `json:"ms"`

	Outcome string `json:"outcome"` // denied, asked, allowed, stopped, changed, passed
	Because string `json:"because"` // the outcome in one sentence
	Steps   []Step `json:"hooks"`   // in plan order
	// the rules for merging the answers, and for the effect of changes, of failures and of the result
	Rules []Rule `json:"rules"`

	Rewrites []Rewrite `json:"rewrites"`
	Model    []string  `json:"model"` // texts that the model saw
	User     []string  `json:"user"`  // texts that the user saw
	Notes    []string  `json:"notes"` // failures that did not block, notes of hooks, the outcome if no hook were in shadow
}

// Step is one hook of the fire.
type Step struct {
	ID       string            `json:"id"`
	Label    string            `json:"label"`
	Source   string            `json:"source"`
	File     string            `json:"file"` // file:line:column
	Ran      bool              `json:"ran"`
	Why      string            `json:"why"`  // why the hook ran, or did not
	Said     string            `json:"said"` // its answer in one sentence; empty if it did not run
	Decision string            `json:"decision"`
	Reason   string            `json:"reason"`
	MS       *float64          `json:"ms"`
	QueuedMS *float64          `json:"queuedMs"`
	Decided  bool              `json:"decided"` // the fire's decision and reason come from this hook
	Failed   bool              `json:"failed"`
	Open     bool              `json:"failedOpen"`
	Shadow   bool              `json:"shadow"`
	Recheck  bool              `json:"recheck"`
	Rewrote  bool              `json:"rewrote"`
	Notes    []string          `json:"notes"`
	Policy   map[string]string `json:"policy"` // by member, the positions in overlays that set the policy
	Answer   string            `json:"answer"` // its standard output, if the record keeps it
	Stderr   string            `json:"stderr"`
	Error    string            `json:"error"`
}

// Rewrite is a member of the input that hooks changed.
type Rewrite struct {
	Key    string   `json:"key"`    // empty unless the record has a conflict, which names the member
	Hooks  []string `json:"hooks"`  // labels, in plan order
	Winner string   `json:"winner"` // label of the hook whose value was used, or empty
	Rule   string   `json:"rule"`
}

// Of explains a line and does not change it. The Explanation shares strings, times and policies with the line.
func Of(l *record.Line) *Explanation {
	about := aboutEvent(l.Event)
	e := &Explanation{
		ID: l.ID, Time: l.Time, Event: l.Event, Session: l.Session, Subject: l.Subject, Call: Call(l.Input), MS: l.MS,
		Steps: make([]Step, 0, len(l.Hooks)), Rules: about.rules(l),
		Rewrites: []Rewrite{}, Model: []string{}, User: []string{}, Notes: []string{},
	}
	decider := deciderOf(l)
	for i := range l.Hooks {
		e.Steps = append(e.Steps, stepOf(l, &l.Hooks[i], i == decider))
	}
	e.Outcome = Outcome(l)
	e.rewrites(l, about)
	e.Because = e.because(l, decider)
	e.seen(l, about)
	e.notes(l)
	return e
}

// Outcome classifies the end of a fire: denied, asked, allowed, stopped, changed or passed.
func Outcome(l *record.Line) string {
	switch {
	case l.Decision == "deny":
		return "denied"
	case l.Stop:
		return "stopped"
	case l.Decision == "ask":
		return "asked"
	case l.Rewritten:
		return "changed"
	case l.Decision == "allow":
		return "allowed"
	}
	return "passed"
}

// deciderOf returns the index of the hook whose decision became the fire's: the first with the same decision whose
// reason is a part of the fire's reason, or else the first with the same decision, or else -1. A hook that fails closed
// counts as a denial.
func deciderOf(l *record.Line) int {
	first := -1
	for i := range l.Hooks {
		h := &l.Hooks[i]
		closed := h.Failed() && !h.IsFailedOpen() && l.Decision == "deny"
		if !h.Ran || h.Mode == "shadow" || h.Outcome == "backgrounded" || l.Decision == "" ||
			h.Decision != l.Decision && !closed {
			continue
		}
		if l.Reason != "" && (h.Reason == l.Reason || strings.Contains(l.Reason, h.Reason) && h.Reason != "") {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

func stepOf(l *record.Line, h *record.Hook, decided bool) Step {
	s := Step{
		ID: h.ID, Label: h.Label(), Source: h.Source, File: h.File, Ran: h.Ran, Why: whyOf(l, h), Decision: h.Decision,
		Reason: h.Reason, MS: h.MS, QueuedMS: h.QueuedMS, Decided: decided, Failed: h.Failed(), Open: h.IsFailedOpen(),
		Shadow: h.Mode == "shadow", Recheck: h.Recheck, Rewrote: h.Rewrote,
		Notes: append([]string{}, h.Notes...), Policy: h.Policy, Answer: h.Answer, Stderr: h.Stderr, Error: h.Error,
	}
	if s.Policy == nil {
		s.Policy = map[string]string{}
	}
	if h.Ran {
		s.Said = saidOf(h, decided)
	}
	return s
}

// whyOf returns why a hook ran, or did not.
func whyOf(l *record.Line, h *record.Hook) string {
	if !h.Ran {
		switch {
		case h.Detail != "":
			return h.Detail
		case h.Why != "":
			return h.Why
		}
		return "the record does not say why"
	}
	var parts []string
	switch {
	case h.Matcher == "" || h.Matcher == "*":
		parts = append(parts, "it matches every call")
	case l.Subject == "":
		parts = append(parts, fmt.Sprintf("the event has nothing to match, so its matcher %q excludes no call", h.Matcher))
	default:
		parts = append(parts, fmt.Sprintf("its matcher %q matches %q", h.Matcher, l.Subject))
	}
	if h.If != "" {
		parts = append(parts, fmt.Sprintf("its condition %q holds", h.If))
	}
	if h.Recheck {
		parts = append(parts, "it ran again because hooks had changed the input")
	}
	return strings.Join(parts, ", and ")
}

// saidOf describes a hook's answer in one sentence.
func saidOf(h *record.Hook, decided bool) string {
	said := answerOf(h)
	if h.Mode == "shadow" {
		said += "; it is in shadow mode, so its answer does not count"
		if h.Differs {
			said += ": with this answer the outcome would differ"
		}
	}
	if decided && h.Failed() {
		said += "; it fails closed, so the action is denied"
	}
	if h.Background != nil {
		said += "; in the background it ended with " + h.Background.Outcome
		if h.Background.Error != "" {
			said += ": " + h.Background.Error
		}
	}
	return said
}

func answerOf(h *record.Hook) string {
	var said string
	switch {
	case h.Outcome == "backgrounded":
		return "went to the background, where it decides nothing"
	case h.Failed():
		said = "failed"
		if h.Class != "" {
			said += " (" + h.Class + ")"
		}
		if h.Error != "" {
			said += ": " + h.Error
		}
		if h.IsFailedOpen() {
			said += "; it fails open, so the action went ahead"
		}
		return said
	case h.Decision == "deny":
		said = "denied"
	case h.Decision == "ask":
		said = "asked the user"
	case h.Decision == "allow":
		said = "allowed"
	case h.Rewrote:
		return "changed the input"
	default:
		said = "had no objection"
	}
	if h.Decision == "deny" && h.Exit != nil && *h.Exit != 0 {
		said += fmt.Sprintf(" by exit status %d", *h.Exit)
	}
	if h.Rewrote {
		said += " and changed the input"
	}
	if h.Reason != "" {
		said += ": " + h.Reason
	}
	return said
}

// because describes the outcome in one sentence.
func (e *Explanation) because(l *record.Line, decider int) string {
	ran := 0
	for i := range l.Hooks {
		if l.Hooks[i].Ran {
			ran++
		}
	}
	who := ""
	if decider >= 0 {
		who = e.Steps[decider].Label
	}
	reason := ""
	if l.Reason != "" {
		reason = ": " + l.Reason
	}
	switch e.Outcome {
	case "denied":
		if who == "" {
			return "denied, and no hook in the record says why" + reason
		}
		return "denied by " + who + reason
	case "stopped":
		return "a hook stops the agent" + reason
	case "asked":
		return "the user is asked, by " + orHook(who) + reason
	case "allowed":
		return "allowed by " + orHook(who) + reason
	case "changed":
		return "it went ahead with a changed input"
	}
	switch {
	case len(l.Hooks) == 0:
		return "no hook is configured for " + l.Event
	case ran == 0:
		return fmt.Sprintf("none of the %s of the event ran for this call", count(len(l.Hooks), "hook"))
	case l.FailedOpen > 0:
		return fmt.Sprintf("it went ahead, and %s failed open", count(l.FailedOpen, "hook"))
	}
	return fmt.Sprintf("%s ran, and none objected", count(ran, "hook"))
}

func orHook(label string) string {
	if label == "" {
		return "a hook"
	}
	return label
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// rewrites adds the changes of the input, each with the hook whose value was used.
func (e *Explanation) rewrites(l *record.Line, about about) {
	labels := map[string]string{}
	var wrote []string
	for _, s := range e.Steps {
		labels[s.ID] = s.Label
		if s.Rewrote && !s.Recheck && !s.Shadow {
			wrote = append(wrote, s.Label)
		}
	}
	for _, c := range l.Conflicts {
		r := Rewrite{Key: c.Key, Hooks: []string{}, Rule: about.rewrite}
		for _, id := range c.Hooks {
			label := labels[id]
			if label == "" {
				label = id
			}
			r.Hooks = append(r.Hooks, label)
		}
		if l.Rewritten && len(r.Hooks) > 0 {
			r.Winner = r.Hooks[len(r.Hooks)-1]
		}
		e.Rewrites = append(e.Rewrites, r)
	}
	if len(l.Conflicts) > 0 || len(wrote) == 0 {
		return
	}
	r := Rewrite{Hooks: wrote, Rule: about.rewrite}
	if l.Rewritten {
		r.Winner = wrote[len(wrote)-1]
	}
	e.Rewrites = append(e.Rewrites, r)
}

// seen adds the texts that reached the model and the user.
func (e *Explanation) seen(l *record.Line, about about) {
	if l.Reason != "" && (l.Decision == "deny" || l.Stop) {
		switch {
		case l.Stop && l.Decision != "deny", about.told == toUser:
			e.User = append(e.User, l.Reason)
		case about.told == toModel:
			e.Model = append(e.Model, l.Reason)
		}
	}
	if l.Reason != "" && l.Decision == "ask" {
		e.User = append(e.User, l.Reason)
	}
	for i := range l.Hooks {
		if h := &l.Hooks[i]; h.Ran && h.Mode != "shadow" && h.Answer != "" && !h.Failed() {
			model, user := textsOf(h.Answer)
			e.Model, e.User = append(e.Model, model...), append(e.User, user...)
		}
	}
}

// notes adds facts that are easily overlooked.
func (e *Explanation) notes(l *record.Line) {
	for _, s := range e.Steps {
		if s.Open && s.Failed {
			e.Notes = append(e.Notes, fmt.Sprintf("%s failed, and the action went ahead without its answer", s.Label))
		}
		for _, n := range s.Notes {
			e.Notes = append(e.Notes, s.Label+": "+n)
		}
	}
	if l.Would != nil {
		would := l.Would.Decision
		if would == "" {
			would = "no decision"
		}
		note := "if hooks in shadow mode counted, the outcome would be " + would
		if l.Would.Reason != "" {
			note += ": " + l.Would.Reason
		}
		e.Notes = append(e.Notes, note)
	}
}
