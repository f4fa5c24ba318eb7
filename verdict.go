package snaphook

import (
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// These are the decisions of a [Verdict], from the mildest to the strictest. They equal the decisions of package hook,
// so that hosts need not import package hook.
const (
	Undecided = hook.Undecided // no hook decided
	Allow     = hook.Allow
	Ask       = hook.Ask // ask the user
	Deny      = hook.Deny
)

// Verdict is the merged answer of the hooks of all dialects at a moment. The zero Verdict means that no hook answered:
// proceed as planned. A host must not change a Verdict.
type Verdict struct {
	Decision hook.Decision // the strictest: Deny, Ask, Allow, or Undecided
	Reason   string        // the reasons for the Decision, in order, one per line

	Stop       bool   // end the agent's work, whatever the Decision
	StopReason string // for the user
	Continue   string // at [Stop] and [SubagentStop]: the agent continues with this text; at [Start]: a prompt

	Input wire.Object // the complete arguments or request, with the host's names, changed or not
	// Result, if not nil, replaces the host's result. At [AfterTool] it is the tool's result. At [BeforeModel] and
	// [AfterModel] Data is the model's response. At [BeforeCompact] Text is the summary, and at [SubagentStop] the
	// answer.
	Result *ToolResult

	// Context has texts for the model, in order. LLxprt's system messages are in Context and in Messages, because
	// LLxprt adds them to the conversation. The warnings of failed hooks, and messages that come with a denial of
	// BeforeTool, are only in Messages.
	Context  []string
	Messages []string          // for the user, in order
	Env      map[string]string // at [Start]: variables for the commands that the host runs

	// SuppressOutput means that the output is hidden from the user, not from the model: at [BeforeTool] and [AfterTool]
	// the tool's result, at [AfterModel] the model's response. Claude Code's hooks do not set it, because their
	// suppressOutput hides the hook's own stdout: see [Report].SuppressOutput.
	SuppressOutput bool

	// Preapproved means that an Allow skips the host's permission prompt, as in Claude Code. In LLxprt an allow only
	// means that the hook does not object.
	Preapproved bool

	Reports   []Report // one for each hook that was started, in order
	Conflicts []Conflict
}

// Denied reports whether the Decision is a denial. A Stop is not a denial.
func (v *Verdict) Denied() bool { return v.Decision == hook.Deny }

// Report is the outcome of one hook run.
type Report struct {
	Dialect string // the dialect's name, such as claude, or host for hooks of the program itself
	Event   string // the dialect's name of the event
	Hook    string // the hook's id
	Name    string // as configured; may be empty
	Command string
	File    string // file:line:column of its settings entry, or empty

	Outcome string // success, blocking, non_blocking_error, cancelled or backgrounded
	Exit    int    // exit status; -1 if a signal ended it
	Stdout  string
	Stderr  string
	Elapsed time.Duration
	Err     error    // reason why there is no answer; nil if the hook worked
	Notes   []string // parts of the answer that were invalid and ignored

	SuppressOutput bool // the answer has suppressOutput: in Claude Code, hide Stdout from the user
}

// report appends the reports of a result; outcome classifies each.
func report[Out any](p *dialectAnswer, res *hook.Result[Out], outcome func(*hook.Report[Out]) pipeline.Outcome) {
	dialect, all := p.s.hooks.dialects[p.dialect].name, make([]Report, len(res.Reports))
	for i := range res.Reports {
		r, to := &res.Reports[i], &all[i]
		h := r.Hook
		to.Dialect, to.Event, to.Hook, to.Name, to.Command = dialect, h.Event, h.ID, h.Name, h.Command
		if h.Position.File != "" {
			to.File = h.Position.String()
		}
		to.SuppressOutput = r.Output.Suppress
		to.Outcome, to.Elapsed, to.Err, to.Notes = string(outcome(r)), r.Elapsed, r.Err, r.Notes
		if r.Reply != nil {
			to.Exit, to.Stdout, to.Stderr = r.Reply.Exit, wire.Valid(r.Reply.Stdout), wire.Valid(r.Reply.Stderr)
		}
	}
	p.Reports = joined(p.Reports, all)
}

// word maps a hook's decision to a decision of a Verdict. A deferred call becomes an Ask.
func word(d hook.Decision) hook.Decision {
	switch d {
	case hook.Deny, hook.Block:
		return hook.Deny
	case hook.Ask, hook.Defer:
		return hook.Ask
	case hook.Allow, hook.Approve:
		return hook.Allow
	}
	return hook.Undecided
}

// strictness lists the decisions of a Verdict from the mildest to the strictest.
var strictness = []hook.Decision{hook.Undecided, hook.Allow, hook.Ask, hook.Deny}

// stricter reports whether decision a is stricter than b.
func stricter(a, b hook.Decision) bool {
	return slices.Index(strictness, a) > slices.Index(strictness, b)
}

// add merges a dialect's answer into the answers before it.
func (v *Verdict) add(p *Verdict) {
	switch {
	case stricter(p.Decision, v.Decision):
		v.Decision, v.Reason = p.Decision, p.Reason
	case p.Decision == v.Decision && p.Reason != "":
		v.Reason = lines(v.Reason, p.Reason)
	}
	if p.Stop {
		v.Stop, v.StopReason = true, lines(v.StopReason, p.StopReason)
	}
	if p.Continue != "" {
		v.Continue = lines(v.Continue, p.Continue)
	}
	if p.Result != nil {
		v.Result = p.Result
	}
	if p.Env != nil {
		v.Env = lo.Assign(v.Env, p.Env)
	}
	v.Context, v.Messages = joined(v.Context, p.Context), joined(v.Messages, p.Messages)
	v.SuppressOutput = v.SuppressOutput || p.SuppressOutput
	v.Preapproved = v.Preapproved || p.Preapproved
	v.Reports = joined(v.Reports, p.Reports)
}

// joined appends more to all. If all is nil, it returns more without a copy.
func joined[T any](all, more []T) []T {
	if all == nil {
		return slices.Clip(more)
	}
	return append(all, more...)
}

// lines joins the texts that are not empty. A single text is not copied.
func lines(texts ...string) string {
	full := func(text string) bool { return text != "" }
	first := slices.IndexFunc(texts, full)
	switch {
	case first < 0:
		return ""
	case !slices.ContainsFunc(texts[first+1:], full):
		return texts[first]
	}
	return strings.Join(lo.Compact(texts), "\n")
}

// complete sets the fields that follow from the merged answer.
func (v *Verdict) complete() {
	if v.Stop {
		v.Continue = "" // Stop overrides Continue
	}
	v.Preapproved = v.Preapproved && v.Decision == hook.Allow
}

// refuse makes v a denial because of an error, so that nothing runs unguarded.
func (v *Verdict) refuse(err error) {
	v.Decision, v.Reason, v.Continue, v.Preapproved = hook.Deny, err.Error(), "", false
}

// denyAsk turns an Ask into a denial, for a session that cannot ask the user.
func (v *Verdict) denyAsk() {
	if v.Decision == hook.Ask {
		v.Decision = hook.Deny
		v.Reason = lines(v.Reason, "A hook wants to ask the user, but there is no user: the call is refused.")
	}
}
