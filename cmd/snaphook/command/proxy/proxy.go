// Package proxy has the verb mcp-proxy.
package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	codexdoor "github.com/snaphook-go/snaphook/events/codex/door"
	"github.com/snaphook-go/snaphook/events/copilot"
	copilotdoor "github.com/snaphook-go/snaphook/events/copilot/door"
	"github.com/snaphook-go/snaphook/events/cursor"
	cursordoor "github.com/snaphook-go/snaphook/events/cursor/door"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/trust"
	"github.com/snaphook-go/snaphook/warm"
)

// proxyFlags holds the flags of mcp-proxy.
type proxyFlags struct{ project.SessionFlags }

// NewMCPProxy returns the verb mcp-proxy.
func NewMCPProxy(global *cli.Global) *cobra.Command {
	f := &proxyFlags{SessionFlags: project.NewSessionFlags(global)}
	var server string
	cmd := &cobra.Command{
		Use:   "mcp-proxy [--server NAME] -- COMMAND [ARGUMENT...]",
		Short: "Put the hooks of a project before an MCP server",
		Long: "mcp-proxy starts an MCP server that uses standard input and output, passes every message on, and runs the hooks " +
			"of the project around each call of a tool: PreToolUse and PostToolUse of claude and codex, preToolUse and postToolUse of copilot and cursor, " +
			"which has beforeMCPExecution and afterMCPExecution too, BeforeTool and AfterTool of llxprt, tool_call and " +
			"tool_result of xcsh. Hooks see the tool as mcp__NAME__TOOL, NAME-TOOL in copilot and MCP:TOOL in cursor; " +
			"for the hooks of claude a character of NAME or TOOL outside [A-Za-z0-9_-] is an underscore. " +
			"Hooks of .claude/settings.json run once, as hooks of claude.\n\n" +
			"If hooks refuse a call, or want the user to be asked, the client gets a failed result with the reason, and the server does not see the call. " +
			"MCP cannot end the agent's work: if a hook wants the agent to stop, the result has a text that says so.",
		Example: `snaphook mcp-proxy --server files -- \
  npx -y @modelcontextprotocol/server-filesystem .`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("mcp-proxy: COMMAND is missing; write it after two hyphens, as in " +
					"snaphook mcp-proxy --server files -- ./server")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if server == "" {
				server = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
			}
			return f.proxy(cmd, server, args)
		},
	}
	cmd.Flags().
		StringVar(&server, "server", "", "Use `NAME` for the server in the names of its tools; default: the name of the program")
	cmd.Flags().StringVar(&f.ID, "session-id", "", "Give hooks `ID` as the id of the session")
	cmd.Flags().BoolVar(&f.Trusted, "trusted", false, "Run the project's own hooks even without trust: mcp-proxy --trusted -- ./server")
	cmd.Flags().BoolVar(&f.Untrusted, "untrusted", false, "Run none of the project's own hooks: mcp-proxy --untrusted -- ./server")
	f.AddJS(cmd.Flags())
	return cmd
}

