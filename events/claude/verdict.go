package claude

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// refusalEffect is the effect of a model's refusal on an event (release 2.1.239).
type refusalEffect uint8

const (
	nothing    refusalEffect = iota // no effect
	block                           // like exit status 2: the guarded action does not go ahead
	endTurn                         // the turn ends, or the teammate stops; the user is told why
	denyAndEnd                      // block and endTurn together
	endLoop                         // like endTurn, but reply ignores gently
)

// reply returns the reply of a command whose refusal has the effect v. With gently the reply does not end the turn, and
// passes the reason to the model; endLoop ignores gently.
func (v refusalEffect) reply(reason string, gently bool) hook.Reply {
	switch {
	case v == nothing:
		return hook.Reply{}
	case v == block || gently && v != endLoop:
		return hook.Reply{Exit: 2, Stderr: []byte(reason)}
	}
	r := hook.Reply{Stdout: wire.Object(nil).With("continue", []byte("false")).With("stopReason", wire.Quote(reason))}
	if v == denyAndEnd {
		r.Exit, r.Stderr = 2, []byte(reason)
	}
	return r
}
