package claude

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Entry is one hook in the form of settings, for [AddHook]. Type determines which of the other members are read.
type Entry struct {
	Matcher string `json:"matcher,omitzero"` // the matcher of the hook's group; empty matches everything
	Type    string `json:"type"`             // command, http, mcp_tool, prompt or agent
	If      string `json:"if,omitzero"`

	Command string   `json:"command,omitzero"`
	Args    []string `json:"args,omitzero"` // if set, Command runs without a shell
	Shell   string   `json:"shell,omitzero"`

	URL     string            `json:"url,omitzero"`
	Headers map[string]string `json:"headers,omitzero"`

	Server string         `json:"server,omitzero"`
	Tool   string         `json:"tool,omitzero"`
	Input  map[string]any `json:"input,omitzero"`

	Prompt string `json:"prompt,omitzero"`
	Model  string `json:"model,omitzero"`

	Timeout     float64        `json:"timeout,omitzero"` // seconds; 0 is the default
	Once        bool           `json:"once,omitzero"`
	Async       bool           `json:"async,omitzero"`
	AsyncRewake bool           `json:"asyncRewake,omitzero"`
	Extra       jsontext.Value `json:",embed"` // further members; an object or nil
}

// AddHook adds a hook to a running session, as if the session's settings contained the hook. entry is an [Entry], or
// its JSON text as []byte, string or [jsontext.Value]. The hook runs after the hooks of the settings, with their
// environment and level, until remove removes it. AddHook and remove may be called at any time, and do not affect fires
// that have begun. Observers that implement [pipeline.HookWatcher] are notified when the hook is added, and when it is
// removed.
//
// The hook belongs to the program: it runs whether or not trust and the policies of the settings allow hooks, but their
// lists of allowed URLs and variables apply to it. The session's settings must come from [Settings]. The error
// describes a mistake in the event or the entry; then nothing is added.
func AddHook(s *pipeline.Session, event string, entry any) (remove func(), err error) {
	text, matcher, err := entryText(entry)
	if err != nil {
		return nil, fmt.Errorf("add a hook to %s: %w", event, err)
	}
	if s == nil {
		return nil, fmt.Errorf("add a hook to %s: there is no session for it", event)
	}
	loaded, ok := s.Setting(readingKey{}).(*reading)
	if !ok {
		return nil, errors.New(
			"the session's settings are not those of Claude Code: open the system with claude.Settings",
		)
	}
	group, err := json.Marshal(map[string]any{event: []any{map[string]any{
		"matcher": matcher, "hooks": []jsontext.Value{text},
	}}})
	if err != nil {
		return nil, fmt.Errorf("add a hook to %s: %w", event, err)
	}
	v, err := settings.ParseStrict("the added hook", group)
	if err != nil {
		return nil, fmt.Errorf("add a hook to %s: %w", event, err)
	}
	r := newReading(loaded.Settings, loaded.at)
	r.policy = loaded.policy
	layer := settings.Layer{Name: "host", Source: hook.Host, File: "the added hook"}
	hooksSource{reading: r, layer: layer, root: r.at.Dir, env: r.env}.hooks(v)
	for _, h := range r.Loaded.Hooks {
		h.Key = "" // never a duplicate of a hook in the settings
		h.ID = fmt.Sprintf("%s/%s/added/%d", hook.Host, event, addedHooks.Add(1))
		h.Position = hook.Position{}
		if h.Skip != "" && len(r.Loaded.Problems) == 0 {
			return nil, fmt.Errorf("add a hook to %s: it can never run: %s", event, h.SkipDetail)
		}
	}
	if len(r.Loaded.Problems) > 0 || len(r.Loaded.Hooks) == 0 {
		var all []string
		for _, problem := range r.Loaded.Problems {
			all = append(all, problem.Message)
		}
		return nil, fmt.Errorf("add a hook to %s: %s", event, strings.Join(all, "; "))
	}
	r.limitEnds()
	return pipeline.Register(s, r.Loaded.Hooks...)
}

// addedHooks counts the hooks added by [AddHook] to all sessions; the count is a part of their ids.
var addedHooks atomic.Int64

// entryText returns an entry as JSON without its matcher, and the matcher.
func entryText(entry any) (text jsontext.Value, matcher string, err error) {
	switch e := entry.(type) {
	case []byte:
		text = jsontext.Value(e)
	case jsontext.Value:
		text = e
	case string:
		text = jsontext.Value(e)
	default:
		if text, err = json.Marshal(entry); err != nil {
			return nil, "", fmt.Errorf("the entry cannot be encoded: %w", err)
		}
	}
	var own struct {
		Matcher string         `json:"matcher,omitzero"`
		Rest    jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, "", fmt.Errorf("the entry is not a JSON object {\"type\": \"command\", \"command\": \"…\"}: %w", err)
	}
	if own.Rest == nil {
		own.Rest = jsontext.Value("{}")
	}
	return own.Rest, own.Matcher, nil
}
