package measure

import (
	"context"
	"errors"
	"io"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/bench"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
)

// benchModules prepares a benchmark of modules: the named ones, else the discovered ones. Their
// console output is dropped, and questions stay unanswered.
func benchModules(
	cmd *cobra.Command, flags project.SessionFlags, event pipeline.Declared, input []byte, n int,
) *bench.Modules {
	said := cmd // warnings are printed once
	return &bench.Modules{
		Event: event, Input: input, N: n,
		Open: func(ctx context.Context, files []string) (*bench.ModuleSession, error) {
			own := flags
			if files != nil {
				own.ModuleFiles = files
			}
			now := said
			said = silent(cmd)
			sys, ses, err := own.Session(now, project.Opening{Event: event, Input: input})
			if err != nil {
				return nil, err
			}
			var mods *project.Attached
			return &bench.ModuleSession{
				Session: ses,
				Load: func() (err error) {
					if mods, err = own.Attach(now, event, ses, &project.Host{Execs: true}); err != nil {
						return err
					}
					mods.Warn(now, true)
					return loadErrors(files, mods)
				},
				Fire: func(ctx context.Context) (*pipeline.JSONResult, error) {
					res, err := event.FireJSON(ctx, ses, input)
					return res, mods.Conclude(res, err)
				},
				Close: func() {
					mods.End(now)
					_, _ = ses.Close(context.WithoutCancel(ctx)), sys.Close() // nothing is left to report
				},
			}, nil
		},
	}
}

// loadErrors joins the load errors of modules that were named one by one.
func loadErrors(files []string, mods *project.Attached) error {
	if files == nil {
		return nil
	}
	return errors.Join(lo.Map(mods.Failed, func(e *xcsh.LoadError, _ int) error { return e })...)
}

// silent returns a command that prints nothing.
func silent(cmd *cobra.Command) *cobra.Command {
	quiet := &cobra.Command{}
	quiet.SetContext(cmd.Context())
	quiet.SetOut(io.Discard)
	quiet.SetErr(io.Discard)
	return quiet
}
