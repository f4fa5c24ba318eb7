package explain

import (
	"strings"

	"github.com/snaphook-go/snaphook/record"
)

// Rule is a rule of a hook system, by its number.
type Rule struct {
	ID   string `json:"id"`   // C77
	Page string `json:"page"` // docs/spec/claude.md
	Text string `json:"text"`
}

// reasonReader is the reader of the reason of a refusal.
type reasonReader uint8

const (
	toNobody reasonReader = iota
	toModel
	toUser
)

// about holds the rules of one event.
type about struct {
	merge, rewrite, failure, effect string
	told                            reasonReader
	page                            string
}

// system holds the rules of a hook system: common has the rules of most events, events the rules of single events.
type system struct {
	page   string
	common about
	events map[string]about
}

// aboutEvent returns the rules of an event: the common rules of its dialect for an event without rules of its own, and
// none for an unknown dialect.
func aboutEvent(full string) about {
	dialect, name, _ := strings.Cut(full, ".")
	s, known := systems[dialect]
	if !known {
		return about{}
	}
	a := s.events[name]
	for _, m := range []struct {
		own    *string
		common string
	}{
		{&a.merge, s.common.merge}, {&a.rewrite, s.common.rewrite},
		{&a.failure, s.common.failure}, {&a.effect, s.common.effect},
	} {
		if *m.own == "" {
			*m.own = m.common
		}
	}
	a.page = s.page
	return a
}

// rules returns the rules that applied in a fire: for merging the answers, and for the effect of changes, of failures
// and of the result.
func (a about) rules(l *record.Line) []Rule {
	rules := []Rule{}
	add := func(id string) {
		if id != "" {
			rules = append(rules, Rule{id, a.page, texts[id]})
		}
	}
	decided, changed, failed := 0, l.Rewritten, false
	for i := range l.Hooks {
		h := &l.Hooks[i]
		if h.Ran && h.Decision != "" {
			decided++
		}
		changed = changed || h.Rewrote
		failed = failed || h.Failed()
	}
	if decided > 0 {
		add(a.merge)
	}
	if changed && a.rewrite != a.merge {
		add(a.rewrite)
	}
	if failed {
		add(a.failure)
	}
	if (l.Decision != "" || l.Stop) && a.effect != a.merge {
		add(a.effect)
	}
	return rules
}

