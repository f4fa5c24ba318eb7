package systems

import (
	"context"
	"net/http"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	env "github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/request"
)

// FixtureEnv replaces, for the hooks of a fixture, the environment of the process, the home directory, the model,
// agents, MCP servers and the network.
type FixtureEnv struct {
	Environ   []string
	Home      string
	Model     judge.Model
	Agent     judge.AgentRunner
	Tools     request.ToolCaller
	Transport http.RoundTripper
}

// User returns the name of xcsh's directory in the home directory.
func (l *FixtureEnv) User() string {
	return lo.CoalesceOrEmpty(env.Getenv(l.Environ, "PI_CONFIG_DIR"), ".xcsh")
}

// Exec runs a program for a module.
func (l *FixtureEnv) Exec(
	api *xcsh.API, ctx context.Context, program string, args []string, opt xcsh.ExecOptions,
) (xcsh.ExecResult, error) {
	opt.Environ = l.Environ
	return api.Exec(ctx, program, args, opt)
}

// serve sends the requests of hooks to the fixture's transport.
func (l *FixtureEnv) serve(load pipeline.Load) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := load(ctx, at)
		for _, h := range loaded.Hooks {
			if sends, ok := hook.RunnerAs[*request.HTTP](h.Runner); ok {
				sends.Transport = l.Transport
			}
		}
		return loaded, err
	}
}
