package run

import (
	"fmt"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// A new session has no terminal until its leader opens one.
func TestNoTerminalIsASessionOfItsOwn(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		for _, alone := range []bool{false, true} {
			c := &Command{Argv: Shell(`read -r pid _ _ _ group session _ </proc/$$/stat; echo $pid $group $session`), NoTerminal: alone}
			got, err := c.run(t.Context(), hook.Call{}, run)
			var pid, group, session int
			_, scan := fmt.Sscan(string(got.Stdout), &pid, &group, &session)
			if err != nil || scan != nil || group != pid || (session == pid) != alone {
				t.Errorf("alone %v: got pid, group and session %q, %v; want it to lead its group, and its session: %v", alone, got.Stdout, err, alone)
			}
		}
	})
}

// The end of the context also kills all processes of a hook that leads its own session (rule C95).
func TestASessionOfItsOwnDiesWhole(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir := t.TempDir()
		ctx, _ := cancelledOnceStarted(t, dir)
		c := &Command{Argv: Shell("(trap '' TERM; echo $BASHPID >pid; echo >started; sleep 30; sleep 30) & wait"), NoTerminal: true}
		if _, err := c.run(ctx, hook.Call{Dir: dir}, run); err != errTooSlow {
			t.Errorf("got %v, want %v", err, errTooSlow)
		}
		testkit.WaitForEnd(t, pidIn(t, dir), 4*time.Second)
	})
}
