package xcsh

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// The events of a session (X20). Handlers of a SessionBefore event can cancel: the first handler that cancels ends the
// fire. If no handler cancels, the last result is used, as a whole. A handler that fails does not cancel.
var (
	SessionStart *Notice[SessionStartEvent] = notice[SessionStartEvent](
		"session_start", "once the session is ready")
	SessionBeforeSwitch *Event[SessionBeforeSwitchEvent, SessionBeforeSwitchResult] = before[
		SessionBeforeSwitchEvent, SessionBeforeSwitchResult,
	]("session_before_switch", "before another session takes the place of this one")
	SessionSwitch *Notice[SessionSwitchEvent] = notice[SessionSwitchEvent](
		"session_switch", "when another session has taken the place of this one")
	SessionBeforeBranch *Event[SessionBeforeBranchEvent, SessionBeforeBranchResult] = before[
		SessionBeforeBranchEvent, SessionBeforeBranchResult,
	]("session_before_branch", "before a session branches off")
	SessionBranch *Notice[SessionBranchEvent] = notice[SessionBranchEvent](
		"session_branch", "when a session has branched off")

	SessionBeforeCompact *Event[SessionBeforeCompactEvent, SessionBeforeCompactResult] = before[
		SessionBeforeCompactEvent, SessionBeforeCompactResult,
	]("session_before_compact", "before the conversation is compacted")

	// SessionCompacting fires while a compaction is prepared. Handlers cannot cancel it; the last
	// result is used, as a whole.
	SessionCompacting *Event[SessionCompactingEvent, SessionCompactingResult] = declare(
		pipeline.Spec[SessionCompactingEvent, SessionCompactingResult]{
			Name:   "session.compacting",
			Doc:    "while the conversation is being compacted, before the model is asked for a summary",
			Can:    pipeline.CanAddContext,
			Reduce: reducers.LastWhole[SessionCompactingResult](nil),
		}, nil)

	SessionCompact *Notice[SessionCompactEvent] = notice[SessionCompactEvent](
		"session_compact", "when the conversation has been compacted")
	SessionBeforeTree *Event[SessionBeforeTreeEvent, SessionBeforeTreeResult] = before[
		SessionBeforeTreeEvent, SessionBeforeTreeResult,
	]("session_before_tree", "before the session moves to another place in its tree")
	SessionTree *Notice[SessionTreeEvent] = notice[SessionTreeEvent](
		"session_tree", "when the session has moved to another place in its tree")
	SessionShutdown *Notice[SessionShutdownEvent] = notice[SessionShutdownEvent](
		"session_shutdown", "at the beginning of the closing of a session")
)

// before declares an event that handlers can cancel.
func before[E any, R any, P interface {
	*R
	cancel() *bool
}](name, doc string) *Event[E, R] {
	return declare(pipeline.Spec[E, R]{
		Name: name, Doc: doc, Can: pipeline.CanBlock, Reduce: reducers.LastWhole[R](nil),
		Refine: upheld[E](func(r *R, _ string) { *P(r).cancel() = true }),
	}, func(r *R) (stops bool, reason string) { return *P(r).cancel(), "" })
}

// upheld returns a Refine for results of gates. If a policy turns a handler's failure into a block, this Refine sets
// the refusal in the result, because hosts check the result.
func upheld[E, R any](refuse func(r *R, reason string)) func(*pipeline.Session, *E, *hook.Report[R]) {
	return func(_ *pipeline.Session, _ *E, r *hook.Report[R]) {
		if r.Hook.Policy != nil && r.Err != nil && r.Output.Decision.Blocks() {
			refuse(&r.Output.Specific, r.Output.Reason)
			r.Output.Set |= hook.SetSpecific
		}
	}
}

// SessionStartEvent has no members.
type SessionStartEvent struct{}

// SessionBeforeSwitchEvent holds the reason, and the file of the next session if that is known.
type SessionBeforeSwitchEvent struct {
	Reason            string `json:"reason"` // "new", "resume", "fork"
	TargetSessionFile string `json:"targetSessionFile,omitzero"`
}

// SessionBeforeSwitchResult can prevent the switch.
type SessionBeforeSwitchResult struct {
	Cancel bool `json:"cancel,omitzero"`
}

func (r *SessionBeforeSwitchResult) cancel() *bool { return &r.Cancel }

// SessionSwitchEvent holds the reason, and the file of the previous session.
type SessionSwitchEvent struct {
	Reason              string `json:"reason"`
	PreviousSessionFile string `json:"previousSessionFile,omitzero"`
}

// SessionBeforeBranchEvent names the user's message from which to branch off.
type SessionBeforeBranchEvent struct {
	EntryID string `json:"entryId"`
}

// SessionBeforeBranchResult can prevent the branch, or keep the messages in memory as they are.
type SessionBeforeBranchResult struct {
	Cancel                  bool `json:"cancel,omitzero"`
	SkipConversationRestore bool `json:"skipConversationRestore,omitzero"`
}

