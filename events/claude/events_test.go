package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
)

// honoured lists by hand, for each event except WorktreeCreate and DirectoryAdded (documentation of release 2.1.239):
// whether exit status 2 blocks, and whether the model, the user or no one sees the text of that hook; which members of
// an answer the event honours, of (c)ontinue, system(m)essage, (d)ecision and additionalConte(x)t; and whether plain
// (t)ext is context.
var honoured = []struct {
	event  string
	blocks bool
	to     string
	fields string
}{
	{"PreToolUse", true, "model", "cmdx"},
	{"PostToolUse", false, "model", "cmdx"},
	{"PostToolUseFailure", false, "model", "cmdx"},
	{"PermissionRequest", false, "", "cm"},
	{"PermissionDenied", false, "", ""},
	{"SessionStart", false, "user", "cmxt"},
	{"Setup", false, "user", "cmxt"},
	{"SessionEnd", false, "user", ""},
	{"UserPromptSubmit", true, "user", "cmdxt"},
	{"Stop", true, "model", "cmdx"},
	{"StopFailure", false, "", ""},
	{"SubagentStart", false, "user", "cmx"},
	{"SubagentStop", true, "model", "cmdx"},
	{"TeammateIdle", true, "model", "cm"},
	{"TaskCreated", true, "model", "md"},
	{"TaskCompleted", true, "model", "cmd"},
	{"FileChanged", false, "user", "m"},
	{"CwdChanged", false, "user", "m"},
	{"ConfigChange", true, "", "d"},
	{"InstructionsLoaded", false, "", ""},
	{"PreCompact", true, "user", "d"},
	{"PostCompact", false, "user", ""},
	{"Elicitation", true, "", ""},
	{"ElicitationResult", true, "", ""},
	{"WorktreeRemove", false, "", ""},
	{"Notification", false, "", ""},
	{"UserPromptExpansion", true, "user", "cmdxt"},
	{"PostToolBatch", true, "user", "cmdx"},
	{"MessageDisplay", false, "", ""},
	{"PreModelSwitch", true, "user", "cmd"},
	{"PostModelSwitch", false, "user", "cmxt"},
}

// one fires an event with one hook that gives the scripted reply. The returned function compares the effects
// of the fire.
func one(t *testing.T, event, input string, says scripted) (effects func(want string)) {
	w := project(hooks(event, "h"))
	w.replies = map[string]scripted{"h": says}
	fired := fire(t, w.open(t), event, input)
	return func(want string) { t.Helper(); wantEffects(t, fired, want) }
}

// Exit status 2 has the documented effect at every event of the list (rules C35, C96, C97).
func TestExitStatusTwoOfEveryEvent(t *testing.T) {
	for _, tt := range honoured {
		t.Run(tt.event, func(t *testing.T) {
			word := lo.Ternary(tt.blocks && strings.Contains(tt.fields, "d") && tt.event != "PreToolUse" && tt.event != "PreModelSwitch", `"block"`, "null") // at these events the decision is a permission
			one(t, tt.event, "", says(2, "", "no\n"))(fmt.Sprintf(`{"blocked":%t,"model_sees":%s,"user_sees":%s,"errors":0,"decision":`+word+`}`,
				tt.blocks, lo.Ternary(tt.to == "model", `["no"]`, `[]`), lo.Ternary(tt.to == "user", `["no"]`, lo.Ternary(tt.event == "PermissionRequest", `["h hook error: exit status 2: no"]`, `[]`))))
		})
	}
}

func TestExitStatusTwoBlocksWithoutAWordAndAgainstAnAnswer(t *testing.T) {
	for _, tt := range honoured {
		if !tt.blocks {
			continue
		}
		t.Run(tt.event, func(t *testing.T) {
			one(t, tt.event, "", says(2, "", ""))(`{"blocked":true}`)
			one(t, tt.event, "", says(2, `{"decision":"approve","reason":"fine"}`, "no"))(`{"blocked":true,"reason":"no"}`)
			one(t, tt.event, "", says(2, `{"decision":7}`, "no"))(`{"blocked":true,"reason":"no"}`)
		})
	}
}

// An exit status other than 2 blocks at no event of the list (rules C36, C66).
func TestAnotherExitStatusNeverBlocks(t *testing.T) {
	quiet := []string{"StopFailure", "InstructionsLoaded", "WorktreeRemove", "MessageDisplay"}
	for _, tt := range honoured {
		t.Run(tt.event, func(t *testing.T) {
			want := `{"blocked":false,"errors":1,"model_sees":[],"user_sees":["h hook error: exit status 3: no"]}`
			if lo.Contains(quiet, tt.event) {
				want = `{"blocked":false,"errors":0,"model_sees":[],"user_sees":[]}`
			}
			one(t, tt.event, "", says(3, "plain", "no\nmore"))(want)
		})
	}
}

