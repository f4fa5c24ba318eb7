package command

import (
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// describedHook is a hook in the form in which plan, check and trust describe it to programs.
type describedHook struct {
	pipeline.HookID
	Argv      []string `json:"argv"`
	Env       []string `json:"env,omitempty"` // "NAME=value", variables of the entry (llxprt, profile gemini)
	TimeoutMS *float64 `json:"timeoutMs"`     // null: no limit
	Matcher   *string  `json:"matcher"`
}

func describe(h *hook.Hook) describedHook {
	p := describedHook{HookID: pipeline.Identify(h), Argv: h.Argv, Env: h.Vars}
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
	for _, e := range knownEvents() {
		if info := e.Info(); info.Name == h.Event && info.Dialect == h.Dialect {
			return info.Rules
		}
	}
	return pipeline.Rules{}
}

// notRun describes why a hook does not run.
type notRun struct {
	describedHook
	Why    hook.SkipReason `json:"why"`
	Detail string          `json:"detail"`
	Policy *effective      `json:"policy"`
}

// willRun is a hook that runs.
type willRun struct {
	describedHook
	Runtime *moduleRuntime `json:"runtime,omitempty"` // the runtime of a module
	Policy  *effective     `json:"policy"`
}

// runnable reports whether the engine has a way to run h.
func runnable(h *hook.Hook) bool { return h.Runner != nil || h.Func != nil }

// unsupported returns why the engine cannot run h.
func unsupported(h *hook.Hook) string {
	return "hooks of type \"" + h.Type + "\" cannot be run; write \"type\": \"command\""
}

// label returns the name of a hook for people: one line of its name or its command.
func label(h pipeline.HookID) string {
	if name := lo.FromPtr(h.Name); name != "" {
		return cli.OneLine(name)
	}
	text := lo.CoalesceOrEmpty(lo.FromPtr(h.Command), h.ID)
	if h.Type == moduleType { // a module is known by its path
		return cli.OneLine(text)
	}
	return cli.Label(text, cli.MaxLabel)
}

// labelled returns an error in which a long command is named by its label.
func labelled(text string, h pipeline.HookID) string {
	return strings.ReplaceAll(text, strconv.Quote(lo.FromPtr(h.Command)), strconv.Quote(label(h)))
}
