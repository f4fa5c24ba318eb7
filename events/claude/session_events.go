package claude

import (
	"errors"
	"fmt"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// envFile is the variable that names the file to which a hook exports variables (C85).
const envFile = "CLAUDE_ENV_FILE"

// SessionStart fires when a session begins, or goes on after a break (C58). Output of hooks goes
// to the model; nothing blocks.
var SessionStart *pipeline.Event[SessionStartInput, SessionStartOutput] = declare(traits{
	kinds: commands | tools, reason: user,
}, addOpening, pipeline.Spec[SessionStartInput, SessionStartOutput]{
	Name:        "SessionStart",
	Doc:         "when a session begins, or goes on after a break",
	Can:         pipeline.CanStop | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Text: hook.TextContext, EnvFile: envFile},
	Subject:     func(s *SessionStartInput) *string { return &s.Source },
	SubjectName: "source",
	Forget:      func(s *SessionStartInput) bool { return s.Source == "clear" || s.Source == "resume" },
	Refine:      refineOpening,
})

// Setup fires when a repository is initialised or maintained (C59). Output of hooks goes to the
// model; nothing blocks.
var Setup *pipeline.Event[SetupInput, SetupOutput] = declare(traits{
	kinds: commands | tools, reason: user, baseText: true,
}, nil, pipeline.Spec[SetupInput, BasicOutput]{
	Name:        "Setup",
	Doc:         "when a repository is initialised or maintained",
	Can:         pipeline.CanStop | pipeline.CanAddContext,
	Rules:       pipeline.Rules{Text: hook.TextContext, EnvFile: envFile},
	Subject:     func(m *SetupInput) *string { return &m.Trigger },
	SubjectName: "trigger",
})

// SessionEnd fires when a session ends. All hooks together have 1.5 seconds, so that the user can leave soon (C60).
var SessionEnd *pipeline.Event[SessionEndInput, SessionEndOutput] = declare(traits{
	kinds: outside, reason: user, silent: true,
}, nil, pipeline.Spec[SessionEndInput, BasicOutput]{
	Name:        "SessionEnd",
	Doc:         "when a session ends",
	Refine:      explainEnd,
	Rules:       pipeline.Rules{Timeout: sessionEnd, Budget: true},
	Subject:     func(e *SessionEndInput) *string { return &e.Reason },
	SubjectName: "reason",
})

// explainEnd makes a hook's timeout error say that all hooks of SessionEnd share one limit.
func explainEnd(s *pipeline.Session, _ *SessionEndInput, r *hook.Report[BasicOutput]) {
	if late := new(hook.TimeoutError); errors.As(r.Err, &late) {
		budget, ok := s.Setting(endBudget{}).(time.Duration)
		if !ok {
			budget = sessionEnd
		}
		r.Err = &hook.Error{Hook: r.Hook, Err: &endError{late, max(budget, late.After)}}
	}
}

// endBudget is the key of a setting: the time limit of all SessionEnd hooks together, a time.Duration.
type endBudget struct{}

// endError is the timeout of a SessionEnd hook.
type endError struct {
	*hook.TimeoutError
	budget time.Duration
}

func (e *endError) Error() string {
	return fmt.Sprintf(
		"%v; all hooks of SessionEnd together have %v, and CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS sets another time in milliseconds",
		e.TimeoutError, e.budget,
	)
}

// Unwrap returns the timeout.
func (e *endError) Unwrap() error { return e.TimeoutError }

// sessionEnd limits the time of all SessionEnd hooks together, unless the settings set another limit (C60).
const sessionEnd = 1500 * time.Millisecond

// CwdChanged fires when the agent has changed its directory (C70).
var CwdChanged *pipeline.Event[CwdChangedInput, CwdChangedOutput] = declare(traits{
	kinds: outside, reason: user, noContinue: true,
}, addWatch, pipeline.Spec[CwdChangedInput, FileChangedOutput]{
	Name:  "CwdChanged",
	Doc:   "when the agent has changed its directory",
	Rules: pipeline.Rules{EnvFile: envFile},
})

// FileChanged fires when a watched file has changed on disk (C70).
var FileChanged *pipeline.Event[FileChangedInput, FileChangedOutput] = declare(traits{
	kinds: outside, reason: user, noContinue: true, narrow: true,
}, addWatch, pipeline.Spec[FileChangedInput, FileChangedOutput]{
	Name:        "FileChanged",
	Doc:         "when a watched file has changed on disk",
	Rules:       pipeline.Rules{EnvFile: envFile, Match: matchFile},
	Subject:     func(f *FileChangedInput) *string { return &f.Path },
	SubjectName: "the last element of file_path",
})