// Every event of the list honours exactly the documented common members (rules C39, C69, C74).
func TestEveryEventHonoursItsMembersAndNoOthers(t *testing.T) {
	for _, tt := range honoured {
		has := func(c string) bool { return strings.Contains(tt.fields, c) }
		t.Run(tt.event, func(t *testing.T) {
			one(t, tt.event, "", says(0, `{"continue":false,"stopReason":"sr"}`, ""))(
				fmt.Sprintf(`{"continue":%t,"stopReason":%s}`, !has("c"), lo.Ternary(has("c"), `"sr"`, "null")))
			one(t, tt.event, "", says(0, `{"systemMessage":"sm"}`, ""))(
				fmt.Sprintf(`{"systemMessages":%s,"blocked":false}`, lo.Ternary(has("m"), `["sm"]`, "[]")))
			one(t, tt.event, "", says(0, `{"decision":"block","reason":"r"}`, ""))(
				fmt.Sprintf(`{"blocked":%t,"decision":%s}`, has("d") && tt.blocks, lo.Ternary(has("d"), `"block"`, "null")))
			one(t, tt.event, "", says(1, `{"decision":"approve","reason":"r"}`, "err"))(`{"blocked":false,"decision":null,"errors":0}`)
			ctx := fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,"additionalContext":"cx"}}`, tt.event)
			one(t, tt.event, "", says(0, ctx, ""))(fmt.Sprintf(`{"additionalContext":%[1]s,"model_sees":%[1]s}`, lo.Ternary(has("x"), `["cx"]`, "[]")))
			one(t, tt.event, "", says(0, " plain\n", "err"))(fmt.Sprintf(`{"additionalContext":%[1]s,"model_sees":%[1]s,"user_sees":[],"errors":0}`, lo.Ternary(has("t"), `["plain"]`, "[]")))
			one(t, tt.event, "", says(0, `{"additionalContext":"top"}`, ""))(`{"additionalContext":[],"blocked":false,"errors":0}`)
			other := `{"systemMessage":"sm","hookSpecificOutput":{"hookEventName":"Other","additionalContext":"cx","permissionDecision":"deny"}}`
			one(t, tt.event, "", says(0, other, ""))(fmt.Sprintf(`{"additionalContext":[],"blocked":false,"systemMessages":%s}`, lo.Ternary(has("m"), `["sm"]`, "[]")))
		})
	}
}

func TestAnAnswerThatCannotBeUsedIsAnErrorOfEveryEvent(t *testing.T) {
	for _, tt := range honoured {
		t.Run(tt.event, func(t *testing.T) {
			for _, answer := range []string{`{"continue":"no"}`, `{"decision":"deny"}`, `{"systemMessage":1}`, `{"hookSpecificOutput":{}}`, `{"hookSpecificOutput":[]}`, `{"reason":{}}`} {
				for _, exit := range []int{0, 3} {
					one(t, tt.event, "", says(exit, answer, ""))(`{"blocked":false,"decision":null,"continue":true,"systemMessages":[]}`)
				}
			}
		})
	}
}

// members has rows for each member of an event's own input and answer that the documentation names.
var members = []struct {
	name, event, input, answer, want string
	interactive                      bool
}{
	{"deny", "PreToolUse", "", `{"permissionDecision":"deny","permissionDecisionReason":"r"}`, `{"blocked":true,"permissionDecision":"deny","model_sees":["r"],"user_sees":[]}`, false},
	{"ask", "PreToolUse", "", `{"permissionDecision":"ask","permissionDecisionReason":"r"}`, `{"blocked":false,"permissionDecision":"ask","model_sees":[],"user_sees":["r"]}`, false},
	{"allow", "PreToolUse", "", `{"permissionDecision":"allow","permissionDecisionReason":"r","updatedInput":{"a":1}}`, `{"blocked":false,"permissionDecision":"allow","updatedInput":{"a":1},"user_sees":["r"]}`, false},
	{"deny and new arguments", "PreToolUse", "", `{"permissionDecision":"deny","updatedInput":{"a":1}}`, `{"blocked":true,"updatedInput":null}`, false},
	{"new arguments alone", "PreToolUse", "", `{"updatedInput":{}}`, `{"permissionDecision":null,"updatedInput":{}}`, false},
	{"new arguments that are none", "PreToolUse", "", `{"updatedInput":[1]}`, `{"errors":1,"updatedInput":null}`, false},
	{"null is absent", "PreToolUse", "", `{"permissionDecision":null,"permissionDecisionReason":null,"updatedInput":null,"additionalContext":null}`, `{"errors":0,"permissionDecision":null,"updatedInput":null}`, false},
	{"a reason for nothing", "PreToolUse", "", `{"permissionDecisionReason":"r"}`, `{"reason":null,"permissionDecision":null,"model_sees":[],"user_sees":[]}`, false},
	{"defer without a user", "PreToolUse", "", `{"permissionDecision":"defer","permissionDecisionReason":"r","additionalContext":"c","updatedInput":{}}`, `{"permissionDecision":"defer","blocked":false,"updatedInput":null,"model_sees":[],"reason":null}`, false},
	{"defer with a user", "PreToolUse", "", `{"permissionDecision":"defer","additionalContext":"c"}`, `{"permissionDecision":null,"model_sees":[]}`, true},
	{"allow", "PermissionRequest", "", `{"decision":{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[{"type":"setMode","mode":"plan","destination":"session"}]}}`, `{"permissionBehavior":"allow","blocked":false,"updatedInput":{"a":1},"updatedPermissions":[{"type":"setMode","mode":"plan","destination":"session"}],"interrupt":null}`, false},
	{"deny", "PermissionRequest", "", `{"decision":{"behavior":"deny","message":"no","interrupt":true}}`, `{"permissionBehavior":"deny","blocked":true,"interrupt":true,"model_sees":["no"],"user_sees":[]}`, false},
	{"another word", "PermissionRequest", "", `{"decision":{"behavior":"ask"}}`, `{"permissionBehavior":null,"blocked":false,"errors":1}`, false},
	{"a word and no object", "PermissionRequest", "", `{"decision":"allow"}`, `{"permissionBehavior":null,"errors":1}`, false},
	{"again", "PermissionDenied", "", `{"retry":true}`, `{"retry":true,"blocked":false}`, false},
	{"not again", "PermissionDenied", "", `{"retry":false}`, `{"retry":null}`, false},
	{"another result", "PostToolUse", "", `{"updatedToolOutput":"x"}`, `{"updatedToolOutput":"x"}`, false},
	{"the older field for a built-in tool", "PostToolUse", "", `{"updatedMCPToolOutput":"x"}`, `{"updatedToolOutput":null}`, false},
	{"the older field for an MCP tool", "PostToolUse", `{"tool_name":"mcp__a__b"}`, `{"updatedMCPToolOutput":"x"}`, `{"updatedToolOutput":"x"}`, false},
	{"for the classifier", "PostToolUse", "", `{"classifierContext":"` + strings.Repeat("é", 2100) + `"}`, `{"classifierContext":"` + strings.Repeat("é", 2000) + `"}`, false},
	{"all there is", "SessionStart", "", `{"additionalContext":"c","initialUserMessage":"u","sessionTitle":"t","watchPaths":["/a"],"reloadSkills":true}`, `{"additionalContext":["c"],"initialUserMessage":"u","sessionTitle":"t","watchPaths":["/a"],"reloadSkills":true}`, false},
	{"a title when resumed", "SessionStart", `{"source":"resume"}`, `{"sessionTitle":"t"}`, `{"sessionTitle":"t"}`, false},
	{"a title in a fork", "SessionStart", `{"source":"fork"}`, `{"sessionTitle":"t"}`, `{"sessionTitle":"t"}`, false},
	{"a title when compacted", "SessionStart", `{"source":"compact"}`, `{"sessionTitle":"t"}`, `{"sessionTitle":null}`, false},
	{"no list of paths", "SessionStart", "", `{"watchPaths":"/a"}`, `{"watchPaths":null,"errors":1}`, false},
	{"a title", "UserPromptSubmit", "", `{"sessionTitle":"t","suppressOriginalPrompt":true}`, `{"sessionTitle":"t","suppressOriginalPrompt":true,"promptErased":false}`, false},
	{"without the prompt", "UserPromptExpansion", "", `{"suppressOriginalPrompt":true}`, `{"suppressOriginalPrompt":true,"promptErased":null}`, false},
	{"feedback", "Stop", "", `{"additionalContext":"go on"}`, `{"blocked":true,"decision":null,"model_sees":["go on"]}`, false},
	{"feedback", "SubagentStop", "", `{"additionalContext":"go on"}`, `{"blocked":true,"model_sees":["go on"]}`, false},
	{"paths", "CwdChanged", "", `{"watchPaths":["/a"]}`, `{"watchPaths":["/a"]}`, false},
	{"no paths any more", "CwdChanged", "", `{"watchPaths":[]}`, `{"watchPaths":[]}`, false},
	{"nothing about paths", "FileChanged", "", `{}`, `{"watchPaths":null}`, false},
	{"paths", "FileChanged", "", `{"watchPaths":["/a"]}`, `{"watchPaths":["/a"]}`, false},
	{"accept", "Elicitation", "", `{"action":"accept","content":{"a":1}}`, `{"blocked":false,"elicitation":{"action":"accept","content":{"a":1}}}`, false},
	{"decline", "Elicitation", "", `{"action":"decline"}`, `{"blocked":true,"elicitation":{"action":"decline"}}`, false},
	{"cancel", "ElicitationResult", "", `{"action":"cancel"}`, `{"blocked":true,"elicitation":{"action":"cancel"}}`, false},
	{"another word", "Elicitation", "", `{"action":"maybe"}`, `{"blocked":false,"elicitation":null,"errors":1}`, false},
	{"another text", "MessageDisplay", "", `{"displayContent":"x"}`, `{"displayContent":"x"}`, false},
	{"no text", "MessageDisplay", "", `{"displayContent":""}`, `{"displayContent":""}`, false},
	{"deny", "PreModelSwitch", "", `{"permissionDecision":"deny","permissionDecisionReason":"r"}`, `{"blocked":true,"permissionDecision":"deny","user_sees":["r"]}`, true},
	{"ask a user", "PreModelSwitch", "", `{"permissionDecision":"ask"}`, `{"blocked":false,"permissionDecision":"ask"}`, true},
	{"ask nobody", "PreModelSwitch", "", `{"permissionDecision":"ask"}`, `{"blocked":true,"permissionDecision":"deny"}`, false},
	{"no defer", "PreModelSwitch", "", `{"permissionDecision":"defer"}`, `{"blocked":false,"errors":1}`, false},
	{"a policy", "ConfigChange", `{"source":"policy_settings"}`, `{}`, `{"blocked":false}`, false},
}

// Each event reads and merges its own members (rules C55, C62, C75).
func TestTheOwnMembersOfEvents(t *testing.T) {
	for _, tt := range members {
		t.Run(tt.event+": "+tt.name, func(t *testing.T) {
			answer := `{"hookSpecificOutput":{"hookEventName":"` + tt.event + `",` + strings.TrimPrefix(tt.answer, "{") + `}`
			answer = strings.Replace(answer, `,}}`, `}}`, 1)
			w := project(hooks(tt.event, "h"))
			w.host.Interactive = tt.interactive
			if tt.name == "feedback" {
				w.Level = claude.Docs // at the base level context alone does not keep an agent going
			}
			w.replies = map[string]scripted{"h": says(0, answer, "")}
			wantEffects(t, fire(t, w.open(t), tt.event, tt.input), tt.want)
		})
	}
}

// Some answers have a meaning at one event only (rule C41).
func TestWhatAnswersMeanInOneEventOnly(t *testing.T) {
	for _, tt := range []struct {
		name, event, input string
		says               scripted
		want               string
	}{
		{"top-level block denies", "PreToolUse", "", says(0, `{"decision":"block","reason":"r"}`, ""), `{"blocked":true,"permissionDecision":"deny","decision":"block","reason":"r","model_sees":["r"]}`},
		{"the own part goes before the older word", "PreToolUse", "", says(0, `{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"s"}}`, ""), `{"blocked":false,"permissionDecision":"allow","reason":"s"}`},
		{"status 2 and other fields", "PreToolUse", "", says(2, `{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","additionalContext":"c"}}`, "no"), `{"blocked":true,"permissionDecision":"deny","reason":"no","systemMessages":["m"],"additionalContext":["c"]}`},
		{"JSON on standard error is text", "PreToolUse", "", says(2, "", `{"reason":"x"}`), `{"blocked":true,"reason":"{\"reason\":\"x\"}"}`},
		{"continue false alone keeps the tool from running", "PreToolUse", "", says(0, `{"continue":false}`, ""), `{"blocked":true,"continue":false,"permissionDecision":null}`},
		{"a block and no reason", "Stop", "", says(0, `{"decision":"block"}`, ""), `{"blocked":true,"decision":"block","reason":null}`},
		{"stopping beats a block", "Stop", "", says(0, `{"decision":"block","reason":"r","continue":false}`, ""), `{"blocked":false,"continue":false}`},
		{"stopping beats feedback", "SubagentStop", "", says(0, `{"continue":false,"hookSpecificOutput":{"hookEventName":"SubagentStop","additionalContext":"c"}}`, ""), `{"blocked":false}`},
		{"a teammate stops", "TeammateIdle", "", says(0, `{"continue":false,"stopReason":"done"}`, ""), `{"blocked":false,"continue":false,"stopReason":"done"}`},
		{"stopping ends the loop", "PostToolBatch", "", says(0, `{"continue":false}`, ""), `{"blocked":true,"continue":false}`},
		{"a prompt is erased", "UserPromptSubmit", "", says(0, `{"decision":"block","reason":"r"}`, ""), `{"blocked":true,"promptErased":true,"model_sees":[],"user_sees":["r"]}`},
		{"nobody wanted the compaction", "PreCompact", `{"trigger":"auto"}`, says(2, "", "no"), `{"blocked":true,"model_sees":[],"user_sees":[]}`},
		{"policies apply", "ConfigChange", `{"source":"policy_settings"}`, says(0, `{"decision":"block"}`, ""), `{"blocked":false}`},
		{"status 2 declines", "ElicitationResult", "", says(2, `{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"accept","content":{"a":1}}}`, "no"), `{"blocked":true,"elicitation":{"action":"decline"}}`},
		{"status 2 shows the original", "MessageDisplay", "", says(2, `{"hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"x"}}`, "no"), `{"displayContent":null}`},
		{"status 2 and no decision", "Notification", "", says(2, `{"decision":"block","reason":"r"}`, "no"), `{"blocked":false,"outcomes":{"h":"success"}}`},
		{"status 2 and a permission", "PermissionRequest", "", says(2, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, "no"), `{"permissionBehavior":"allow","blocked":false}`},
		{"a banner is plain text", "UserPromptSubmit", "", says(0, "hello\n{\"decision\":\"block\"}", ""), `{"blocked":false,"additionalContext":["hello\n{\"decision\":\"block\"}"]}`},
		{"an array is plain text", "UserPromptSubmit", "", says(0, `[1]`, ""), `{"additionalContext":["[1]"]}`},
		{"a broken object is plain text", "UserPromptSubmit", "", says(0, `{"decision":"block"`, ""), `{"blocked":false,"additionalContext":["{\"decision\":\"block\""]}`},
		{"a bell", "SessionEnd", "", says(0, `{"terminalSequence":"\u0007"}`, ""), `{"terminalSequence":null}`},
	} {
		t.Run(tt.event+": "+tt.name, func(t *testing.T) { one(t, tt.event, tt.input, tt.says)(tt.want) })
	}
}

