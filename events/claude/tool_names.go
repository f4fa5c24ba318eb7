package claude

import (
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/permission"
	"github.com/snaphook-go/snaphook/match"
)

// toolNames groups all names that each tool has had (C15, C20). Matchers and conditions accept any name of a group, so
// that renaming a tool does not disable a guard.
var toolNames = match.Renamed{
	{"Agent", "Task"},
	{"TaskStop", "KillShell"},
	{"TaskOutput", "AgentOutputTool", "BashOutputTool"},
}

// toolSubject is the name of the subject of tool events.
const toolSubject = "tool_name"

// ifRule is the "if" of a hook.
type ifRule struct{ *permission.Rule }

// Holds reports whether the rule matches the call under any name of its tool.
func (c ifRule) Holds(d hook.ConditionInput) bool {
	holds := func(tool string) bool {
		return c.Match(permission.Call{Tool: tool, Input: d.Input, Dir: d.Dir})
	}
	return holds(d.Tool) || slices.ContainsFunc(toolNames.Of(d.Tool), holds)
}
