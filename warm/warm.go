// Package warm runs scripts of bash and dash in the host's process, even if they use cat, grep or jq, as most guards
// do.
//
// Pass the result of New in the Config:
//
//	hooks, err := snaphook.Open(snaphook.Config{Warm: warm.New(warm.Config{})})
//
// On Linux, hooks whose scripts the package knows exactly then run in the process, unless a policy names another kind,
// such as "warm": "off". Any other script is run as a whole by its shell; no part of it has been executed before. On
// Windows a script runs in the process only if Git's bash is not installed, and the hook's policy says "warm": "bash".
package warm

import (
	"log/slog"
	"maps"

	"github.com/snaphook-go/snaphook/internal/inprocess"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm/internal/bash"
	"github.com/snaphook-go/snaphook/warm/internal/git"
	"github.com/snaphook-go/snaphook/warm/internal/grep"
	"github.com/snaphook-go/snaphook/warm/internal/jq"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
	"github.com/snaphook-go/snaphook/warm/internal/text"
)

// Config configures New.
type Config struct {
	Limit int          // maximum number of warm commands; 0 means 8
	Log   *slog.Logger // nil means [slog.Default]
}

// New returns the value for Warm of a snaphook.Config or pipeline.Config; the engine closes it. New starts nothing.
func New(cfg Config) *run.Warm { return &run.Warm{Limit: cfg.Limit, Log: cfg.Log, Tools: Tools()} }

// Tools returns the shell of this process, for Tools of a [run.Warm], with all programs that scripts may run in it.
func Tools() inprocess.Shell {
	programs := map[string]shell.Program{"bash": bash.Bash{}, "grep": &grep.Grep{Name: "grep"}, "jq": &jq.JQ{}}
	maps.Copy(programs, text.Programs())
	maps.Copy(programs, git.Programs())
	return shell.NewTools(programs)
}
