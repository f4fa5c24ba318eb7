package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	claudecases "github.com/snaphook-go/snaphook/conformance/judge/claudecases"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// TestClaude judges the built binary by the same cases as the Go API; without SNAPHOOK_TIMES, by every fourth.
func TestClaude(t *testing.T) {
	cases := claudecases.Cases(t)
	program := build(t)
	claudecases.Run(t, testkit.Part(cases, 4), func(t testing.TB, p *claudecases.Prepared) (claudecases.Engine, string) {
		return openClaude(t, program, p)
	})
}

// claudeProgram runs the command line for the judge, each fire in a process.
type claudeProgram struct {
	path string
	args []string // flags with the facts that a host knows
	env  []string
	left []claudecases.Background // background results of each fire
}

func openClaude(t testing.TB, path string, p *claudecases.Prepared) (claudecases.Engine, string) {
	if reason := claudeUnspeakable(p); reason != "" {
		return nil, reason
	}
	if _, waits := p.Expect["async"]; waits {
		delete(p.Expect, "duration_lt_ms") // the process waits for background hooks; a fire does not
	}
	e := &claudeProgram{path: path, env: p.Environ(), args: append(claudeArgs(p), claudeSources(p)...)}
	if p.LLM != nil {
		e.env = append(e.env, "SNAPHOOK_MODEL_PROVIDER=anthropic", "SNAPHOOK_MODEL_URL="+serveModel(t, p), "SNAPHOOK_MODEL="+hostsChoice)
	}
	return e, ""
}

// claudeArgs returns the flags with the facts that a host knows: session, transcript, trust, level.
func claudeArgs(p *claudecases.Prepared) []string {
	args := []string{"--json", "--dir", p.Dir, "--session", claudecases.SessionID, "--transcript", p.Transcript,
		lo.Ternary(p.Host.Trusted, "--trusted", "--untrusted")}
	if p.Host.Interactive {
		args = append(args, "--interactive")
	}
	if p.Level != "" {
		args = append(args, "--level", strings.TrimPrefix(p.Level, "docs-"))
	}
	return args
}

// claudeSources returns the flags for settings and plugins that snaphook does not find by itself.
func claudeSources(p *claudecases.Prepared) (args []string) {
	if lo.SomeBy(p.LayerFiles, func(l claudecases.LayerFile) bool { return l.Name == "managed" || l.Name == "flag" }) {
		for _, l := range p.LayerFiles {
			args = append(args, "--settings", l.Name+"="+l.File)
		}
	}
	for _, q := range p.Plugins {
		name := strings.TrimSuffix(q.Name+"@"+q.Marketplace, "@")
		args = append(args, "--plugin", name+"="+q.Root)
	}
	return args
}

// claudeUnspeakable returns why a case cannot be expressed as a command line; empty if it can.
func claudeUnspeakable(p *claudecases.Prepared) string {
	switch {
	case len(p.Then) > 0:
		return "every invocation is a session of its own, which remembers nothing of another"
	case p.User != nil:
		return "hooks ask on a terminal, which the judge's processes do not have"
	case strings.HasPrefix(p.Name, "agent-"):
		return "the command line cannot run agents"
	case lo.SomeBy(p.Plugins, func(q claudecases.Plugin) bool { return len(q.Options) > 0 }):
		return "the command line has no options of plugins"
	case lo.SomeBy(p.Plugins, func(q claudecases.Plugin) bool { _, err := os.Stat(q.Root); return err != nil }):
		return "the command line refuses a plugin whose directory does not exist"
	}
	return ""
}

// hostsChoice is the model for hooks that name no model.
const hostsChoice = "hosts-choice"

// serveModel serves the case's model with the Messages API, and returns the URL.
func serveModel(t testing.TB, p *claudecases.Prepared) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model    string `json:"model"`
			Messages []struct {
				Content string `json:"content"`
			} `json:"messages"`
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &asked); err != nil || len(asked.Messages) != 1 {
			http.Error(w, "not a question", http.StatusBadRequest)
			return
		}
		name := lo.Ternary(asked.Model == hostsChoice, "", asked.Model)
		reply, err := p.Model.Generate(r.Context(), "prompt", name, asked.Messages[0].Content)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		quoted, _ := jsontext.AppendQuote(nil, reply)
		fmt.Fprintf(w, `{"content": [{"type": "text", "text": %s}], "stop_reason": "end_turn"}`, quoted)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (e *claudeProgram) Fire(ctx context.Context, event string, in jsontext.Value) (o claudecases.Observation, err error) {
	cmd := exec.CommandContext(ctx, e.path, append([]string{"fire", "claude." + event}, e.args...)...)
	cmd.Env, cmd.Stdin = e.env, bytes.NewReader(in)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	err = cmd.Run()
	o.Elapsed = time.Since(began)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return o, err
	}
	took, status := o.Elapsed, cmd.ProcessState.ExitCode()
	if o, err = claudecases.ObserveCLI(out.Bytes()); err != nil {
		return o, fmt.Errorf("%w; exit status %d: %s", err, status, said.String())
	}
	o.Elapsed = took
	return o, e.keep(out.Bytes(), status)
}

// keep stores the background results for the judge, and checks the exit status.
func (e *claudeProgram) keep(document []byte, status int) error {
	var fired struct {
		pipeline.JSONResult
		Effects struct {
			Async claudecases.Background `json:"async"`
		} `json:"effects"`
	}
	if err := json.Unmarshal(document, &fired); err != nil {
		return err
	}
	if want := lo.Ternary(fired.Blocked || fired.Stop, cli.Refused, 0); status != want {
		return fmt.Errorf("exit status %d, want %d with %s", status, want, document)
	}
	e.left = append(e.left, fired.Effects.Async)
	return nil
}

func (e *claudeProgram) Settle(context.Context) (b claudecases.Background, err error) {
	for _, one := range e.left {
		b.NextTurnContext = append(b.NextTurnContext, one.NextTurnContext...)
		b.Rewake = append(b.Rewake, one.Rewake...)
		b.UserSees = append(b.UserSees, one.UserSees...)
	}
	b.NextTurnContext, b.Rewake, b.UserSees = cli.OrEmpty(b.NextTurnContext), cli.OrEmpty(b.Rewake), cli.OrEmpty(b.UserSees)
	return b, nil
}

// Refresh has nothing to do: every process reads the settings anew.
func (e *claudeProgram) Refresh(context.Context) error { return nil }

func (e *claudeProgram) Close() error { return nil }
