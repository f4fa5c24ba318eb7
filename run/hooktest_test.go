//go:build unix

package run_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

func TestACommandHolds(t *testing.T) {
	hooktest.Runner(t, &run.Command{Argv: run.Sh(hooktest.Script)})
}

// asItWas are files that have not changed.
type asItWas struct{ dir string }

func (asItWas) Same(context.Context) error { return nil }

func (a asItWas) Open(_ context.Context, path string) (*os.File, []byte, error) {
	if filepath.Dir(path) != a.dir {
		return nil, nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	return f, text, err
}

// What a user agreed to run holds too, from the text of a script and not.
func TestWhatWasAgreedToHolds(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "hook.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+hooktest.Script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Run("a script", func(t *testing.T) {
		hooktest.Runner(t, run.Pinned(&run.Command{Argv: []string{script}}, asItWas{dir}))
	})
	t.Run("another command", func(t *testing.T) {
		hooktest.Runner(t, run.Pinned(&run.Command{Argv: run.Sh(hooktest.Script)}, asItWas{dir}))
	})
}

func TestAnHTTPHookHolds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		if answer, err := hooktest.Answer(r.Context(), body); err == nil {
			_, _ = w.Write(answer)
		}
	}))
	t.Cleanup(server.Close)
	hooktest.Runner(t, &run.HTTP{URL: server.URL})
}

// reasons is a host whose model, agent and tools give the answer as a reason.
type reasons struct{}

func (reasons) verdict(ctx context.Context, given string) (string, error) {
	answer, err := hooktest.Answer(ctx, []byte(given))
	return `{"ok": false, "reason": ` + string(wire.Quote(string(answer))) + `}`, err
}

func (m reasons) Generate(ctx context.Context, r run.ModelRequest) (string, error) {
	return m.verdict(ctx, r.Prompt)
}

func (m reasons) RunAgent(ctx context.Context, r run.AgentRequest) (string, error) {
	return m.verdict(ctx, r.Prompt)
}

// CallTool gets the members of the payload one by one.
func (reasons) CallTool(ctx context.Context, r run.ToolRequest) (run.ToolAnswer, error) {
	payload := fmt.Sprintf(`{"hooktest":%s,"number":%s,"fill":%s}`, r.Input.Get("a"), r.Input.Text("b"), r.Input.Get("c"))
	answer, err := hooktest.Answer(ctx, []byte(payload))
	return run.ToolAnswer{Text: string(answer)}, err
}

func TestPromptsAndAgentsHold(t *testing.T) {
	answer := func(v run.Verdict) hook.Reply { return hook.Reply{Exit: 2, Stderr: []byte(v.Reason)} }
	theirs := hooktest.Unbounded("what a model says is the host's to bound, before it is text")
	t.Run("prompt", func(t *testing.T) {
		hooktest.Runner(t, &run.Judge{Model: reasons{}, Prompt: "Is this safe? $ARGUMENTS", Answer: answer}, theirs)
	})
	t.Run("agent", func(t *testing.T) {
		hooktest.Runner(t, &run.Judge{Agent: reasons{}, Prompt: "Is this safe?", Answer: answer}, theirs)
	})
}

func TestAToolHolds(t *testing.T) {
	input := wire.Object(`{"a":"${hooktest}","b":"${number}","c":"${fill}"}`)
	hooktest.Runner(t, &run.Tool{Caller: reasons{}, Server: "s", Name: "n", Input: input})
}
