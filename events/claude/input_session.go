package claude

import "github.com/snaphook-go/snaphook/wire"

// FileChangedInput is the input of FileChanged. Event is change, add or unlink. Matchers
// see the last element of Path.
type FileChangedInput struct {
	CommonInput
	Path  string `json:"file_path"`
	Event string `json:"event"`
}

// CwdChangedInput is the input of CwdChanged.
type CwdChangedInput struct {
	CommonInput
	Old string `json:"old_cwd"`
	New string `json:"new_cwd"`
}

// ConfigChangeInput is the input of ConfigChange. Source is user_settings,
// project_settings, local_settings, policy_settings or skills.
type ConfigChangeInput struct {
	CommonInput
	Source string `json:"source"`
	Path   string `json:"file_path,omitempty"`
}

// InstructionsLoadedInput is the input of InstructionsLoaded. Reason is session_start,
// nested_traversal, path_glob_match, include or compact.
type InstructionsLoadedInput struct {
	CommonInput
	Path    string   `json:"file_path"`
	Type    string   `json:"memory_type"` // User, Project, Local or Managed
	Reason  string   `json:"load_reason"`
	Globs   []string `json:"globs,omitempty"`
	Trigger string   `json:"trigger_file_path,omitempty"`
	Parent  string   `json:"parent_file_path,omitempty"`
}

// DirectoryAddedInput is the input of DirectoryAdded. Source is slash_command or
// register_repo_root.
type DirectoryAddedInput struct {
	CommonInput
	Directory string `json:"directory"`
	Source    string `json:"source"`
}

// WorktreeCreateInput is the input of WorktreeCreate.
type WorktreeCreateInput struct {
	CommonInput
	Name string `json:"name"`
}

// WorktreeRemoveInput is the input of WorktreeRemove.
type WorktreeRemoveInput struct {
	CommonInput
	Path string `json:"worktree_path"`
}

// PreCompactInput is the input of PreCompact. Trigger is manual or auto.
type PreCompactInput struct {
	CommonInput
	Trigger      string  `json:"trigger"`
	Instructions *string `json:"custom_instructions"` // null if there are none
}

// PostCompactInput is the input of PostCompact.
type PostCompactInput struct {
	CommonInput
	Trigger string `json:"trigger"`
	Summary string `json:"compact_summary"`
}

// ElicitationInput is the input of Elicitation: an MCP server asks the user.
type ElicitationInput struct {
	CommonInput
	Server  string      `json:"mcp_server_name"`
	Message string      `json:"message"`
	Mode    string      `json:"mode,omitempty"` // form or url
	URL     string      `json:"url,omitempty"`
	ID      string      `json:"elicitation_id,omitempty"`
	Schema  wire.Object `json:"requested_schema,omitempty"`
}

// ElicitationResultInput is the input of ElicitationResult: the user's answer.
type ElicitationResultInput struct {
	CommonInput
	Server  string      `json:"mcp_server_name"`
	Action  string      `json:"action"`
	Mode    string      `json:"mode,omitempty"`
	ID      string      `json:"elicitation_id,omitempty"`
	Content wire.Object `json:"content,omitempty"`
}

// NotificationInput is the input of Notification.
type NotificationInput struct {
	CommonInput
	Message string `json:"message"`
	Title   string `json:"title,omitempty"`
	Type    string `json:"notification_type"`
}

// MessageDisplayInput is the input of MessageDisplay: a piece of the assistant's text.
type MessageDisplayInput struct {
	CommonInput
	Turn    string `json:"turn_id"`
	Message string `json:"message_id"`
	Index   int    `json:"index"`
	Final   bool   `json:"final"`
	Delta   string `json:"delta"`
}

// PreModelSwitchInput is the input of PreModelSwitch and PostModelSwitch. Source is command, picker
// or sdk; at PostModelSwitch also auto or resume.
type PreModelSwitchInput struct {
	CommonInput
	From          string  `json:"from_model"`
	To            string  `json:"to_model"`
	Requested     *string `json:"requested_model"`
	Source        string  `json:"source"`
	ContextTokens int     `json:"context_tokens"`
	CacheWarm     bool    `json:"prompt_cache_warm"`
	CacheTTL      string  `json:"cache_ttl,omitempty"`
	CacheCost     float64 `json:"estimated_cache_write_usd"`
	Pricing       string  `json:"pricing,omitempty"`
}
