package mcphooks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/mcp"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/adaptertest"
	"github.com/snaphook-go/snaphook/wire"
)

type input struct {
	Text string `json:"text"`
}

// files describes the tool echo of a server.
var files = snaphook.Tool{Name: "echo", Kind: snaphook.MCP, Server: "files"}

// connect returns a client that is connected to a server with the tools echo and picture, with the
// hooks of a session on one of the two sides.
func connect(t *testing.T, s *snaphook.Session, opt mcphooks.Options, onServer bool) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "echo " + in.Text}}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "picture"}, func(context.Context, *mcp.CallToolRequest, input) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("secret"), MIMEType: "image/png"}}}, nil, nil
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if onServer {
		server.AddReceivingMiddleware(mcphooks.Middleware(s, opt))
	} else {
		client.AddSendingMiddleware(mcphooks.Middleware(s, opt))
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := client.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func TestHooksAroundAServersTool(t *testing.T) {
	for name, tt := range map[string]struct {
		hook   func(*snaphook.Session)
		want   string
		failed bool
	}{
		"none":             {adaptertest.None, "echo hi", false},
		"deny":             {adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Deny, Reason: "no"}), "no", true},
		"ask":              {adaptertest.BeforeTool(snaphook.Verdict{Decision: hook.Ask, Reason: "sure?"}), "sure?", true},
		"rewrite":          {adaptertest.BeforeTool(snaphook.Verdict{Input: wire.Object(`{"text":"other"}`)}), "echo other", false},
		"stop":             {adaptertest.BeforeTool(snaphook.Verdict{Stop: true, StopReason: "enough"}), "enough", true},
		"context":          {adaptertest.AfterTool(snaphook.Verdict{Context: []string{"fyi"}}), "echo hi|fyi", false},
		"rewritten result": {adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}}), "new", false},
	} {
		for side, onServer := range map[string]bool{"client": false, "server": true} {
			t.Run(name+" on the "+side, func(t *testing.T) {
				s, stopped := adaptertest.Open(t, files), ""
				tt.hook(s)
				c := connect(t, s, mcphooks.Options{Stop: func(reason string) { stopped = reason }}, onServer)
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hi"}})
				if err != nil {
					t.Fatal(err)
				}
				var texts []string
				for _, content := range res.Content {
					texts = append(texts, content.(*mcp.TextContent).Text)
				}
				if got := strings.Join(texts, "|"); !strings.Contains(got, tt.want) || res.IsError != tt.failed {
					t.Errorf("the result is %q, failed %v; want %q, %v", got, res.IsError, tt.want, tt.failed)
				}
				if name == "stop" && stopped != "enough" {
					t.Errorf("stopped for %q", stopped)
				}
			})
		}
	}
}

func TestAnImageThatHooksReplaceIsGone(t *testing.T) {
	for side, onServer := range map[string]bool{"client": false, "server": true} {
		s := adaptertest.Open(t, snaphook.Tool{Name: "picture", Kind: snaphook.MCP, Server: "files"})
		adaptertest.AfterTool(snaphook.Verdict{Result: &snaphook.ToolResult{Text: "new"}})(s)
		c := connect(t, s, mcphooks.Options{}, onServer)
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "picture", Arguments: map[string]any{"text": ""}})
		if err != nil || len(res.Content) != 1 {
			t.Errorf("on the %s: got %+v, %v; want the new text alone", side, res, err)
			continue
		}
		if text, ok := res.Content[0].(*mcp.TextContent); !ok || text.Text != "new" {
			t.Errorf("on the %s: got %+v; want the new text alone", side, res.Content[0])
		}
	}
}

func Example() {
	hooks, err := snaphook.Open(snaphook.Config{Tools: []snaphook.Tool{{Name: "read", Kind: snaphook.MCP, Server: "files"}}})
	if err != nil {
		panic(err)
	}
	defer hooks.Close()
	s, err := hooks.NewSession(context.Background(), snaphook.SessionConfig{ID: "s-1"})
	if err != nil {
		panic(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	client.AddSendingMiddleware(mcphooks.Middleware(s, mcphooks.Options{}))
}
