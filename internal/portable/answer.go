package portable

// Answer is one answer that a hook can give.
type Answer struct {
	ID     string
	Event  string // Claude Code's name
	Says   string // the effect in words
	Stdout string
	Stderr string
	Exit   int
	Marks  []string // a script with this answer contains one of these texts; empty: no text is required
	And    string   // another text that such a script contains; "": none
	Sign   string   // the sign of a refusal that a reader of a script sees, see the constants; "": not a refusal, or not visible
}

// The signs. Each names a form of refusal that can be recognized in the text of a script.
const (
	SignExit2          = "exit 2"
	SignNestedDeny     = "nested deny"
	SignNestedDenyBare = "nested deny without a reason"
	SignNestedAsk      = "nested ask"
	SignBlock          = "block"
	SignBlockBare      = "block without a reason"
	SignDeny           = "deny"
	SignTopDeny        = "deny at the top"
	SignPermission     = "permission"
	SignStop           = "stop"
)

var (
	exit2  = []string{"exit 2", "exit(2", "Exit(2", "exitCode = 2", "exit $"}
	nested = []string{"permissionDecision"}
	plain  = []string{"decision"}
)

// Answers lists the answers that systems read differently.
var Answers = []Answer{
	{ID: "exit-2", Event: "PreToolUse", Sign: SignExit2, Says: "exit status 2 with a reason on standard error", Stderr: "no\n", Exit: 2, Marks: exit2},
	{ID: "exit-2-silent", Event: "PreToolUse", Says: "exit status 2 without a word", Exit: 2, Marks: exit2},
	{ID: "exit-1", Event: "PreToolUse", Says: "exit status 1, or a crash", Stderr: "no\n", Exit: 1},
	{ID: "silence", Event: "PreToolUse", Says: "exit status 0 without output"},
	{ID: "empty", Event: "PreToolUse", Says: "`{}`", Stdout: `{}`, Marks: []string{"{}"}},
	{ID: "text", Event: "PreToolUse", Says: "plain text", Stdout: "fine\n", Marks: []string{"echo", "print"}},
	{
		ID: "nested-deny", Event: "PreToolUse", Sign: SignNestedDeny, Says: "nested `permissionDecision: deny` with a reason", Marks: nested, And: "deny",
		Stdout: `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}`,
	},
	{
		ID: "nested-deny-bare", Event: "PreToolUse", Sign: SignNestedDenyBare, Says: "nested `permissionDecision: deny` without a reason", Marks: nested, And: "deny",
		Stdout: `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}`,
	},
	{
		ID: "nested-ask", Event: "PreToolUse", Sign: SignNestedAsk, Says: "nested `permissionDecision: ask`", Marks: nested, And: "ask",
		Stdout: `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "sure?"}}`,
	},
	{
		ID: "nested-allow", Event: "PreToolUse", Says: "nested `permissionDecision: allow`", Marks: nested, And: "allow",
		Stdout: `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}`,
	},
	{
		ID: "nested-rewrite", Event: "PreToolUse", Says: "nested `allow` with `updatedInput`", Marks: []string{"updatedInput"},
		Stdout: `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "pwd"}}}`,
	},
	{
		ID: "block", Event: "PreToolUse", Sign: SignBlock, Says: "`decision: block` with a reason", Marks: plain, And: "block",
		Stdout: `{"decision": "block", "reason": "no"}`,
	},
	{
		ID: "block-bare", Event: "PreToolUse", Sign: SignBlockBare, Says: "`decision: block` without a reason", Marks: plain, And: "block",
		Stdout: `{"decision": "block"}`,
	},
	{
		ID: "deny", Event: "PreToolUse", Sign: SignDeny, Says: "`decision: deny` with a reason", Marks: plain, And: "deny",
		Stdout: `{"decision": "deny", "reason": "no"}`,
	},
	{
		ID: "top-deny", Event: "PreToolUse", Sign: SignTopDeny, Says: "`permissionDecision: deny` at the top", Marks: nested, And: "deny",
		Stdout: `{"permissionDecision": "deny", "permissionDecisionReason": "no"}`,
	},
	{
		ID: "permission-deny", Event: "PreToolUse", Sign: SignPermission, Says: "`permission: deny`", Marks: []string{"permission\"", "permission\\\"", "permission'"},
		Stdout: `{"permission": "deny", "user_message": "no"}`,
	},
	{
		ID: "stop", Event: "PreToolUse", Sign: SignStop, Says: "`continue: false`", Marks: []string{"continue"}, And: "false",
		Stdout: `{"continue": false, "stopReason": "no"}`,
	},
	{ID: "prompt-exit-2", Event: "UserPromptSubmit", Sign: SignExit2, Says: "exit status 2 with a reason on standard error", Stderr: "no\n", Exit: 2, Marks: exit2},
	{
		ID: "prompt-block", Event: "UserPromptSubmit", Sign: SignBlock, Says: "`decision: block` with a reason", Marks: plain, And: "block",
		Stdout: `{"decision": "block", "reason": "no"}`,
	},
	{ID: "prompt-text", Event: "UserPromptSubmit", Says: "plain text", Stdout: "fine\n", Marks: []string{"echo", "print", "cat"}},
	{
		ID: "prompt-context", Event: "UserPromptSubmit", Says: "nested `additionalContext`", Marks: []string{"additionalContext"},
		Stdout: `{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "fine"}}`,
	},
	{ID: "result-exit-2", Event: "PostToolUse", Says: "exit status 2 with a reason on standard error", Stderr: "no\n", Exit: 2, Marks: exit2},
	{
		ID: "result-block", Event: "PostToolUse", Says: "`decision: block` with a reason", Marks: plain, And: "block",
		Stdout: `{"decision": "block", "reason": "no"}`,
	},
	{
		ID: "result-context", Event: "PostToolUse", Says: "nested `additionalContext`", Marks: []string{"additionalContext"},
		Stdout: `{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "fine"}}`,
	},
	{ID: "start-text", Event: "SessionStart", Says: "plain text", Stdout: "fine\n", Marks: []string{"echo", "print", "cat"}},
	{
		ID: "start-context", Event: "SessionStart", Says: "nested `additionalContext`", Marks: []string{"additionalContext"},
		Stdout: `{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "fine"}}`,
	},
	{ID: "end-exit-2", Event: "Stop", Sign: SignExit2, Says: "exit status 2 with a reason on standard error", Stderr: "go on\n", Exit: 2, Marks: exit2},
	{
		ID: "end-block", Event: "Stop", Sign: SignBlock, Says: "`decision: block` with a reason", Marks: plain, And: "block",
		Stdout: `{"decision": "block", "reason": "go on"}`,
	},
}