// ConfigChange fires when a settings file has changed (C68). A block keeps the change from
// applying, unless a policy has changed; the reason is not shown.
var ConfigChange *pipeline.Event[ConfigChangeInput, ConfigChangeOutput] = declare(traits{
	kinds: outside, decides: true, noContinue: true, noMessage: true,
}, nil, pipeline.Spec[ConfigChangeInput, BasicOutput]{
	Name:        "ConfigChange",
	Doc:         "when a settings file has changed during a session",
	Can:         pipeline.CanBlock,
	Subject:     func(c *ConfigChangeInput) *string { return &c.Source },
	SubjectName: "source",
	Refine:      refineChange,
})

// InstructionsLoaded fires when a file with instructions has been loaded (C69). Its hooks only
// observe.
var InstructionsLoaded *pipeline.Event[InstructionsLoadedInput, InstructionsLoadedOutput] = declare(traits{
	kinds: outside, silent: true, quiet: true,
}, nil, pipeline.Spec[InstructionsLoadedInput, BasicOutput]{
	Name:        "InstructionsLoaded",
	Doc:         "when a file with instructions has been loaded",
	Rules:       pipeline.Rules{Exits: ignoresTwo},
	Subject:     func(i *InstructionsLoadedInput) *string { return &i.Reason },
	SubjectName: "load_reason",
})

// DirectoryAdded fires when a directory has been added to a session (release 2.1.219). Every hook
// outside the process runs in the background.
var DirectoryAdded *pipeline.Event[DirectoryAddedInput, DirectoryAddedOutput] = declare(traits{
	kinds: outside, noContinue: true, quiet: true, neverWaits: true,
}, nil, pipeline.Spec[DirectoryAddedInput, BasicOutput]{
	Name:        "DirectoryAdded",
	Doc:         "when a directory has been added to a session",
	Subject:     func(d *DirectoryAddedInput) *string { return &d.Source },
	SubjectName: "source",
	Refine:      refineDirectory,
})

// WorktreeCreate fires when the agent needs a worktree; a hook creates it, in place of git, and
// returns its path (C71). If any hook fails, no worktree is created.
var WorktreeCreate *pipeline.Event[WorktreeCreateInput, WorktreeCreateOutput] = declare(traits{
	kinds: outside, reason: user, decides: true, lastLine: true,
}, addPath, pipeline.Spec[WorktreeCreateInput, WorktreeCreateOutput]{
	Name:   "WorktreeCreate",
	Doc:    "when a worktree is wanted; a hook makes it and names its path",
	Can:    pipeline.CanBlock,
	Rules:  pipeline.Rules{Exits: everyStatus, FailClosed: true},
	Refine: refinePath,
})

// WorktreeRemove fires when a worktree is removed (C71).
var WorktreeRemove *pipeline.Event[WorktreeRemoveInput, WorktreeRemoveOutput] = declare(traits{
	kinds: outside, silent: true, quiet: true,
}, nil, pipeline.Spec[WorktreeRemoveInput, BasicOutput]{
	Name: "WorktreeRemove",
	Doc:  "when a worktree is removed",
})

// PreCompact fires before the conversation is compacted (C72). A block prevents the compaction; if
// the user asked for the compaction, the user sees the reason.
var PreCompact *pipeline.Event[PreCompactInput, PreCompactOutput] = declare(traits{
	kinds: outside, reason: user, decides: true, noContinue: true, noMessage: true,
}, nil, pipeline.Spec[PreCompactInput, BasicOutput]{
	Name:        "PreCompact",
	Doc:         "before the conversation is compacted",
	Can:         pipeline.CanBlock,
	Subject:     func(c *PreCompactInput) *string { return &c.Trigger },
	SubjectName: "trigger",
	Refine:      refineCompaction,
})

// PostCompact fires when the conversation has been compacted (C72).
var PostCompact *pipeline.Event[PostCompactInput, PostCompactOutput] = declare(traits{
	kinds: outside, reason: user, noContinue: true, noMessage: true,
}, nil, pipeline.Spec[PostCompactInput, BasicOutput]{
	Name:        "PostCompact",
	Doc:         "when the conversation has been compacted",
	Subject:     func(c *PostCompactInput) *string { return &c.Trigger },
	SubjectName: "trigger",
})
