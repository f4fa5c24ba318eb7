package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
)

// cliHost provides the services of the command line to modules. The zero cliHost provides none.
type cliHost struct {
	mu         sync.Mutex
	said       io.Writer   // output of their console; nil drops it
	notes      bool        // prints messages and entries, which no agent receives here
	runs       bool        // pi.exec runs programs
	term       *asking     // nil: there is no user to ask
	ui         xcsh.UI     // replaces term
	fixtureEnv *fixtureEnv // nil: modules get the environment of the process
	js         string      // where modules run
}

// newHost returns the host for modules that will handle an event; notes prints their messages and
// entries.
func newHost(cmd *cobra.Command, term *asking, notes bool) *cliHost {
	return &cliHost{said: cmd.ErrOrStderr(), notes: notes, runs: true, term: term}
}

// newLookHost returns the host for modules that are inspected for their registrations; no handler
// runs.
func newLookHost(cmd *cobra.Command) *cliHost {
	return &cliHost{said: cmd.ErrOrStderr()}
}

// loader returns the loader of modules for a session in a directory.
func (h *cliHost) loader(dir string, check func(string, []byte) error) *modules.Loader {
	l := &modules.Loader{
		Options: jsrun.Options{Console: h.console, Dir: dir, Environ: os.Environ(), Check: check},
		Runtime: h.js,
	}
	if h.runs {
		l.Exec = (*xcsh.API).Exec
	}
	if h.fixtureEnv != nil {
		l.Options.Environ = h.fixtureEnv.environ
		l.Exec = h.fixtureEnv.exec
	}
	return l
}

func (h *cliHost) host() xcsh.Host {
	host := xcsh.Host{
		SendMessage: func(m xcsh.CustomMessage, _ xcsh.SendOptions) error {
			h.note("a module sent the message %s: %s", m.CustomType, plainValue("", m.Content))
			return nil
		},
		AppendEntry: func(customType string, data jsontext.Value) error {
			h.note("a module kept the entry %s: %s", customType, data)
			return nil
		},
	}
	if h.term != nil {
		host.UI, host.HasUI = &terminalUI{term: h.term}, true
	}
	if h.ui != nil {
		host.UI, host.HasUI = h.ui, true
	}
	return host
}

func (h *cliHost) console(level, text string) { h.line("console "+level, text) }

func (h *cliHost) note(format string, args ...any) {
	if h.notes {
		h.line("note", fmt.Sprintf(format, args...))
	}
}

// line writes a line; modules call it from several goroutines.
func (h *cliHost) line(label, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.said != nil {
		fmt.Fprintf(h.said, "%s: %s\n", label, cli.Visible(strings.TrimRight(text, "\n")))
	}
}

// sessionView is the part of the session that modules may read.
type sessionView struct {
	xcsh.NoSession
	ses        *pipeline.Session
	transcript string
}

func (v sessionView) Cwd() string         { return v.ses.Dir() }
func (v sessionView) SessionID() string   { return v.ses.ID() }
func (v sessionView) SessionFile() string { return v.transcript }

// terminalUI asks the questions of modules at the terminal, one at a time.
type terminalUI struct {
	xcsh.NoUI
	mu   sync.Mutex
	term *asking
}

// Select implements [xcsh.UI]: the user types the number of an option, or its text.
func (u *terminalUI) Select(ctx context.Context, title string, options []string) (string, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.term.choose(ctx, title, options)
}

// Confirm implements [xcsh.UI]. A missing answer means no.
func (u *terminalUI) Confirm(ctx context.Context, title, message string) bool {
	answer, _ := u.Select(ctx, strings.TrimSpace(title+"\n"+message), []string{"yes", "no"})
	return answer == "yes"
}

// Input implements [xcsh.UI]: the user types a line.
func (u *terminalUI) Input(ctx context.Context, title, placeholder string) (string, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if placeholder != "" {
		title += " (" + placeholder + ")"
	}
	return u.term.enter(ctx, title)
}

// Notify implements [xcsh.UI].
func (u *terminalUI) Notify(message, level string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	fmt.Fprintf(u.term.out, "%s: %s\n", cli.Visible(level), cli.Visible(message))
}
