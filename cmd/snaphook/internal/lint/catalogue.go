package lint

import "strings"

// tools lists the tools of each dialect's own agent, in older and newer releases: a hook may be
// written for any release.
var tools = map[string][]string{
	"claude": strings.Fields(`
		Agent AgentOutputTool AskUserQuestion Bash BashOutput Brief Config CronCreate CronDelete CronList Edit
		EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillBash KillShell LS LSP
		ListMcpResources ListMcpResourcesTool MCPSearch Monitor MultiEdit NotebookEdit NotebookRead PowerShell
		PushNotification REPL Read ReadMcpResource ReadMcpResourceTool RemoteTrigger ScheduleWakeup SendMessage
		SendUserMessage Skill SlashCommand Sleep StructuredOutput Task TaskCreate TaskGet TaskList TaskOutput
		TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Workflow Write
		exit_plan_mode`),
	"llxprt": strings.Fields(`
		activate_skill apply_patch ask_user ast_edit ast_read_file ast_grep check_async_tasks codesearch
		complete_task delegate_to_agent delete_line_range direct_web_fetch enter_plan_mode exa_web_search
		exit_plan_mode get_internal_docs glob google_web_fetch google_web_search grep_search insert_at_line
		list_directory list_subagents ls read_file read_line_range read_many_files replace run_shell_command
		save_memory search_file_content shell structural_analysis task todo_pause todo_read todo_write
		tracker_create_task tracker_update_task web_fetch web_search write_file write_todos edit invoke_agent
		update_topic read_mcp_resource list_mcp_resources`),
}

// meant maps, for each dialect, the names of a tool in other systems to the tool's name in the dialect.
var meant = map[string]map[string]string{
	"claude": {
		"run_shell_command": "Bash", "shell": "Bash", "terminal": "Bash", "execute_command": "Bash",
		"write_file": "Write", "create_file": "Write", "replace": "Edit", "str_replace_editor": "Edit",
		"edit_file": "Edit", "read_file": "Read", "read_many_files": "Read", "list_directory": "LS",
		"search_file_content": "Grep", "web_fetch": "WebFetch", "google_web_search": "WebSearch",
		"web_search": "WebSearch", "multi_edit": "MultiEdit", "notebook_edit": "NotebookEdit",
		"todo_write": "TodoWrite",
	},
	"llxprt": {
		"Bash": "run_shell_command", "bash": "run_shell_command", "Write": "write_file", "Edit": "replace",
		"MultiEdit": "replace", "Read": "read_file", "Glob": "glob", "Grep": "search_file_content",
		"LS": "list_directory", "WebFetch": "web_fetch", "WebSearch": "google_web_search",
		"TodoWrite": "todo_write", "Task": "task",
	},
	"xcsh": {
		"run_shell_command": "bash", "shell": "bash", "read_file": "read", "write_file": "write", "replace": "edit",
		"MultiEdit": "edit", "LS": "ls", "Glob": "find", "WebFetch": "fetch", "web_fetch": "fetch",
		"WebSearch": "web_search", "TodoWrite": "todo_write", "search_file_content": "grep",
	},
}

// words lists, by event, the subjects of events that are not about tools. open names the events whose lists are
// incomplete.
var (
	words = map[string][]string{
		"claude.SessionStart": {"startup", "resume", "clear", "compact"},
		"claude.PreCompact":   {"manual", "auto"},
		"claude.PostCompact":  {"manual", "auto"},
		"claude.Setup":        {"init", "maintenance"},
		"claude.SessionEnd": {
			"clear", "logout", "prompt_input_exit", "other", "resume", "bypass_permissions_disabled",
		},
		"claude.Notification": {"permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog"},
	}
	open = map[string]bool{"claude.SessionEnd": true, "claude.Notification": true}
)
