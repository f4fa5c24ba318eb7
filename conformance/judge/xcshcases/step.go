package xcshcases

import "github.com/go-json-experiment/json/jsontext"

// Step is one operation.
type Step struct {
	Op string `json:"op"`

	Event        jsontext.Value   `json:"event"` // an object, or a name for hasHandlers
	Messages     []jsontext.Value `json:"messages"`
	Prompt       string           `json:"prompt"`
	Images       []jsontext.Value `json:"images"`
	SystemPrompt string           `json:"systemPrompt"`

	Tool          *Tool          `json:"tool"`
	ToolCallID    string         `json:"toolCallId"`
	Params        jsontext.Value `json:"params"`
	AbortBefore   bool           `json:"abortBefore"`
	WrapperFields []string       `json:"wrapperFields"`

	Name       string         `json:"name"`
	Args       jsontext.Value `json:"args"`
	CustomType string         `json:"customType"`
	Hook       string         `json:"hook"`
	Call       string         `json:"call"`
	ID         string         `json:"id"`
	Error      map[string]any `json:"error"`
	Fields     []string       `json:"fields"`
	Calls      []Call         `json:"calls"`
	MS         int            `json:"ms"`

	Paths      []string       `json:"paths"`
	Configured []string       `json:"configured"`
	Cwd        string         `json:"cwd"`
	Path       string         `json:"path"`
	Options    jsontext.Value `json:"options"`

	Providers         []Provider `json:"providers"`
	DisabledProviders []string   `json:"disabledProviders"`

	Sets   [][2]*string `json:"sets"`
	Widths []int        `json:"widths"`
	Show   *bool        `json:"show"`
	Texts  []string     `json:"texts"`

	Command string   `json:"command"`
	MinMS   int      `json:"minMs"`
	MaxMS   int      `json:"maxMs"`
	Ignore  []string `json:"ignore"`
}

// Tool is a tool of the host.
type Tool struct {
	Name        string           `json:"name"`
	Label       string           `json:"label"`
	Description string           `json:"description"`
	Result      jsontext.Value   `json:"result"`
	Throws      *Throw           `json:"throws"`
	DelayMS     int              `json:"delayMs"`
	Updates     []jsontext.Value `json:"updates"`
}

// Provider is a scripted provider of a registry.
type Provider struct {
	ID          string         `json:"id"`
	DisplayName string         `json:"displayName"`
	Priority    int            `json:"priority"`
	Items       []ProviderItem `json:"items"`
	Throws      string         `json:"throws"`
	DelayMS     int            `json:"delayMs"`
	Warnings    []string       `json:"warnings"`
}

// ProviderItem is one item of a provider's answer.
type ProviderItem struct {
	Type     string `json:"type"`
	Tool     string `json:"tool"`
	Name     string `json:"name"`
	Level    string `json:"level"`
	Path     string `json:"path"`
	NoSource bool   `json:"noSource"`
}