func (r *SessionBeforeBranchResult) cancel() *bool { return &r.Cancel }

// SessionBranchEvent names the file of the previous session.
type SessionBranchEvent struct {
	PreviousSessionFile string `json:"previousSessionFile,omitzero"`
}

// SessionBeforeCompactEvent holds the entries to be summarised. Handlers that take long have to
// return when ctx ends.
type SessionBeforeCompactEvent struct {
	Preparation        CompactionPreparation `json:"preparation"`
	BranchEntries      []Entry               `json:"branchEntries"` // from the root to the leaf
	CustomInstructions string                `json:"customInstructions,omitzero"`
}

// CompactionPreparation is the host's plan of a compaction.
type CompactionPreparation struct {
	FirstKeptEntryID     string         `json:"firstKeptEntryId"`
	MessagesToSummarize  []Message      `json:"messagesToSummarize"`
	TurnPrefixMessages   []Message      `json:"turnPrefixMessages"`
	RecentMessages       []Message      `json:"recentMessages"`
	IsSplitTurn          bool           `json:"isSplitTurn"`
	TokensBefore         int            `json:"tokensBefore"`
	PreviousSummary      string         `json:"previousSummary,omitzero"`
	PreviousPreserveData wire.Object    `json:"previousPreserveData,omitzero"`
	FileOps              jsontext.Value `json:"fileOps,omitzero"`
	Settings             jsontext.Value `json:"settings,omitzero"`
}

// SessionBeforeCompactResult can cancel, or return a compaction that is used as it is: no model is
// asked, and SessionCompacting does not fire.
type SessionBeforeCompactResult struct {
	Cancel     bool        `json:"cancel,omitzero"`
	Compaction *Compaction `json:"compaction,omitzero"`
}

func (r *SessionBeforeCompactResult) cancel() *bool { return &r.Cancel }

// Compaction is a summary that replaces the messages before an entry.
type Compaction struct {
	Summary          string         `json:"summary"`
	ShortSummary     string         `json:"shortSummary,omitzero"`
	FirstKeptEntryID string         `json:"firstKeptEntryId"`
	TokensBefore     int            `json:"tokensBefore"`
	Details          jsontext.Value `json:"details,omitzero"`
	PreserveData     wire.Object    `json:"preserveData,omitzero"`
}

// SessionCompactingEvent holds the messages that the model will be asked to summarise.
type SessionCompactingEvent struct {
	SessionID string    `json:"sessionId"`
	Messages  []Message `json:"messages"`
}

// SessionCompactingResult adds to the request for a summary.
type SessionCompactingResult struct {
	Context      []string    `json:"context,omitzero"`
	Prompt       string      `json:"prompt,omitzero"`       // replaces the host's own
	PreserveData wire.Object `json:"preserveData,omitzero"` // members that the summariser sets take precedence
}

// SessionCompactEvent holds the entry that was saved.
type SessionCompactEvent struct {
	CompactionEntry Entry `json:"compactionEntry"`
	FromExtension   bool  `json:"fromExtension"`
}

// SessionBeforeTreeEvent holds the plan of the move.
type SessionBeforeTreeEvent struct {
	Preparation TreePreparation `json:"preparation"`
}

// TreePreparation is the host's plan of a move in the tree.
type TreePreparation struct {
	TargetID           string  `json:"targetId"`
	OldLeafID          *string `json:"oldLeafId"`
	CommonAncestorID   *string `json:"commonAncestorId"`
	EntriesToSummarize []Entry `json:"entriesToSummarize"`
	UserWantsSummary   bool    `json:"userWantsSummary"`
}

// SessionBeforeTreeResult can cancel, or return the summary of the entries that leave the branch,
// which is used only if the user wants one.
type SessionBeforeTreeResult struct {
	Cancel  bool         `json:"cancel,omitzero"`
	Summary *TreeSummary `json:"summary,omitzero"`
}

func (r *SessionBeforeTreeResult) cancel() *bool { return &r.Cancel }

// TreeSummary is a summary of entries that are no longer on the branch.
type TreeSummary struct {
	Summary string         `json:"summary"`
	Details jsontext.Value `json:"details,omitzero"`
}

// SessionTreeEvent holds the new position of the session in its tree.
type SessionTreeEvent struct {
	NewLeafID     *string `json:"newLeafId"`
	OldLeafID     *string `json:"oldLeafId"`
	SummaryEntry  *Entry  `json:"summaryEntry,omitzero"`
	FromExtension bool    `json:"fromExtension,omitzero"`
}

// SessionShutdownEvent has no members.
type SessionShutdownEvent struct{}

// Nothing is the result of an event whose handlers only observe.
type Nothing struct{}

// gave reports whether an answer has a result of the event's own type.
func gave[R any](o *hook.Output[R]) bool { return o.Set.Has(hook.SetSpecific) }
