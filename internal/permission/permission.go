// Package permission implements the permission rules of Claude Code for the "if" of a hook: "Bash(git push
// *)", "Edit(src/**)", "mcp__memory".
//
// It follows the permission documentation of Claude Code 2.1.239; comments mark decisions on which the
// documentation is silent. In doubt a rule matches: one hook too many does less harm than a missing guard.
package permission

import (
	"slices"

	"github.com/snaphook-go/snaphook/wire"
)

// Origin describes the place where a rule was written.
type Origin struct {
	Root string // "/p" is a path below Root: the project's root for a rule in the project's settings, ~/.claude for a rule in the user's
	Home string // "~/p" is below Home
}

// Call is a call of a tool that is compared with rules.
type Call struct {
	Tool  string      // its canonical name
	Input wire.Object // tool_input
	Dir   string      // the session's current directory; relative paths count from it
}

// Rule is one permission rule; [Parse] makes it. It never changes, and may be
// used from many goroutines at once.
type Rule struct {
	text string
	tool wildcards // names of tools; the rule applies to each of them
	spec spec      // nil: every call of the tool
}

// spec is the part of a rule in parentheses.
type spec interface{ match(Call) bool }

// String returns the rule as it was written.
func (r *Rule) String() string { return r.text }

// Match reports whether the rule concerns the call. A rule concerns only calls of the tool that
// it names: Edit(*.ts) never matches a Write.
//
// [Parse] has compiled everything. The command of a Bash call is parsed once for all rules: about 15 µs for a short
// one, at worst some tenths of a second for a hostile command of 64 KiB. After that a rule takes about 0.1 µs and
// allocates nothing. A rule about a pipeline, a list or a redirection searches the parsed command again. The package
// keeps the last 16 commands, each of at most 2 KiB. A path takes 1 µs, and a path that does not match as written takes
// another microsecond for each of its parts, since links are followed. Calls of other tools cost nanoseconds and do not
// allocate.
func (r *Rule) Match(c Call) bool {
	return r.tool.match(c.Tool) && (r.spec == nil || r.spec.match(c))
}

// searching lists the tools that work on the session's directory unless their call names another.
var searching = []string{"Glob", "Grep", "LS"}

// specOf parses the text in the parentheses of a rule for tool.
func specOf(tool, text string, from Origin) (spec, error) {
	switch tool {
	case "Bash":
		return newBash(text), nil
	case "PowerShell":
		return newPowerShell(text), nil
	case "Agent", "Task":
		return called{wildcards{newWildcard(text)}, []string{"subagent_type"}}, nil
	case "Skill":
		return called{newWildcard(text).words(), []string{"skill", "command"}}, nil
	case "WebFetch":
		return newFetch(text)
	}
	if name, value, ok := cutParam(text); ok {
		return param{name, newWildcard(value)}, nil
	}
	return newPath(text, from, slices.Contains(searching, tool))
}
