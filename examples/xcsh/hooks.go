// Package xcsh has four common modules, in Go: a gate that asks the user, a redactor, a filter of
// the model's input, and a slash command. The other files of this directory are the same modules in
// TypeScript, for the loader in jsrun/modules, whose tests compare the two.
package xcsh

import (
	"context"
	"regexp"
	"strings"

	"github.com/snaphook-go/snaphook/events/xcsh"
)

// PermissionGate asks the user before a call removes files recursively.
func PermissionGate(api *xcsh.API) error {
	xcsh.ToolCall.On(
		api,
		func(ctx context.Context, e *xcsh.ToolCallEvent, hc *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			command := e.Input.Text("command")
			if e.ToolName != "bash" || !strings.Contains(command, "rm -rf") {
				return nil, nil
			}
			if !hc.HasUI {
				return &xcsh.ToolCallResult{Block: true, Reason: "rm -rf blocked (no UI)"}, nil
			}
			if !hc.UI.Confirm(ctx, "Dangerous command", "Allow: "+command) {
				return &xcsh.ToolCallResult{Block: true, Reason: "user denied command"}, nil
			}
			return nil, nil
		},
	)
	return nil
}

var key = regexp.MustCompile(`API_KEY=\S+`)

// Redactor keeps keys in files from the model.
func Redactor(api *xcsh.API) error {
	xcsh.ToolResult.On(
		api,
		func(_ context.Context, e *xcsh.ToolResultEvent, _ *xcsh.HookContext) (*xcsh.ToolResultOverride, error) {
			if e.ToolName != "read" || e.IsError {
				return nil, nil
			}
			for i, part := range e.Content { // a copy for this handler
				if text, ok := part.PlainText(); ok {
					e.Content[i] = xcsh.TextPart(key.ReplaceAllString(text, "API_KEY=[REDACTED]"))
				}
			}
			return &xcsh.ToolResultOverride{Content: e.Content}, nil
		},
	)
	return nil
}

// ContextFilter keeps messages for debugging from the model.
func ContextFilter(api *xcsh.API) error {
	xcsh.Context.On(
		api,
		func(_ context.Context, e *xcsh.ContextEvent, _ *xcsh.HookContext) (*xcsh.ContextResult, error) {
			kept := []xcsh.Message{} // an empty list is an answer, nil is not
			for _, m := range e.Messages {
				if m.Role() != "custom" || m.Text("customType") != "debug-only" {
					kept = append(kept, m)
				}
			}
			return &xcsh.ContextResult{Messages: kept}, nil
		},
	)
	return nil
}

// Handoff adds /handoff, which continues in a new session.
func Handoff(api *xcsh.API) error {
	api.RegisterCommand(xcsh.Command{
		Name:        "handoff",
		Description: "go on in a new session",
		Run: func(ctx context.Context, args string, cc *xcsh.CommandContext) error {
			if err := cc.WaitForIdle(ctx); err != nil {
				return err
			}
			cancelled, err := cc.NewSession(ctx, xcsh.NewSession{ParentSession: cc.Session.SessionFile()})
			if err != nil || cancelled {
				return err
			}
			return api.SendMessage(
				xcsh.CustomMessage{CustomType: "handoff", Content: xcsh.Text("Continue: " + args), Display: true},
				xcsh.SendOptions{TriggerTurn: true},
			)
		},
	})
	return nil
}
