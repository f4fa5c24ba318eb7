package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
)

// projectDir is the variable with the directory in which the session started.
const projectDir = "CLAUDE_PROJECT_DIR"

// commandEnv returns the environment of commands (rule C92; release 2.1.239): the engine's, without telemetry and, if
// demanded, without credentials of providers, plus the variables for hooks.
//
// Hooks of a profile get the variables of their system in place of Claude Code's.
func (r *reading) commandEnv(all []string, project string) []string {
	scrub := truthy(environ.Getenv(all, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"))
	env := lo.Filter(all, func(entry string, _ int) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !hookEnvDenylist.MatchString(name) && !(scrub && credential.MatchString(name))
	})
	if r.profile != nil {
		for _, name := range r.profile.vars {
			env = environ.WithVar(env, name, project)
		}
		return env
	}
	for _, v := range [...][2]string{{projectDir, project}, {"CLAUDECODE", "1"}, {"CLAUDE_CODE_CHILD_SESSION", "1"}, {"CLAUDE_PID", strconv.Itoa(os.Getpid())}} {
		env = environ.WithVar(env, v[0], v[1])
	}
	return env
}

// hookEnvDenylist lists variables that a hook must not inherit: telemetry, and per-hook variables
// left over when this engine itself runs inside another engine's hook.
var hookEnvDenylist = regexp.MustCompile(
	`^(OTEL_.*|CLAUDE_PLUGIN_(ROOT|DATA|OPTION_.*)|CLAUDE_ENV_FILE|CLAUDE_EFFORT)$`,
)

// credential matches the variables that hold credentials of model providers.
var credential = regexp.MustCompile(
	`^(ANTHROPIC_(.*_)?(API_KEY|AUTH_TOKEN)|ANTHROPIC_CUSTOM_HEADERS|CLAUDE_CODE_OAUTH_.*TOKEN|AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|BEARER_TOKEN_BEDROCK)|GOOGLE_(API_KEY|APPLICATION_CREDENTIALS)|AZURE_.*(KEY|SECRET|TOKEN)|OPENAI_API_KEY|GEMINI_API_KEY)$`,
)

// exitGrace is the delay between SIGTERM and SIGKILL for hooks that run while the host shuts
// down.
const exitGrace = 200 * time.Millisecond

// buildCommand reads a hook that is a command (C4, C92).
func (e *entry) buildCommand() *settings.Problem {
	text, wrong := e.needText("command", "./check.sh")
	if wrong != nil {
		return wrong
	}
	e.hook.Command = text
	shell := e.text("shell")
	if shell != "" && shell != "bash" && shell != "powershell" {
		return lo.ToPtr(e.get("shell").Wrong("there is no shell %q; write \"bash\" or \"powershell\"", shell))
	}
	if on, _ := e.Bool(e.get("async")); on {
		e.hook.Background = hook.Async
	}
	if on, _ := e.Bool(e.get("asyncRewake")); on {
		e.hook.Background = hook.Rewake
		if wake := (hook.Wake{Message: e.text("rewakeMessage"), Summary: e.text("rewakeSummary")}); wake != (hook.Wake{}) {
			e.hook.Wake = &wake
		}
	}
	args, exec, wrong := e.args(e.get("args"))
	if wrong != nil {
		return wrong
	}
	e.setKey(text, shell, string(e.get("args").JSON()))
	c := &run.Command{Environ: environFor(text, e.env), NoTerminal: true, Fallback: e.fallback}
	if e.Event.Rules.Budget {
		c.Grace = exitGrace
	}
	if e.plugin != nil {
		c.Needs = []string{e.plugin.Root}
	}
	if err := run.CheckScript(text); err != nil && !exec {
		return lo.ToPtr(e.get("command").Wrong("the command cannot be used: %v", err))
	}
	var refused error
	switch {
	case exec:
		c.Argv = lo.Map(append([]string{text}, args...), func(arg string, _ int) string { return e.plainly(arg) })
	case shell == "powershell":
		e.hook.NoEnvFile = true
		var script string
		script, refused = e.inPowerShell(text)
		c.Argv = run.PowerShell(script)
	default:
		refused = e.shell(c, text)
	}
	if !exec && shell != "powershell" {
		posixPaths(c)
	}
	e.hook.Argv, e.hook.Runner = c.Starts(hook.Call{Hook: e.hook, Dir: e.at.Dir}), c
	if e.Level == Docs && !exec && userConfig.MatchString(text) {
		refused = errPasted
	}
	e.wrap(refused, exec)
	if argumentsVar.MatchString(text) {
		e.hook.Runner = argumentsNote{e.hook.Runner}
	}
	return nil
}

var errPasted = errors.New(
	`a command in shell form cannot mention ${user_config.…}, whose value would be read as code; write it into "args"`,
)

// argumentsVar matches a use of the variable that holds the hook's input.
var argumentsVar = regexp.MustCompile(`\$(ARGUMENTS\b|\{ARGUMENTS\b)`)

// mostArguments is the longest input, in bytes, that is passed in a variable, because systems limit the length of one
// variable.
const mostArguments = 100 << 10

// environFor returns the function that makes the environment for each call of a command. env has the variables that all
// calls share.
func environFor(command string, env []string) func(hook.Call) []string {
	if argumentsVar.MatchString(command) {
		return func(call hook.Call) []string { return withArguments(env, call.Payload) }
	}
	return func(hook.Call) []string { return env }
}

// withArguments adds the input as a variable, unless it is too long. The hook also gets the input on standard input.
func withArguments(env []string, payload []byte) []string {
	if len(payload) > mostArguments {
		return env
	}
	return environ.WithVar(env, "ARGUMENTS", strings.TrimSpace(string(payload)))
}

// argumentsNote notes in the report that the input was too long for the variable: a guard that reads only the variable
// has checked nothing (C94).
type argumentsNote struct{ hook.Runner }

// Unwrap returns the Runner of the command itself.
func (a argumentsNote) Unwrap() hook.Runner { return a.Runner }

// Run runs the hook.
func (a argumentsNote) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	reply, err := a.Runner.Run(ctx, call)
	if len(call.Payload) > mostArguments {
		reply.Notes = append(reply.Notes, fmt.Sprintf(
			"the input has %d bytes, and $ARGUMENTS holds at most %d: the variable was not set, and the hook "+
				"found no input in it; read standard input instead", len(call.Payload), mostArguments,
		))
	}
	return reply, err
}

