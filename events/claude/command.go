package claude

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// projectDir is the variable with the directory in which the session started.
const projectDir = "CLAUDE_PROJECT_DIR"

// hookEnvDenylist lists variables that a hook must not inherit: telemetry, and per-hook variables
// left over when this engine itself runs inside another engine's hook.
var hookEnvDenylist = lazyregexp.New(
	`^(OTEL_.*|CLAUDE_PLUGIN_(ROOT|DATA|OPTION_.*)|CLAUDE_ENV_FILE|CLAUDE_EFFORT)$`,
)

// credential matches the variables that hold credentials of model providers.
var credential = lazyregexp.New(
	`^(ANTHROPIC_(.*_)?(API_KEY|AUTH_TOKEN)|ANTHROPIC_CUSTOM_HEADERS|CLAUDE_CODE_OAUTH_.*TOKEN|AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|BEARER_TOKEN_BEDROCK)|GOOGLE_(API_KEY|APPLICATION_CREDENTIALS)|AZURE_.*(KEY|SECRET|TOKEN)|OPENAI_API_KEY|GEMINI_API_KEY)$`,
)

// exitGrace is the delay between SIGTERM and SIGKILL for hooks that run while the host shuts
// down.
const exitGrace = 200 * time.Millisecond

var errPasted = errors.New(
	`a command in shell form cannot mention ${user_config.…}, whose value would be read as code; write it into "args"`,
)

// argumentsVar matches a use of the variable that holds the hook's input.
var argumentsVar = lazyregexp.New(`\$(ARGUMENTS\b|\{ARGUMENTS\b)`)

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
var tame = lazyregexp.New(`^[A-Za-z0-9/._+:@%-]+$`)

// failingRunner always fails, with an error that explains why the hook cannot run.
type failingRunner struct{ err error }

// Run returns the error.
func (c failingRunner) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, c.err
}

// escapes matches the escape sequences with which programs colour their output.
var escapes = lazyregexp.New("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z\\\\-_])")

func stripped(b []byte) []byte { return escapes.ReplaceAll(b, nil) }
