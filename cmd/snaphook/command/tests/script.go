package tests

import (
	"context"
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/request"
)

// scriptedModel is the model, and the agent, of a fixture.
type scriptedModel struct{ *fixture.Script }

// Generate implements [judge.Model].
func (m scriptedModel) Generate(_ context.Context, r judge.ModelRequest) (string, error) {
	return m.Script.Generate(r.Prompt)
}

// RunAgent implements [judge.AgentRunner].
func (m scriptedModel) RunAgent(_ context.Context, r judge.AgentRequest) (string, error) {
	return m.Script.Generate(r.Prompt)
}

// scriptedTools plays the MCP servers of a fixture.
type scriptedTools struct{ *fixture.Script }

// CallTool implements [request.ToolCaller].
func (s scriptedTools) CallTool(_ context.Context, r request.ToolRequest) (request.ToolAnswer, error) {
	reply, err := s.Call(r.Server, r.Tool)
	return request.ToolAnswer{Text: reply.Reply, IsError: reply.Error}, err
}

// scriptedUI gives the fixture's answers to the questions of modules.
type scriptedUI struct {
	xcsh.NoUI
	script *fixture.Script
}

var _ xcsh.UI = (*scriptedUI)(nil)

// Select implements [xcsh.UI].
func (u *scriptedUI) Select(_ context.Context, title string, options []string) (string, bool) {
	typed, ok := u.script.Answer(title)
	if !ok {
		return "", false
	}
	all := make([]hook.Option, len(options))
	for i, text := range options {
		all[i] = hook.Option{Key: text}
	}
	return project.ChosenOption(all, typed)
}

// Confirm implements [xcsh.UI]. A missing answer means no.
func (u *scriptedUI) Confirm(ctx context.Context, title, message string) bool {
	answer, _ := u.Select(ctx, strings.TrimSpace(title+"\n"+message), []string{"yes", "no"})
	return answer == "yes"
}

// Input implements [xcsh.UI].
func (u *scriptedUI) Input(_ context.Context, title, _ string) (string, bool) {
	return u.script.Answer(title)
}

// Editor implements [xcsh.UI].
func (u *scriptedUI) Editor(_ context.Context, title, _ string) (string, bool) {
	return u.script.Answer(title)
}