// systems holds the rules by dialect. A test compares them with the pages and with the declared events.
var systems = map[string]system{
	"claude": {
		page:   "docs/spec/claude.md",
		common: about{merge: "C79", rewrite: "C78", failure: "C80"},
		events: map[string]about{
			"PreToolUse":          {merge: "C77", effect: "C52", told: toModel},
			"PermissionRequest":   {effect: "C53", told: toModel},
			"PermissionDenied":    {effect: "C54"},
			"PostToolUse":         {effect: "C55", told: toModel},
			"PostToolUseFailure":  {effect: "C56", told: toModel},
			"PostToolBatch":       {effect: "C57", told: toUser},
			"SessionStart":        {effect: "C58", told: toUser},
			"Setup":               {effect: "C59", told: toUser},
			"SessionEnd":          {effect: "C60", told: toUser},
			"UserPromptSubmit":    {effect: "C61", told: toUser},
			"UserPromptExpansion": {effect: "C62", told: toUser},
			"Stop":                {effect: "C63", told: toModel},
			"SubagentStop":        {effect: "C65", told: toModel},
			"SubagentStart":       {effect: "C65", told: toUser},
			"StopFailure":         {effect: "C66"},
			"TeammateIdle":        {effect: "C67", told: toModel},
			"TaskCreated":         {effect: "C67", told: toModel},
			"TaskCompleted":       {effect: "C67", told: toModel},
			"ConfigChange":        {effect: "C68"},
			"InstructionsLoaded":  {effect: "C69"},
			"CwdChanged":          {effect: "C70", told: toUser},
			"FileChanged":         {effect: "C70", told: toUser},
			"WorktreeCreate":      {effect: "C71", told: toUser},
			"WorktreeRemove":      {effect: "C71"},
			"PreCompact":          {effect: "C72", told: toUser},
			"PostCompact":         {effect: "C72", told: toUser},
			"Elicitation":         {effect: "C73"},
			"ElicitationResult":   {effect: "C73"},
			"Notification":        {effect: "C74"},
			"DirectoryAdded":      {effect: "C74"},
			"MessageDisplay":      {effect: "C74"},
			"PreModelSwitch":      {effect: "C75", told: toUser},
			"PostModelSwitch":     {effect: "C75", told: toUser},
		},
	},
	"llxprt": {
		page:   "docs/spec/llxprt.md",
		common: about{merge: "L38", rewrite: "L36", failure: "L33"},
		events: map[string]about{
			"BeforeTool":          {effect: "L48", told: toModel},
			"AfterTool":           {effect: "L49", told: toModel},
			"BeforeModel":         {merge: "L39", effect: "L50"},
			"AfterModel":          {merge: "L39", rewrite: "L39", effect: "L51"},
			"BeforeToolSelection": {merge: "L40", rewrite: "L40", effect: "L52"},
			"BeforeAgent":         {effect: "L53"},
			"AfterAgent":          {effect: "L53"},
			"SessionStart":        {},
			"SessionEnd":          {merge: "L41"},
			"PreCompress":         {merge: "L41"},
			"Notification":        {merge: "L41"},
		},
	},
	"codex": {
		page:   "docs/spec/codex.md",
		common: about{merge: "CX29", rewrite: "CX34", failure: "CX23"},
		events: map[string]about{
			"PreToolUse":        {merge: "CX33", effect: "CX25", told: toModel},
			"PermissionRequest": {merge: "CX33", effect: "CX26", told: toModel},
			"UserPromptSubmit":  {merge: "CX33", effect: "CX28", told: toUser},
			"PostToolUse":       {merge: "CX35", effect: "CX27", told: toModel},
			"Stop":              {merge: "CX35", effect: "CX36", told: toModel},
			"SubagentStop":      {merge: "CX35", effect: "CX36", told: toModel},
			"SubagentStart":     {},
			"SessionStart":      {},
			"PreCompact":        {},
			"PostCompact":       {},
			"SessionEnd":        {merge: "CX21"},
			"Interrupt":         {merge: "CX30"},
		},
	},
	"cursor": {
		page:   "docs/spec/cursor.md",
		common: about{merge: "U24", rewrite: "U25", failure: "U18"},
		events: map[string]about{
			"preToolUse":           {effect: "U17", told: toModel},
			"beforeShellExecution": {effect: "U17", told: toModel},
			"beforeMCPExecution":   {effect: "U17", told: toModel},
			"beforeReadFile":       {effect: "U17", told: toModel},
			"beforeTabFileRead":    {effect: "U17", told: toModel},
			"subagentStart":        {effect: "U17", told: toModel},
			"beforeSubmitPrompt":   {effect: "U19", told: toUser},
			"postToolUse":          {rewrite: "U26"},
			"stop":                 {effect: "U29", told: toModel},
			"subagentStop":         {effect: "U29", told: toModel},
			"sessionStart":         {effect: "U28"},
		},
	},
	"copilot": {
		page:   "docs/spec/copilot.md",
		common: about{merge: "G41", rewrite: "G42", failure: "G30"},
		events: map[string]about{
			"preToolUse":        {failure: "G31", effect: "G32", told: toModel},
			"permissionRequest": {merge: "G42", effect: "G33", told: toModel},
			"postToolUse":       {effect: "G46"},
			"agentStop":         {effect: "G45", told: toModel},
			"subagentStop":      {effect: "G45", told: toModel},
		},
	},
	"xcsh": {
		page:   "docs/spec/xcsh.md",
		common: about{merge: "X16", rewrite: "X12", failure: "X17"},
		events: map[string]about{
			"tool_call":              {merge: "X28", failure: "X29", effect: "X30"},
			"tool_result":            {merge: "X31", rewrite: "X31", effect: "X32"},
			"context":                {merge: "X25", rewrite: "X25"},
			"before_agent_start":     {merge: "X26"},
			"session_before_switch":  {merge: "X20", failure: "X21"},
			"session_before_branch":  {merge: "X20", failure: "X21"},
			"session_before_compact": {merge: "X20", failure: "X21", effect: "X22"},
			"session_before_tree":    {merge: "X20", failure: "X21", effect: "X22"},
			"session.compacting":     {merge: "X23"},
		},
	},
	"xcsh-extension": {
		page:   "docs/spec/xcsh.md",
		common: about{merge: "X16", rewrite: "X12", failure: "X17"},
		events: map[string]about{
			"tool_call":              {merge: "X28", failure: "X45", effect: "X30"},
			"tool_result":            {merge: "X44", rewrite: "X44"},
			"context":                {merge: "X25", rewrite: "X25"},
			"before_agent_start":     {merge: "X46"},
			"session_before_switch":  {merge: "X20", failure: "X21"},
			"session_before_branch":  {merge: "X20", failure: "X21"},
			"session_before_compact": {merge: "X20", failure: "X21", effect: "X22"},
			"session_before_tree":    {merge: "X20", failure: "X21", effect: "X22"},
			"session.compacting":     {merge: "X23"},
		},
	},
}

