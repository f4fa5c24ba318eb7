package command

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

// fixtureEnv replaces the process's environment, directories and clock for the hooks of a fixture.
type fixtureEnv struct {
	environ   []string
	home      string
	model     judge.Model
	agent     judge.AgentRunner
	tools     request.ToolCaller
	transport http.RoundTripper
}

// user returns the name of xcsh's directory in the home directory.
func (l *fixtureEnv) user() string {
	return lo.CoalesceOrEmpty(env.Getenv(l.environ, "PI_CONFIG_DIR"), ".xcsh")
}

// exec runs a program for a module.
func (l *fixtureEnv) exec(
	api *xcsh.API, ctx context.Context, program string, args []string, opt xcsh.ExecOptions,
) (xcsh.ExecResult, error) {
	opt.Environ = l.environ
	return api.Exec(ctx, program, args, opt)
}

// serve sends the requests of hooks to the fixture's transport.
func (l *fixtureEnv) serve(load pipeline.Load) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := load(ctx, at)
		for _, h := range loaded.Hooks {
			if sends := requestOf(h.Runner); sends != nil {
				sends.Transport = l.transport
			}
		}
		return loaded, err
	}
}

// requestOf returns the request that a hook sends; nil if it sends none.
func requestOf(r hook.Runner) *request.HTTP {
	for {
		if sends, is := r.(*request.HTTP); is {
			return sends
		}
		wrapper, ok := r.(interface{ Unwrap() hook.Runner })
		if !ok {
			return nil
		}
		r = wrapper.Unwrap()
	}
}
