package command

import (
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// sessionFlags holds the flags of verbs that open sessions: the settings, and the facts that an
// agent would know. A verb offers those that it understands.
type sessionFlags struct {
	sourceFlags

	id          string
	transcript  string
	interactive bool
	trusted     bool
	untrusted   bool
	ask         bool
	fleet       fleetFlags
}

// onSession returns the session flags of a verb, beside those of the root command.
func onSession(global *cli.Global) sessionFlags {
	return sessionFlags{sourceFlags: sourceFlags{Global: global}}
}

// addHost adds the flags for facts that an agent would know.
func (f *sessionFlags) addHost(to *pflag.FlagSet) {
	to.StringVar(&f.id, "session", "", "The session's `ID`, such as s-1; else the input's, else a random one")
	f.addHostFlags(to)
}

// addHostFlags adds the flags for facts that an agent would know, without the session's id.
func (f *sessionFlags) addHostFlags(to *pflag.FlagSet) {
	to.StringVar(
		&f.transcript,
		"transcript",
		"",
		"`PATH` of the conversation's transcript, such as t.jsonl; else the input's",
	)
	to.BoolVar(
		&f.interactive,
		"interactive",
		false,
		"Act as for an agent that a person talks to: only trusted projects run hooks, see snaphook trust --help",
	)
	to.BoolVar(
		&f.trusted,
		"trusted",
		false,
		"Run the project's hooks even if they are not trusted: fire EVENT --interactive --trusted",
	)
	to.BoolVar(
		&f.untrusted,
		"untrusted",
		false,
		"Run none of the project's hooks; for claude, with --interactive, no hooks at all: fire EVENT --interactive --untrusted",
	)
}
