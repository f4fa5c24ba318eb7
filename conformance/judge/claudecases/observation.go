package claudecases

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Observation is an engine's report of one fire: the observables of FORMAT.md by the same names,
// except those that the judge reads itself (hook.log, files, the requests to the scripted server,
// model and user).
//
// A nil field was not reported, and passes no expectation. An empty list is not nil. A field of
// type any may be any value that encodes to the JSON in question; an absent value is reported as
// [Null], or as a nil pointer.
type Observation struct {
	Blocked            *bool `json:"blocked,omitzero"` // false for events that cannot block
	PermissionDecision any   `json:"permissionDecision,omitzero"`
	PermissionBehavior any   `json:"permissionBehavior,omitzero"`
	Decision           any   `json:"decision,omitzero"`
	Reason             any   `json:"reason,omitzero"` // the reason of the winning decision
	UpdatedInput       any   `json:"updatedInput,omitzero"`
	UpdatedPermissions any   `json:"updatedPermissions,omitzero"`
	Interrupt          any   `json:"interrupt,omitzero"`

	AdditionalContext []string `json:"additionalContext,omitzero"` // after capping
	Spilled           *bool    `json:"spilled,omitzero"`           // whether a text was moved to a file
	SystemMessages    []string `json:"systemMessages,omitzero"`    // messages that the user gets
	Continue          *bool    `json:"continue,omitzero"`
	StopReason        any      `json:"stopReason,omitzero"`
	Errors            *int     `json:"errors,omitzero"` // number of notices of errors that do not block

	// The next two fields hold all texts that the model or the user sees, including contexts and system messages.
	ModelSees []string `json:"model_sees,omitzero"`
	UserSees  []string `json:"user_sees,omitzero"`

	PromptErased           any `json:"promptErased,omitzero"`
	SuppressOriginalPrompt any `json:"suppressOriginalPrompt,omitzero"`
	SessionTitle           any `json:"sessionTitle,omitzero"`
	InitialUserMessage     any `json:"initialUserMessage,omitzero"`
	WatchPaths             any `json:"watchPaths,omitzero"`
	ReloadSkills           any `json:"reloadSkills,omitzero"`
	UpdatedToolOutput      any `json:"updatedToolOutput,omitzero"`
	DisplayContent         any `json:"displayContent,omitzero"`
	WorktreePath           any `json:"worktreePath,omitzero"`
	Retry                  any `json:"retry,omitzero"`
	Elicitation            any `json:"elicitation,omitzero"` // action, and content if there is any
	TerminalSequence       any `json:"terminalSequence,omitzero"`

	Hooks []HookRun `json:"hooks,omitzero"` // the hooks that the engine tried to run

	// The environment for later commands: either the files that the hooks received, in the order
	// of the hooks, for bash to read; or the variables.
	EnvFiles   []string          `json:"env_files,omitzero"`
	EnvExports map[string]string `json:"env_exports,omitzero"`

	// Elapsed is the time of the fire alone; zero means the time of [Engine.Fire].
	Elapsed time.Duration `json:"-"`
}

// HookRun is one hook that the engine tried to run.
type HookRun struct {
	Command string `json:"command"` // empty if the hook is not a command
	Outcome string `json:"outcome"` // success, blocking, non_blocking_error, cancelled or backgrounded
	Error   string `json:"error,omitzero"`
}

// label returns the name that cases use for a hook.
func (h HookRun) label() string {
	return strings.TrimSuffix(filepath.Base(h.Command), ".sh")
}

// Background is the report of all background hooks since the engine was opened. As in an
// [Observation], a nil field was not reported.
type Background struct {
	NextTurnContext []string `json:"next_turn_context,omitzero"` // for the model, at the next turn
	Rewake          []string `json:"rewake,omitzero"`            // texts that wake the model, in order
	UserSees        []string `json:"user_sees,omitzero"`
}

// Null reports that a value is absent.
var Null = jsontext.Value("null")

// members returns the reported members of v, by name.
func members(v any) (map[string]jsontext.Value, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var seen map[string]jsontext.Value
	return seen, json.Unmarshal(text, &seen)
}
