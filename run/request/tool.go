package request

import (
	"context"
	"errors"
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/within"
	"github.com/snaphook-go/snaphook/wire"
)

// ToolCaller calls tools of MCP servers to which the host is connected. It is used from many goroutines at once.
type ToolCaller interface {
	// CallTool calls a tool and waits for its answer. It neither starts a server nor logs in: an unconnected server and
	// an unknown tool are errors. An error that the tool itself reports is a ToolAnswer. CallTool returns soon after
	// ctx has ended; its result is then ignored.
	CallTool(ctx context.Context, r ToolRequest) (ToolAnswer, error)
}

// ToolRequest is one call of a tool.
type ToolRequest struct {
	Server  string
	Tool    string
	Input   wire.Object // the tool's arguments; an object, never nil
	Session string      // the id of the session whose hook calls the tool
}

// ToolAnswer is a tool's answer.
type ToolAnswer struct {
	Text    string // its text contents, concatenated
	IsError bool   // the tool reports a failure; Text has the reason
}

// Tool is a [hook.Runner] that calls a tool of an MCP server, an mcp_tool hook (Claude Code hooks documentation
// 2.1.239, "MCP tool hooks"). The text of the answer counts as the standard output of a command that exited with status
// 0. If the tool fails or cannot be called, Run returns an error; an answer longer than [MaxAnswer] is a
// [hook.TooLargeError].
//
// When ctx ends or the call's timeout has passed, the error is [context.Cause] or a [hook.TimeoutError], as soon as the
// Caller returns.
//
// A Tool may be used from many goroutines at once. A call costs as much as the tool's.
type Tool struct {
	Caller ToolCaller // the host's; nil means that no hook of this type can run
	Server string     // the server's name
	Name   string     // the tool's name

	// Input holds the tool's arguments. Every ${path.to.member} in a string, at any depth, is replaced by that part of
	// the payload: strings by their text, other values by their compact JSON, and missing parts by nothing. Elements of
	// arrays are named by their index, from 0. Names of members, and placeholders inside the payload, are not replaced.
	// Nil is the empty object.
	Input wire.Object
}

var _ hook.Runner = (*Tool)(nil)

// Run calls the tool and waits for its answer; see [Tool].
func (t *Tool) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if t.Caller == nil {
		return hook.Reply{}, errors.New("no tool can be called: the host has to supply a ToolCaller")
	}
	input, err := fillInput(t.Input, call.Payload)
	if err != nil {
		return hook.Reply{}, fmt.Errorf("input of tool %s of server %s: %w", t.Name, t.Server, err)
	}
	text, err := within.Limit(ctx, call, func(ctx context.Context) (string, error) {
		answer, err := t.Caller.CallTool(
			ctx,
			ToolRequest{Server: t.Server, Tool: t.Name, Input: input, Session: call.Session},
		)
		if err == nil && answer.IsError {
			err = &hook.ClassError{Class: hook.ClassExit, Err: fmt.Errorf("failed: %.200q", answer.Text)}
		}
		if err == nil && len(answer.Text) > MaxAnswer {
			err = &hook.TooLargeError{Kept: MaxAnswer}
		}
		if err != nil {
			return "", fmt.Errorf("tool %s of server %s: %w", t.Name, t.Server, err)
		}
		return answer.Text, nil
	})
	if err != nil {
		return hook.Reply{}, err
	}
	return hook.Reply{Stdout: []byte(text)}, nil
}
