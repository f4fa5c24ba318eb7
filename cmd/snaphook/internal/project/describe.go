package project

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

// DescribedHook is a hook in the form in which plan, check and trust describe it to programs.
type DescribedHook struct {
	pipeline.HookID
	Argv      []string `json:"argv"`
	Env       []string `json:"env,omitempty"` // "NAME=value", variables of the entry (llxprt, profile gemini)
	TimeoutMS *float64 `json:"timeoutMs"`     // null: no limit
	Matcher   *string  `json:"matcher"`
}

// Describe returns the description of a hook for programs.
func Describe(h *hook.Hook) DescribedHook {
	p := DescribedHook{HookID: pipeline.Identify(h), Argv: h.Argv, Env: h.Vars}
	if h.Pattern != "" {
		p.Matcher = &h.Pattern
	}
	timeout := h.Timeout
	if timeout == 0 {
		timeout = rulesOf(h).Timeout
	}
	if timeout > 0 {
		p.TimeoutMS = lo.ToPtr(float64(timeout.Microseconds()) / 1000)
	}
	return p
}

// rulesOf returns the rules of a hook's event.
func rulesOf(h *hook.Hook) pipeline.Rules {
	for _, e := range systems.Events() {
		if info := e.Info(); info.Name == h.Event && info.Dialect == h.Dialect {
			return info.Rules
		}
	}
	return pipeline.Rules{}
}

// NotRun describes why a hook does not run.
type NotRun struct {
	DescribedHook
	Why    hook.SkipReason `json:"why"`
	Detail string          `json:"detail"`
	Policy *Effective      `json:"policy"`
}

// WillRun is a hook that runs.
type WillRun struct {
	DescribedHook
	Runtime *ModuleRuntime `json:"runtime,omitempty"` // the runtime of a module
	Shell   *run.ShellUse  `json:"shell,omitempty"`   // the shell that runs the script; nil if no shell is started
	Policy  *Effective     `json:"policy"`

	Findings []StartFinding `json:"findings,omitempty"` // why the hook would fail to start; empty if it starts
}

// StartFinding is a finding of check about a program, script or interpreter without which a hook does not start.
type StartFinding struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Runnable reports whether the engine has a way to run h.
func Runnable(h *hook.Hook) bool { return h.Runner != nil || h.Func != nil }

// Unsupported returns why the engine cannot run h.
func Unsupported(h *hook.Hook) string {
	return "hooks of type \"" + h.Type + "\" cannot be run; write \"type\": \"command\""
}

// Label returns the name of a hook for people: one line of its name or its command.
func Label(h pipeline.HookID) string {
	if name := lo.FromPtr(h.Name); name != "" {
		return cli.OneLine(name)
	}
	text := lo.CoalesceOrEmpty(lo.FromPtr(h.Command), h.ID)
	if h.Type == systems.ModuleType { // users know a module by its path
		return cli.OneLine(text)
	}
	return cli.Label(text, cli.MaxLabel)
}

// Labelled returns the text of an error with the hook's label in place of its quoted command.
func Labelled(text string, h pipeline.HookID) string {
	return strings.ReplaceAll(text, strconv.Quote(lo.FromPtr(h.Command)), strconv.Quote(Label(h)))
}

// PlainText returns the text of a string, the lines of a list of strings, or other JSON as it is.
func PlainText(v jsontext.Value) string {
	if s, ok := wire.Text(v); ok {
		return s
	}
	var texts []string
	if v.Kind() == '[' && json.Unmarshal(v, &texts) == nil {
		return strings.Join(texts, "\n")
	}
	return string(v)
}

// Place returns the file of a hook, or the hook's source if there is no file.
func Place(h pipeline.HookID) string {
	return cli.Faint.Render(cli.OneLine(cli.ShortPath(lo.FromPtrOr(h.File, h.Source))))
}