func TestTerminalSequencesAreBellsTitlesAndNotifications(t *testing.T) {
	for sequence, ok := range map[string]bool{
		"\a": true, "\x1b]0;t\a": true, "\x1b]2;t\x1b\\": true, "\x1b]777;notify;a;b\a\a": true, "\x1b]99;;x\x1b\\": true, "\x1b]9;4;1\a": true,
		"\x1b[2J": false, "\x1b]0;t": false, "text": false, "\a\x1b[31m": false, "\x1b]52;c;eA==\a": false, "\x1b]8;;http://x\a": false, "\x1b]0;a\nb\a": false, "\x1b]00;t\a": false,
	} {
		for _, event := range []string{"Notification", "PreToolUse"} {
			w := project(hooks(event, "h"))
			w.host.Interactive = true
			w.replies = map[string]scripted{"h": says(0, `{"terminalSequence":`+string(mustEncode(t, sequence))+`}`, "")}
			wantEffects(t, fire(t, w.open(t), event, ""), `{"terminalSequence":`+lo.Ternary(ok, string(mustEncode(t, sequence)), "null")+`}`)
		}
	}
}

// The user gets one notice of a failure, and a timeout is not an error (rules C30, C97, C98).
func TestAFailureIsToldOnceAndATimeoutIsNoError(t *testing.T) {
	one(t, "PreToolUse", "", scripted{err: fmt.Errorf("cannot start")})(`{"errors":1,"blocked":false,"user_sees":["h hook error: cannot start"],"outcomes":{"h":"non_blocking_error"}}`)
	one(t, "UserPromptSubmit", "", scripted{err: &hook.TimeoutError{After: 30e9}})(`{"errors":0,"blocked":false,"user_sees":["h hook error: Hook timed out after 600000ms"],"outcomes":{"h":"cancelled"}}`)
	one(t, "PreModelSwitch", "", scripted{err: &hook.TimeoutError{After: 30e9}})(`{"blocked":true}`)
	one(t, "WorktreeCreate", "", scripted{err: &hook.TimeoutError{After: 30e9}})(`{"blocked":true}`)
}
