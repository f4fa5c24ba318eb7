package copilot

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/wire"
)

// spelling describes the form of a payload.
type spelling struct {
	names  map[string]string // the new names of members; "" leaves the member out; nil: the payload of camelCase hooks
	claude bool              // tools have Claude Code's names
	result string            // the member for a tool's result; "tool_response" has only the result's text
}

// The spellings: of camelCase and PascalCase hooks (G21, G22), and of the chat of VS Code (G61).
var (
	camel  = spelling{}
	pascal = spelling{claude: true, result: "tool_result", names: merged(snake, map[string]string{"toolUseId": ""})}
	vscode = spelling{result: "tool_response", names: merged(snake, map[string]string{"toolUseId": "tool_use_id"})}
)

// snake maps the names of members to Claude Code's.
var snake = map[string]string{
	"sessionId": "session_id", "initialPrompt": "initial_prompt", "transformedPrompt": "transformed_prompt",
	"toolName": "tool_name", "toolArgs": "tool_input", "toolInput": "tool_input", "permissionSuggestions": "permission_suggestions",
	"transcriptPath": "transcript_path", "stopReason": "stop_reason", "agentName": "agent_name", "agentId": "agent_id",
	"agentDisplayName": "agent_display_name", "agentDescription": "agent_description", "agentType": "agent_type",
	"response": "last_assistant_message", "customInstructions": "custom_instructions", "errorContext": "error_context",
}

func merged(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for name, there := range m {
			all[name] = there
		}
	}
	return all
}

// toolGroup holds the names of one tool.
type toolGroup struct {
	own    []string
	claude match.Names
}

// claudeNames groups the names of tools: Copilot's, and Claude Code's. Payloads have the first of Claude Code's names
// (G12).
var claudeNames = []toolGroup{
	{[]string{"bash", "powershell"}, match.Names{"Bash"}},
	{[]string{"view"}, match.Names{"Read"}},
	{[]string{"create"}, match.Names{"Write"}},
	{[]string{"edit", "str_replace_editor", "apply_patch"}, match.Names{"Edit"}},
	{[]string{"grep", "rg"}, match.Names{"Grep"}},
	{[]string{"glob"}, match.Names{"Glob"}},
	{[]string{"web_fetch"}, match.Names{"WebFetch"}},
	{[]string{"web_search"}, match.Names{"WebSearch"}},
	{[]string{"ask_user"}, match.Names{"AskUserQuestion"}},
	{[]string{"update_todo"}, match.Names{"TodoWrite"}},
	{[]string{"task"}, match.Names{"Agent", "Task"}},
}

// claudeNamesOf returns Claude Code's names of a tool, or else its own name.
func claudeNamesOf(tool string) match.Names {
	for _, n := range claudeNames {
		if match.Names(n.own).Match(tool) {
			return n.claude
		}
	}
	return match.Names{tool}
}

// milliseconds converts a timestamp to a number.
func milliseconds(value jsontext.Value) jsontext.Value {
	text, _ := wire.Text(value)
	at, err := time.Parse(isoTime, text)
	if err != nil {
		return value
	}
	return strconv.AppendInt(nil, at.UnixMilli(), 10)
}

// parsed returns the object that arguments contain as JSON text; other arguments stay as they are.
func parsed(value jsontext.Value) jsontext.Value {
	text, isText := wire.Text(value)
	if inner := jsontext.Value(wire.Trim([]byte(text))); isText && inner.Kind() == '{' && inner.IsValid() {
		return inner
	}
	return value
}

// result converts a tool's result for a member of the payload: to the text alone for tool_response, and to an object
// whose names have underscores for tool_result.
func result(member string, value jsontext.Value) jsontext.Value {
	text := wire.Object(value).Get("textResultForLlm")
	if value.Kind() != '{' {
		return value
	}
	if member == "tool_response" && text != nil {
		return text
	}
	names := map[string]string{"resultType": "result_type", "textResultForLlm": "text_result_for_llm"}
	var o wire.Builder
	for name, inner := range wire.Object(value).Members() {
		if there := names[name]; there != "" {
			name = there
		}
		o.Add(name, inner)
	}
	return jsontext.Value(o.Object().Unique())
}
