package project

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
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Host provides the services of the command line to modules. The zero Host provides none.
type Host struct {
	mu         sync.Mutex
	Console    io.Writer           // receives the console output of modules; nil drops it
	notes      bool                // prints messages and entries, which no agent receives here
	Execs      bool                // pi.exec runs programs
	term       *asking             // nil: there is no user to ask
	UI         xcsh.UI             // replaces term
	FixtureEnv *systems.FixtureEnv // nil: modules get the environment of the process
	JS         string              // the runtime of modules, one of jsrun.Runtimes
}

// NewHost returns the host for modules that will handle an event; notes prints their messages and
// entries.
func NewHost(cmd *cobra.Command, term *asking, notes bool) *Host {
	return &Host{Console: cmd.ErrOrStderr(), notes: notes, Execs: true, term: term}
}

// NewLookHost returns the host for modules that are inspected for their registrations; no handler
// runs.
func NewLookHost(cmd *cobra.Command) *Host {
	return &Host{Console: cmd.ErrOrStderr()}
}

// Loader returns the loader of modules for a session in a directory.
func (h *Host) Loader(dir string, check func(string, []byte) error) *modules.Loader {
	l := &modules.Loader{
		Options: jsrun.Options{Console: h.console, Dir: dir, Environ: os.Environ(), Check: check},
		Runtime: h.JS,
	}
	if h.Execs {
		l.Exec = (*xcsh.API).Exec
	}
	if h.FixtureEnv != nil {
		l.Options.Environ = h.FixtureEnv.Environ
		l.Exec = h.FixtureEnv.Exec
	}
	return l
}

// Xcsh returns the services as modules of xcsh get them.
func (h *Host) Xcsh() xcsh.Host {
	host := xcsh.Host{
		SendMessage: func(m xcsh.CustomMessage, _ xcsh.SendOptions) error {
			h.note("a module sent the message %s: %s", m.CustomType, PlainText(m.Content))
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
	if h.UI != nil {
		host.UI, host.HasUI = h.UI, true
	}
	return host
}

func (h *Host) console(level, text string) { h.line("console "+level, text) }

func (h *Host) note(format string, args ...any) {
	if h.notes {
		h.line("note", fmt.Sprintf(format, args...))
	}
}

// line writes a line; modules call it from several goroutines.
func (h *Host) line(label, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Console != nil {
		fmt.Fprintf(h.Console, "%s: %s\n", label, cli.Visible(strings.TrimRight(text, "\n")))
	}
}

// SessionView is the part of the session that modules may read.
type SessionView struct {
	xcsh.NoSession
	Ses        *pipeline.Session
	Transcript string
}

// Cwd returns the directory of the session.
func (v SessionView) Cwd() string { return v.Ses.Dir() }

// SessionID returns the id of the session.
func (v SessionView) SessionID() string { return v.Ses.ID() }

// SessionFile returns the path of the transcript.
func (v SessionView) SessionFile() string { return v.Transcript }

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