// texts holds short texts of the rules.
var texts = map[string]string{
	"C52": "hooks may allow, deny, ask, rewrite the arguments and add context; without a decision the permissions decide",
	"C53": "an answer decides in the user's place",
	"C54": "of an answer, only retry counts",
	"C55": "a block undoes nothing; its reason goes to the model",
	"C56": "the reason of a block goes to the model",
	"C57": "a block ends the agent's loop",
	"C58": "nothing blocks; hooks add context",
	"C59": "nothing blocks; the output is context for the model",
	"C60": "the output of hooks is ignored",
	"C61": "a block erases the prompt, and the user alone sees the reason",
	"C62": "a block erases the prompt, and the user alone sees the reason",
	"C63": "a block keeps the agent going, with the reason",
	"C65": "a block keeps the sub-agent going, with the reason",
	"C66": "answers have no effect",
	"C67": "status 2 keeps the teammate working, removes the task, or keeps it open",
	"C68": "a block keeps the new settings from being used; no text reaches anybody",
	"C69": "hooks only observe",
	"C70": "hooks name paths to watch",
	"C71": "the last line that a command prints is the path; if a hook fails, no worktree is made",
	"C72": "a block keeps the conversation as it is",
	"C73": "an answer is given in the user's place; status 2 declines",
	"C74": "hooks only have side effects, or replace a text that is shown",
	"C75": "hooks can refuse a switch of models",
	"C77": "deny wins over defer, defer over ask, ask over allow; the reason comes from the first hook with the decision that counts",
	"C78": "of several rewritten inputs the last one in plan order counts",
	"C79": "one block is enough; all contexts, messages and reasons are kept, in plan order",
	"C80": "a failing hook adds nothing, and the decisions of other hooks stand",

	"L33": "a hook that fails lets the action go ahead",
	"L36": "changed arguments are merged by member, in plan order",
	"L38": "any block or deny wins; reasons, messages and contexts are joined in plan order",
	"L39": "later answers replace earlier ones, member by member",
	"L40": "every name that an answer allows is allowed; mode NONE wins over ANY, and ANY over AUTO",
	"L41": "the last answer counts",
	"L48": "a block keeps the tool from running, and the model sees the reason as the tool's result",
	"L49": "the tool has run and cannot be blocked; the model gets contexts and reasons beside the result",
	"L50": "a block keeps the model from being called",
	"L51": "a hook can replace the response",
	"L52": "hooks restrict the tools of a request; they cannot block",
	"L53": "hooks can block, stop, and add context",

	"CX21": "the output of hooks is ignored",
	"CX23": "a failed run says why in a note, and the action goes ahead unless a policy closes failures",
	"CX25": "hooks may deny with a reason, or allow with a new input",
	"CX26": "hooks may allow or deny in the user's place",
	"CX27": "the reason of a block replaces the result that the model sees",
	"CX28": "a block keeps the action from happening; its reason is shown",
	"CX29": "continue: false ends the agent; hooks decide nothing else",
	"CX30": "only a message for the user counts",
	"CX33": "any denial wins over an approval; the reason comes from the first hook that denies",
	"CX34": "the last rewrite in configured order counts; a denial drops it",
	"CX35": "reasons are joined by a blank line",
	"CX36": "one continue: false overrides every block; contexts of all hooks are kept",

	"U17": "user_message is shown to the user and agent_message to the model; the reason is agent_message, else user_message",
	"U18": "the action goes ahead when a hook fails, unless its entry has failClosed",
	"U19": "with continue: false the prompt is not sent",
	"U24": "deny counts before ask, and ask before allow; messages and contexts are joined in plan order",
	"U25": "updated_input is the whole new input, and does not count when the call is denied",
	"U26": "a new output counts for tools of MCP servers alone",
	"U28": "variables that hooks return are set for the later hooks of the session",
	"U29": "a follow-up message sends the agent back to work; the last one counts",

	"G30": "a hook that fails lets the action go ahead",
	"G31": "before a tool, a failing command denies unless it timed out; a failing request does not",
	"G32": "before a tool, status 2 denies; the output is the reason",
	"G33": "status 2 denies; the output is the message",
	"G41": "a denial counts before a question, and a question before an approval",
	"G42": "the last rewrite counts, unless the call is denied; in permission requests later members override earlier ones",
	"G45": "hooks send an agent back to work 8 times in a row at most",
	"G46": "contexts after a tool are one text with blank lines between them",

	"X12": "changes in place of content, details and messages count, and later handlers see them",
	"X16": "the last result counts as a whole",
	"X17": "a handler that fails is reported, and the next one runs",
	"X20": "the first result that cancels ends the fire",
	"X21": "a handler that fails cancels nothing",
	"X22": "a handler can supply the summary",
	"X23": "handlers add context and replace the prompt; they cannot cancel",
	"X25": "each handler gets the messages that the handler before it returned",
	"X26": "the first result with a message counts",
	"X28": "the first result that blocks ends the fire, else the last result counts",
	"X29": "an error of a handler goes to the caller: the tool does not run",
	"X30": "a blocked tool fails with the reason",
	"X31": "the last result replaces content and details as a whole",
	"X32": "after a failed tool, the tool's own error is the result",
	"X44": "results are merged by member, and each handler sees the changes before it",
	"X45": "a handler that fails is reported, and blocks",
	"X46": "all messages are collected, and handlers replace the system prompt one after the other",
}

// ToldOf returns the reader of the reason of a refusal: "model", "user", or "" for nobody.
func ToldOf(event string) string { return [...]string{"", "model", "user"}[aboutEvent(event).told] }

// RulesOf returns the rules of an event: for merging answers, and for the effect of changes, of failures and of the
// result.
func RulesOf(event string) []Rule {
	a := aboutEvent(event)
	var rules []Rule
	for _, id := range []string{a.merge, a.rewrite, a.failure, a.effect} {
		if id != "" {
			rules = append(rules, Rule{id, a.page, texts[id]})
		}
	}
	return rules
}

// Events returns the full names of the events that have rules here.
func Events() (names []string) {
	for dialect, s := range systems {
		for name := range s.events {
			names = append(names, dialect+"."+name)
		}
	}
	return names
}
