package claude

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/internal/errorline"
	"github.com/snaphook-go/snaphook/wire"
)

// Texts holds the texts of one fire by audience (release 2.1.239), each list in plan order. Log has the texts that
// reach neither the model nor the user.
type Texts struct {
	Model []string
	User  []string
	Log   []string
}

// Effects lists everything that a caller has to apply after a fire. Members that the event does
// not have are null, and lists empty.
type Effects struct {
	PermissionDecision *hook.Decision `json:"permissionDecision"` // from PreToolUse and PreModelSwitch
	PermissionBehavior *string        `json:"permissionBehavior"` // from PermissionRequest
	// block, if an answer has "decision": "block", or a hook blocked an event that this decision can block
	Decision *hook.Decision `json:"decision"`
	Reason   *string        `json:"reason"`

	UpdatedInput       jsontext.Value `json:"updatedInput"`
	UpdatedPermissions *[]wire.Object `json:"updatedPermissions"`
	Interrupt          *bool          `json:"interrupt"`
	UpdatedToolOutput  jsontext.Value `json:"updatedToolOutput"`
	ClassifierContext  *string        `json:"classifierContext"`

	AdditionalContext []string `json:"additionalContext"`
	SystemMessages    []string `json:"systemMessages"`
	Continue          bool     `json:"continue"`
	StopReason        *string  `json:"stopReason"`
	// hooks that failed without a block, and of which the user gets a notice; timeouts and lost denials do not
	// count
	Errors    int      `json:"errors"`
	ModelSees []string `json:"model_sees"`
	UserSees  []string `json:"user_sees"`
	Lifted    *string  `json:"lifted"` // the reason why a block has no effect

	PromptErased           *bool           `json:"promptErased"`
	SuppressOriginalPrompt *bool           `json:"suppressOriginalPrompt"`
	SessionTitle           *string         `json:"sessionTitle"`
	InitialUserMessage     *string         `json:"initialUserMessage"`
	WatchPaths             *[]string       `json:"watchPaths"`
	ReloadSkills           *bool           `json:"reloadSkills"`
	DisplayContent         *string         `json:"displayContent"`
	WorktreePath           *string         `json:"worktreePath"`
	Retry                  *bool           `json:"retry"`
	Elicitation            *ElicitedAnswer `json:"elicitation"`
	TerminalSequence       *string         `json:"terminalSequence"`
	Spilled                bool            `json:"spilled"` // a text was cut; see [CommonOutput.Kept]
}

// ElicitedAnswer is the answer that an MCP server gets in place of the user's.
type ElicitedAnswer struct {
	Action  string      `json:"action"`
	Content wire.Object `json:"content,omitzero"`
}

// effected is an event's own part of an answer, if that part has effects.
type effected interface{ effects(*Effects) }

// EffectsOf returns everything that a caller has to apply after a fire. It is for tools, and for hosts that treat all
// events alike. A host that knows the event can use the result's fields and [TextsOf].
func EffectsOf[Out any, O interface {
	*Out
	commonOut
}](res *hook.Result[Out]) *Effects {
	o := common.Of(&res.Restore().Output)
	return effectsOf(&o, res.OverriddenBlock, common.ReportsOf(res.Reports), O(&res.Specific), TextsOf(res))
}

func effectsOf(o *common.Output, lifted string, reports []common.Report, part commonOut, texts Texts) *Effects {
	own := part.own()
	e := &Effects{
		Reason:   some(o.Reason),
		Continue: !o.Stop,
		Errors: lo.CountBy(reports, func(r common.Report) bool {
			return reported(&r) && !timedOut(r.Err) && !isLostDenial(r.Err)
		}),
		ModelSees:        nonNil(texts.Model),
		UserSees:         nonNil(texts.User),
		Lifted:           some(lifted),
		TerminalSequence: some(own.TerminalSequence),
		Spilled:          len(own.Kept) > 0,
		AdditionalContext: lo.FilterMap(reports, func(r common.Report, _ int) (string, bool) {
			return r.Output.Context, r.Output.Context != "" && !r.Backgrounded
		}),
		SystemMessages: lo.FilterMap(reports, func(r common.Report, _ int) (string, bool) {
			return r.Output.Message, r.Output.Message != "" && !r.Backgrounded
		}),
	}
	if o.Stop {
		e.StopReason = some(o.StopReason)
	}
	if lo.SomeBy(reports, func(r common.Report) bool { return answeredBlock(&r) }) {
		e.Decision = lo.ToPtr(hook.Block)
	}
	if len(reports) > 0 && traitsOf(reports[0].Hook.Event).erases {
		e.PromptErased = lo.ToPtr(o.Decision.Blocks())
	}
	if own, ok := part.(effected); ok {
		own.effects(e)
	}
	if e.PermissionDecision == nil && lo.SomeBy(reports, func(r common.Report) bool { return blocksPlainly(&r) }) {
		e.Decision = lo.ToPtr(hook.Block)
	}
	return e
}