// args reads the arguments of a command that runs without a shell. An element that is not a string is an error, because
// the command without this element would be another command.
func (e *entry) args(v settings.Value) (args []string, exec bool, wrong *settings.Problem) {
	if !v.Exists() || v.Kind() == 'n' {
		return nil, false, nil
	}
	if v.Kind() != '[' {
		return nil, false, lo.ToPtr(v.Want("an array of strings"))
	}
	for _, element := range v.Elements() {
		text, ok := element.Text()
		if !ok {
			return nil, false, lo.ToPtr(element.Want("a string"))
		}
		args = append(args, text)
	}
	return args, true, nil
}

// wrap adds the wrappers that some commands need; exec means that the command runs without a shell. A hook whose
// command was refused always fails, and the refusal is also a problem of the settings.
func (e *entry) wrap(refused error, exec bool) {
	h := e.hook
	if refused != nil {
		e.Problem(e.get("command").Wrong("the hook fails each time: %v", refused))
		h.Runner = failingRunner{refused}
		return
	}
	if argv := h.Argv; len(argv) > 0 && argv[0] == "/bin/sh" && !exec {
		h.Runner = withoutBash{h.Runner}
	}
	if e.plugin != nil && e.profile == nil {
		h.Runner = furnished{h.Runner, e.plugin.data(e.reading)}
	}
	if e.traits.lastLine {
		h.Runner = worktreePath{h.Runner}
	}
}

// shell sets the process of a command that needs a shell: bash, or /bin/sh on a machine without bash. If the
// environment has a prefix, the shell passes the script to the prefix. It returns an error for a command in which a
// value would be read as code.
func (e *entry) shell(c *run.Command, text string) error {
	script, err := e.inShell(text)
	if err != nil {
		c.Argv = run.Bash(text)
		return err
	}
	if prefix := environ.Getenv(e.Environ, "CLAUDE_CODE_SHELL_PREFIX"); prefix != "" {
		c.Argv = run.PrefixShell(prefix, script)
		return nil
	}
	c.Argv = run.Bash(script)
	c.Direct, _ = run.Direct(script, e.paths().words)
	return nil
}

// withoutBash notes in the reports of a command that it ran in /bin/sh, where bash syntax fails or has another meaning.
type withoutBash struct{ hook.Runner }

// Unwrap returns the Runner of the command itself.
func (w withoutBash) Unwrap() hook.Runner { return w.Runner }

// Run runs the command.
func (w withoutBash) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	reply, err := w.Runner.Run(ctx, call)
	reply.Notes = append(
		reply.Notes,
		"bash is not installed: the command ran in /bin/sh, which treats [[ ]] and echo differently; install bash",
	)
	return reply, err
}

// tame matches values that a shell reads as one word, without expansion.
var tame = regexp.MustCompile(`^[A-Za-z0-9/._+:@%-]+$`)

// failingRunner always fails, with an error that explains why the hook cannot run.
type failingRunner struct{ err error }

// Run returns the error.
func (c failingRunner) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, c.err
}

// escapes matches the escape sequences with which programs colour their output.
var escapes = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z\\\\-_])")

func stripped(b []byte) []byte { return escapes.ReplaceAll(b, nil) }
