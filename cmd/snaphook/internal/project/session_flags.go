package project

import (
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// SessionFlags holds the flags of verbs that open sessions: the settings, and facts that an agent would know. Each verb
// offers the flags that it supports.
type SessionFlags struct {
	SourceFlags

	ID          string
	transcript  string
	Interactive bool
	Trusted     bool
	Untrusted   bool
	Ask         bool
	Fleet       FleetFlags
}

// NewSessionFlags returns the session flags of a verb, which also uses the flags of the root command, global.
func NewSessionFlags(global *cli.Global) SessionFlags {
	return SessionFlags{SourceFlags: SourceFlags{Global: global}}
}

// AddHost adds the flags for facts that an agent would know.
func (f *SessionFlags) AddHost(to *pflag.FlagSet) {
	to.StringVar(&f.ID, "session", "", "Use `ID`, such as s-1, as the id of the session; default: the id in the input, else a random id")
	f.AddHostFlags(to)
}

// AddHostFlags adds the flags for facts that an agent would know, without the session's id.
func (f *SessionFlags) AddHostFlags(to *pflag.FlagSet) {
	to.StringVar(
		&f.transcript,
		"transcript",
		"",
		"Use `PATH`, such as t.jsonl, as the conversation's transcript; default: the path in the input",
	)
	to.BoolVar(
		&f.Interactive,
		"interactive",
		false,
		"Act as for an agent with a user: hooks run only in trusted projects, see snaphook trust --help",
	)
	to.BoolVar(
		&f.Trusted,
		"trusted",
		false,
		"Run the project's hooks even if they are not trusted: fire EVENT --interactive --trusted",
	)
	to.BoolVar(
		&f.Untrusted,
		"untrusted",
		false,
		"Run none of the project's hooks; for claude, with --interactive, no hooks at all: fire EVENT --interactive --untrusted",
	)
}
