package project

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/run"
)

// Effective is the policy of a hook in the form in which plan and check show it to programs.
type Effective struct {
	OnFailure map[hook.Class]string   `json:"onFailure"`
	Mode      string                  `json:"mode"`
	TimeoutMS *float64                `json:"timeoutMs"` // null: no limit
	Stretch   float64                 `json:"stretch"`   // the factor by which the timeout may grow
	Retry     *retried                `json:"retry"`     // null: a failed run is not repeated
	QueueMS   *float64                `json:"queueMs"`   // null: the hook waits for a permit without a limit
	Warm      string                  `json:"warm"`
	Prewarm   bool                    `json:"prewarm"`
	Recheck   bool                    `json:"recheck"`  // hooks run again after the input has been rewritten
	WarmNote  *string                 `json:"warmNote"` // the reason for a cold start although warm is set, or null
	From      map[string]policyOrigin `json:"from"`     // sources, by member, of the values that an overlay has set
}

type retried struct {
	Times int          `json:"times"`
	On    []hook.Class `json:"on"`
}

type policyOrigin struct {
	Level string `json:"level"`
	File  string `json:"file"` // file:line:column
}

// Governed describes the policy of a hook.
func Governed(h *hook.Hook) *Effective {
	p, timeout := h.Policy, Describe(h).TimeoutMS
	if p == nil {
		p = policy.EffectiveDefault(h, pipeline.PolicyEvents().Of(h))
	}
	e := &Effective{
		OnFailure: map[hook.Class]string{}, Mode: p.Mode.String(), TimeoutMS: timeout,
		Stretch: cmp.Or(p.Stretch, hook.DefaultStretch),
		Warm:    lo.CoalesceOrEmpty(p.Warm, "off"), Prewarm: p.Prewarm, Recheck: p.Recheck, From: map[string]policyOrigin{},
	}
	for class, action := range p.OnFailure {
		e.OnFailure[class] = action.String()
	}
	if p.WarmNote != "" {
		e.WarmNote = &p.WarmNote
	}
	if p.Retry.Times > 0 {
		e.Retry = &retried{p.Retry.Times, p.Retry.On}
	}
	if p.Queue > 0 {
		e.QueueMS = lo.ToPtr(float64(p.Queue.Microseconds()) / 1000)
	}
	for member, from := range p.From {
		at := from.Position
		at.File = cli.ShortPath(at.File)
		e.From[member] = policyOrigin{from.Level, at.String()}
	}
	return e
}

// Text lists the settings that a policy changes, with their sources; empty if it changes none.
func (e *Effective) Text(indent int) string {
	if e == nil || len(e.From) == 0 {
		return ""
	}
	said := map[string]string{
		"onFailure": "on failure " + e.failures(),
		"mode":      "mode " + e.Mode,
		"warm":      "warm " + e.Warm,
		"stretch":   fmt.Sprintf("stretch %g", e.Stretch),
		"prewarm":   lo.Ternary(e.Prewarm, "prewarm", "no prewarm"),
		"recheck":   lo.Ternary(e.Recheck, "recheck", "no recheck"),
	}
	if e.WarmNote != nil {
		said["warm"] += " (cold: " + *e.WarmNote + ")"
	}
	if e.TimeoutMS != nil {
		said["timeout"] = fmt.Sprintf("timeout %gms", *e.TimeoutMS)
	}
	if e.QueueMS != nil {
		said["queue"] = fmt.Sprintf("queue %gms", *e.QueueMS)
	}
	if e.Retry != nil {
		said["retry"] = fmt.Sprintf("retry %d on %v", e.Retry.Times, e.Retry.On)
	}
	var lines []string
	for _, member := range slices.Sorted(maps.Keys(e.From)) {
		from := e.From[member]
		lines = append(
			lines,
			strings.Repeat(
				" ",
				indent,
			)+"policy: "+cli.OneLine(said[member])+"  "+cli.Faint.Render(from.Level+" "+cli.OneLine(from.File))+"\n",
		)
	}
	return strings.Join(lines, "")
}

// failures lists the effects of failures, each with the classes of failures that have it. If all classes have the same
// effect, failures returns only the effect.
func (e *Effective) failures() string {
	by := map[string][]string{}
	for _, class := range hook.Classes() {
		by[e.OnFailure[class]] = append(by[e.OnFailure[class]], string(class))
	}
	var parts []string
	for _, action := range []string{"closed", "ask", "open"} {
		switch classes := by[action]; {
		case len(classes) == len(hook.Classes()):
			return action
		case len(classes) > 0:
			parts = append(parts, action+" ("+strings.Join(classes, ", ")+")")
		}
	}
	return strings.Join(parts, ", ")
}

// Held returns the reason why a hook of a plan never starts, if the hook's policy treats this as a failure. Otherwise
// the reason is empty.
func Held(h *hook.Hook) (why hook.SkipReason, detail string) {
	if h.Policy == nil || h.Policy.Held == "" {
		return "", ""
	}
	class := hook.ClassInvalid
	if h.Policy.Held == hook.Untrusted {
		class = hook.ClassUntrusted
	}
	return h.Policy.Held, fmt.Sprintf("%s; its failure policy is %q", h.SkipDetail, h.Policy.OnFailure[class])
}

// WorkersAlone keeps only workers warm, because workers cannot start cold. bench measures all other hooks cold.
type WorkersAlone struct{ *run.Warm }

// Keep keeps the hook warm if it is a worker.
func (w WorkersAlone) Keep(h *hook.Hook, kind, dir string) (note string) {
	if kind != run.WarmWorker {
		return ""
	}
	return w.Warm.Keep(h, kind, dir)
}

// ForOneCall keeps only workers warm, and scripts that run in this process. A command that fires once gains nothing
// from interpreters that wait for a second call.
type ForOneCall struct{ *run.Warm }

// Keep keeps the hook warm if it is a worker or a script for bash.
func (w ForOneCall) Keep(h *hook.Hook, kind, dir string) (note string) {
	switch kind {
	case run.WarmWorker:
		return w.Warm.Keep(h, kind, dir)
	case run.WarmBash, run.WarmAuto:
		w.Warm.Keep(h, run.WarmBash, dir) // the note is dropped, because all other hooks start cold in this process anyway
	}
	return ""
}

// ColdNotes reports which hooks would start cold, and starts nothing.
type ColdNotes struct{ *run.Warm }

// Prewarm does nothing.
func (ColdNotes) Prewarm(hook.Call) {}