// answeredBlock reports whether a hook blocked by the word "block" in its answer, and not by its
// exit status.
func answeredBlock(r *common.Report) bool {
	word := wire.Object(r.Output.Raw).Text("decision")
	return r.Output.Decision.Blocks() && word == string(hook.Block) ||
		r.Reply == nil && r.Err == nil && r.Output.Decision == hook.Block ||
		r.Reply != nil && r.Reply.Merged && r.Output.Decision.Blocks()
}

// blocksPlainly reports whether a hook blocked at an event that can be blocked by the common member "decision".
func blocksPlainly(r *common.Report) bool {
	t := table[r.Hook.Event]
	return r.Output.Decision.Blocks() && t != nil && t.decides && t.blocks
}

// failed reports whether a hook failed and blocked nothing.
func failed(r *common.Report) bool { return r.Err != nil && !r.Output.Decision.Blocks() }

// reported reports whether the user gets a notice that a hook failed.
func reported(r *common.Report) bool { return failed(r) && !traitsOf(r.Hook.Event).quiet }

// isLostDenial reports whether a hook failed because its output has a denial that the original system would not read.
func isLostDenial(err error) bool {
	lost, is := errorAs[*hook.UnreadError](err)
	return is && lost.Denies
}

func timedOut(err error) bool {
	_, late := errorAs[*hook.TimeoutError](err)
	return late
}

// TextsOf sorts the texts of a result by audience.
func TextsOf[Out any](res *hook.Result[Out]) (t Texts) {
	for i := range res.Restore().Reports {
		if r := &res.Reports[i]; !r.Backgrounded {
			own, ok := any(&r.Output.Specific).(commonOut)
			c := common.ReportOf(r)
			t.add(of(&c, ok && own.own().hideReason))
		}
	}
	if res.OverriddenBlock != "" {
		t.User = append(t.User, res.OverriddenBlock)
	}
	return t
}

func (t *Texts) add(more Texts) {
	t.Model, t.User, t.Log = append(t.Model, more.Model...), append(t.User, more.User...), append(t.Log, more.Log...)
}

// of returns the texts of one hook.
func of(r *common.Report, hideReason bool) (t Texts) {
	o := &r.Output
	t.give(model, o.Context)
	t.give(user, o.Message)
	if o.Stop {
		t.give(user, o.StopReason)
	}
	switch {
	case o.Decision.Blocks() && o.Stop && o.Reason == o.StopReason: // StopReason is already in the texts for the user
	case o.Decision.Blocks():
		to := traitsOf(r.Hook.Event).reason
		if hideReason {
			to = logOnly
		}
		t.give(to, o.Reason)
	case o.Decision != "":
		t.give(user, o.Reason) // the reason of the permission, or the question to the user
	}
	switch {
	case inVain(r):
		t.give(user, notice(r.Hook, &hook.ExitError{Reply: r.Reply}, r.Reply))
	case reported(r):
		t.give(user, notice(r.Hook, r.Err, r.Reply))
	case failed(r):
		t.give(logOnly, notice(r.Hook, r.Err, r.Reply))
	case r.Reply != nil && o.Context == "":
		t.give(logOnly, plain(r.Reply.Stdout))
		t.give(logOnly, plain(r.Reply.Stderr))
	}
	t.Log = append(t.Log, r.Notes...)
	return t
}

// inVain reports whether a hook exited with status 2 at an event that can be blocked, but not by that status.
func inVain(r *common.Report) bool {
	t := traitsOf(r.Hook.Event)
	return t.blocks && !t.exitTwoDenies && r.Reply != nil && r.Reply.Signal == nil && r.Reply.Exit == 2 &&
		r.Output.Decision == ""
}

func (t *Texts) give(to audience, text string) {
	list := map[audience]*[]string{model: &t.Model, user: &t.User, logOnly: &t.Log}[to]
	*list = appendText(*list, text)
}

// notice returns the notice of a failed hook for the user: its name, and the line of standard error with the error.
func notice(h *hook.Hook, err error, reply *hook.Reply) string {
	var exit *hook.ExitError
	var own *hook.Error
	if errors.As(err, &own) {
		err = own.Err
	}
	if errors.As(err, &exit) && reply != nil {
		line := errorline.Of(wire.Valid(reply.Stderr))
		return fmt.Sprintf("%s hook error: %s: %s", shortLabel(h), exit, cmp.Or(line, "no message on standard error"))
	}
	return fmt.Sprintf("%s hook error: %v", shortLabel(h), err)
}

// shortLabel names a hook in one line. It shortens a long line in the middle, because a path ends with the name of the
// script.
func shortLabel(h *hook.Hook) string {
	const begin, end = 36, 36
	line, _, more := strings.Cut(strings.TrimSpace(h.Label()), "\n")
	if runes := []rune(line); len(runes) > begin+end {
		line = string(runes[:begin]) + "…" + string(runes[len(runes)-end:])
	}
	if more {
		return line + "…"
	}
	return line
}

func plain(b []byte) string { return wire.Valid(wire.Trim(b)) }

func some(s string) *string { return lo.EmptyableToPtr(s) }

// list returns a pointer to l, or nil if l is nil. The pointer to an empty list is not nil.
func list[T any](l []T) *[]T {
	if l == nil {
		return nil
	}
	return &l
}

func nonNil(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
