package claude

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
)

// Each refine function of this file adjusts the answers of one event, or of two similar events.

// refineGate unifies the different ways to write a permission. A deferred call is resumed later with its original
// arguments, and only in a session without a user (release 2.1.239).
func refineGate[In any](s *pipeline.Session, _ *In, r *hook.Report[PreToolUseOutput]) {
	o := &r.Output
	o.Decision = permissions[o.Decision]
	switch {
	case o.Decision != hook.Defer:
	case s.Interactive():
		r.Notes = append(r.Notes, `"defer" has no effect while there is a user to ask; the answer does not count`)
		*o = hook.Output[PreToolUseOutput]{Set: hook.SetAnswer, Raw: o.Raw}
	default:
		o.Reason, o.Context, o.Specific.UpdatedInput = "", "", nil
	}
	o.Specific.PermissionDecision, o.Specific.PermissionDecisionReason = o.Decision, o.Reason
}

// refineSwitch unifies permissions for PreModelSwitch; in a session without a user, ask is a denial.
func refineSwitch(s *pipeline.Session, _ *PreModelSwitchInput, r *hook.Report[PreModelSwitchOutput]) {
	o := &r.Output
	if o.Decision = permissions[o.Decision]; o.Decision == hook.Ask && !s.Interactive() {
		o.Decision = hook.Deny
	}
	o.Specific.PermissionDecision, o.Specific.PermissionDecisionReason = o.Decision, o.Reason
}

// refinePermission makes the permission object decide alone. A command's exit status and top-level decision have no
// effect. The common decision of a Go function, or of a hook that failed closed, counts as the permission.
func refinePermission(_ *pipeline.Session, _ *PermissionRequestInput, r *hook.Report[PermissionRequestOutput]) {
	o := &r.Output
	common, own := permissions[o.Decision], o.Specific.Decision
	switch {
	case own != nil && (own.Behavior == "deny" || common != hook.Deny):
	case common != hook.Deny && common != hook.Allow:
		if common != "" {
			r.Notes = append(
				r.Notes,
				fmt.Sprintf("decision %q has no effect on PermissionRequest; allow or deny", common),
			)
		}
	case r.Reply == nil || r.Err != nil:
		o.Specific.Decision = &Grant{Behavior: string(common), Message: o.Reason}
	default:
		r.Notes = append(
			r.Notes,
			"a top-level decision has no effect on PermissionRequest; use hookSpecificOutput.decision",
		)
	}
	o.Decision, o.Reason = "", ""
	o.Specific.decide(&o.Decision, &o.Reason)
}

// refineEdit copies the older field to the newer one, for the tools of MCP servers.
func refineEdit(_ *pipeline.Session, in *PostToolUseInput, r *hook.Report[PostToolUseOutput]) {
	e := &r.Output.Specific
	if e.UpdatedMCPToolOutput == nil {
		return
	}
	if !strings.HasPrefix(in.Name, "mcp__") {
		r.Notes = append(
			r.Notes,
			"updatedMCPToolOutput has no effect on "+in.Name+", which is not an MCP tool; write updatedToolOutput",
		)
		return
	}
	if e.UpdatedToolOutput == nil {
		e.UpdatedToolOutput = e.UpdatedMCPToolOutput
	}
}

// refineOpening removes the title unless the source is startup, resume or fork: with any other source the session
// already has a title.
func refineOpening(_ *pipeline.Session, in *SessionStartInput, r *hook.Report[SessionStartOutput]) {
	switch in.Source {
	case "startup", "resume", "fork":
	default:
		r.Output.Specific.SessionTitle = ""
	}
}

// refineReply makes exit status 2 a refusal, and removes all other members of such an answer.
func refineReply[In any](_ *pipeline.Session, _ *In, r *hook.Report[ElicitationOutput]) {
	if o := &r.Output; o.Decision.Blocks() {
		o.Context, o.Specific = "", ElicitationOutput{CommonOutput: o.Specific.CommonOutput, Action: "decline"}
	}
}

// replyBlocks reports whether the answer prevents the requested input.
func replyBlocks(o *hook.Output[ElicitationOutput]) bool {
	return o.Decision.Blocks() || o.Specific.Action == "decline" || o.Specific.Action == "cancel"
}

// refineChange removes the block if a policy has changed: policies always apply.
func refineChange(_ *pipeline.Session, in *ConfigChangeInput, r *hook.Report[BasicOutput]) {
	if in.Source != "policy_settings" {
		return
	}
	if r.Output.Decision.Blocks() {
		r.Notes = append(r.Notes, "the denial has no effect: policies apply whatever hooks say")
	}
	r.Output.Decision, r.Output.Reason = "", ""
}

// refineDisplay removes the text of a hook that refuses.
func refineDisplay(_ *pipeline.Session, _ *MessageDisplayInput, r *hook.Report[MessageDisplayOutput]) {
	if r.Output.Decision.Blocks() {
		r.Output.Specific.DisplayContent = nil
	}
}

// refineCompaction hides the reason from the user, unless the user requested the compaction.
func refineCompaction(_ *pipeline.Session, in *PreCompactInput, r *hook.Report[BasicOutput]) {
	r.Output.Specific.hideReason = in.Trigger == "auto"
}

// refineDirectory removes the message of a hook, which the model would get, when the program itself adds a directory.
func refineDirectory(_ *pipeline.Session, in *DirectoryAddedInput, r *hook.Report[BasicOutput]) {
	if in.Source != "slash_command" {
		r.Output.Message = ""
	}
}

// refinePath checks the path of the worktree, and denies without a valid one (release 2.1.216).
func refinePath(s *pipeline.Session, in *WorktreeCreateInput, r *hook.Report[WorktreeCreateOutput]) {
	o := &r.Output
	if r.Backgrounded || o.Decision.Blocks() {
		return
	}
	dir := in.Cwd
	if dir == "" {
		dir = s.Dir()
	}
	at, err := worktree(dir, s.Dir(), o.Specific.WorktreePath)
	if err != nil {
		r.Answered, o.Decision, o.Reason = true, hook.Block, err.Error()
	}
	o.Specific.WorktreePath = at
}

// worktree makes the path that a hook gave absolute; a relative path is relative to dir.
func worktree(dir, project, given string) (string, error) {
	given = run.NativePath(given)
	switch {
	case given == "":
		return "", fmt.Errorf("the hook named no path for the worktree; print it as the last line")
	case !filepath.IsAbs(given) && os.IsPathSeparator(given[0]):
		return "", fmt.Errorf("the worktree's path %q has no drive; print the output of cygpath -w", given)
	case !filepath.IsAbs(given):
		return filepath.Join(dir, given), nil
	case filepath.Clean(given) != strings.TrimRight(filepath.FromSlash(given), string(filepath.Separator)):
		return "", fmt.Errorf("the worktree's path %q has \".\" or \"..\" in it; print a plain absolute path", given)
	}
	below, err := filepath.Rel(project, given)
	if err != nil || !filepath.IsLocal(below) {
		return given, nil
	}
	at := project
	for part := range strings.SplitSeq(below, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return "", fmt.Errorf(
				"the worktree's path %q goes through the link %q; print a path without links",
				given,
				at,
			)
		}
	}
	return given, nil
}

// fileName matches the last element of a path.
type fileName struct{ hook.Matcher }

// Match ignores the directories.
func (f fileName) Match(file string) bool {
	return f.Matcher.Match(path.Base(strings.ReplaceAll(file, `\`, "/")))
}

func matchFile(pattern string) (hook.Matcher, string) {
	m, note := match.List(pattern)
	if m == nil {
		return nil, note
	}
	return fileName{m}, note
}