// proxy runs the server with the hooks in front of it.
func (f *proxyFlags) proxy(cmd *cobra.Command, server string, args []string) error {
	s, closeAll, err := f.proxySession(cmd, server)
	if err != nil {
		return err
	}
	defer closeAll()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	run := exec.CommandContext(ctx, args[0], args[1:]...)
	run.Stderr = cmd.ErrOrStderr()
	to, err := run.StdinPipe()
	if err != nil {
		return err
	}
	from, err := run.StdoutPipe()
	if err != nil {
		return err
	}
	if err := run.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) && !strings.ContainsAny(args[0], `/\`) {
			return fmt.Errorf("mcp-proxy: there is no program %q in PATH; write the command of the server after two hyphens", args[0])
		}
		return fmt.Errorf("mcp-proxy: the server cannot be started: %w", err)
	}
	p := newProxy(s, f.Log(cmd), cmd.OutOrStdout(), to)
	go func() { // standard input cannot be interrupted; the process ends with the server
		p.clientToServer(ctx, bufio.NewReader(cmd.InOrStdin()))
		_ = to.Close()
	}()
	p.serverToClient(bufio.NewReader(from))
	err = run.Wait()
	cancel()
	p.calls.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		f.Status = max(1, exit.ExitCode())
		return nil
	}
	return err
}

// proxySession opens the hooks of the project for the tools of a server.
func (f *proxyFlags) proxySession(cmd *cobra.Command, server string) (s *snaphook.Session, closeAll func(), err error) {
	all, modulesOff := project.Trust{Granted: map[string]*trust.Covered{}, Missed: map[string][]hook.Guard{}}, false
	var rules policy.Source
	layers := map[string][]settings.Layer{}        // read once: trust and hooks get the same text
	var check func(path string, text []byte) error // refuses modules without granted trust
	for _, d := range systems.Main() {
		src, err := f.Sources(d)
		if err != nil {
			return nil, nil, err
		}
		if src.Idle() {
			layers[d.Name] = []settings.Layer{}
			continue
		}
		if d.Modules {
			if modulesOff, check, err = f.judgeModules(cmd, src, &all); err != nil {
				return nil, nil, err
			}
			continue
		}
		one, err := f.Judge(cmd, src)
		if err != nil {
			return nil, nil, err
		}
		all.Untrusted, all.Undecided = all.Untrusted || one.Untrusted, all.Undecided || one.Undecided
		maps.Copy(all.Granted, one.Granted)
		maps.Copy(all.Missed, one.Missed)
		if err := project.WarnMissing(cmd, src, one.Missed); err != nil {
			return nil, nil, err
		}
		rules = src.Policy
		layers[d.Name] = append([]settings.Layer{}, src.Layers...) // not nil: with nil, snaphook would search for files
	}
	host := &project.Host{Console: cmd.ErrOrStderr(), Execs: true, JS: f.JS}
	dir, err := f.Directory()
	if err != nil {
		return nil, nil, err
	}
	hooks, err := snaphook.Open(snaphook.Config{
		Log: f.Log(cmd), Warm: warm.New(warm.Config{Log: f.Log(cmd)}),
		Wrap: all.Wrap(), Granted: all.Guards, PolicyFiles: &rules,
		Resolve: func(string) (snaphook.Tool, bool) { return snaphook.Tool{Kind: snaphook.MCP, Server: server}, true },
		Dialects: []*snaphook.Dialect{
			snaphook.Claude(snaphook.ClaudeConfig{Layers: layers[claude.Dialect.Name]}),
			codexdoor.Codex(codex.Settings{Layers: layers[codex.Dialect.Name]}),
			copilotdoor.Copilot(copilot.Settings{Layers: layers[copilot.Dialect.Name], Alone: true}),
			cursordoor.Cursor(cursor.Settings{Layers: layers[cursor.Dialect.Name], Alone: true}),
			snaphook.LLxprt(snaphook.LLxprtConfig{Layers: layers[llxprt.Dialect.Name], LayersFound: true}),
			snaphook.Xcsh(
				snaphook.XcshConfig{
					Config:    xcsh.Config{Loaders: []xcsh.ModuleLoader{host.Loader(dir, check)}},
					NoProject: modulesOff,
				},
			),
		},
	})
	if err != nil {
		return nil, nil, err
	}
	s, err = hooks.NewSession(
		cmd.Context(),
		snaphook.SessionConfig{ID: f.ID, Dir: dir, Untrusted: all.Untrusted, Undecided: all.Undecided},
	)
	if err != nil {
		hooks.Close()
		return nil, nil, err
	}
	for _, p := range s.Problems() {
		cli.Warn(cmd, "%s", p)
	}
	return s, hooks.Close, nil
}

// judgeModules decides whether the modules of the project stay unloaded, prints a warning if they do, and returns the
// check of their files. A module that trust was granted for, and that was replaced or removed, is reported as a missing
// guard.
func (f *proxyFlags) judgeModules(
	cmd *cobra.Command, src *project.Sources, all *project.Trust,
) (off bool, check func(string, []byte) error, err error) {
	a := &project.Attached{}
	if err := f.KeepBack(cmd.Context(), src, a); err != nil {
		return false, nil, err
	}
	a.WarnKept(cmd)
	if a.Swapped {
		all.Missed[src.Dialect.Name] = []hook.Guard{{Event: xcsh.ToolCall.Name(), Label: "the modules of the project"}}
	}
	return !f.Trusted && a.Check == nil, a.Check, nil
}
