//go:build linux && !race

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// atTheFloor returns a gate on the ratio between the time of a session's fire and the time of the bare exchange with
// the same programs, over the given number of pairs.
func atTheFloor(t *testing.T, at place, most float64, pairs int, ses *pipeline.Session, bare func()) gate {
	at.what += ", ratio to the floor"
	return compared(at, most, pairs, 1, firing(t, ses), timed(bare))
}

// A command hook costs little more than its process.
func TestCommandsRunAtTheFloor(t *testing.T) {
	testkit.Timed(t)
	for _, goal := range []struct {
		at       place
		settings string
		parallel bool
		most     float64
	}{
		{place{"W2", "FireCommand"}, commands("", answer), false, 1.08},
		{place{"W3", "FireParallel8"}, commands("", variants(8, answer)...), true, 1.12},
		{place{"W4", "FireChained4"}, commands(`"sequential": true,`, variants(4, rewrite)...), false, 1.08},
		{place{"W5", "FireOutput1MB, parsed"}, output1MB(t), false, 1.3},
	} {
		t.Run(goal.at.what, func(t *testing.T) {
			ses := session(t, goal.settings)
			bare := floorOf(t, ses)
			base := bare.chained
			if goal.parallel {
				base = bare.parallel
			}
			atTheFloor(t, goal.at, goal.most, 200, ses, base).test(t)
		})
	}
}

// A command that is one call of a program starts without a shell.
func TestAProgramCostsLittleOfWhatItsShellDoes(t *testing.T) {
	testkit.Timed(t)
	withoutShell(t, place{"W2", "/bin/true, ratio to the same through bash"}, 200, "/bin/true", true).test(t)
}

// withoutShell returns a gate that requires a command to run at least 2.3 times as fast as through a shell. If direct
// is false, the command too runs through a shell, and the gate must fail.
func withoutShell(t *testing.T, at place, pairs int, command string, direct bool) gate {
	ours := setup{settings: commands("", command), shell: !direct}.session(t)
	shell := setup{settings: commands("", command), shell: true}.session(t)
	return compared(at, 1/2.3, pairs, 1, firing(t, ours), firing(t, shell))
}

// The gates fail if a hook starts an additional shell.
func TestTheGatesCatchAShellTooMany(t *testing.T) {
	testkit.Timed(t)
	t.Run("around a command", func(t *testing.T) {
		bare := floorOf(t, session(t, commands("", answer)))
		slowed := session(t, commands("", "sh -c '"+`cat > /dev/null; echo "{}"`+"'; true"))
		atTheFloor(t, place{what: "a shell around a command"}, 1.08, 60, slowed, bare.chained).mustFail(t)
	})
	t.Run("in front of a program", func(t *testing.T) {
		withoutShell(t, place{what: "a shell in front of a program"}, 60, "/bin/cat", false).mustFail(t)
	})
}

// TestMoreForTheTable measures workloads without a goal, only for the table.
func TestMoreForTheTable(t *testing.T) {
	testkit.Timed(t)
	pairs := 1
	if *wantTable {
		pairs = 100
	}
	note := func(work, what string, pairs int, a, b func() time.Duration) {
		c := compare(pairs, a, b)
		place{work, what}.note(fmt.Sprintf("%.3f (%s to %s)", c.ratio, each(c.a, 1), each(c.b, 1)))
	}
	through := func(command string, shell bool) func() time.Duration {
		return firing(t, setup{settings: commands("", command), shell: shell}.session(t))
	}
	bash, err := exec.LookPath("bash")
	must(err)
	script := filepath.Join(t.TempDir(), "hook.sh")
	must(os.WriteFile(script, []byte("#!"+bash+"\n"+answer+"\n"), 0o755))

	note("W2", "/bin/cat, ratio to the floor", pairs, through("/bin/cat", false), timed(floorOf(t, session(t, commands("", "/bin/cat"))).chained))
	note("W2", "/bin/cat, ratio to the same through bash", pairs, through("/bin/cat", false), through("/bin/cat", true))
	note("W2", "/bin/cat, ratio to the same through /bin/sh", pairs, through("/bin/cat", false), through("/bin/sh -c /bin/cat", false))
	note("W2", "a script of bash, ratio to the same through bash -c", pairs, through(script, false), through(script, true))

	crowd := setup{settings: commands("", answer), workers: 8}.session(t)
	bare := floorOf(t, crowd)
	fire := timed(func() { must(fireConcurrently(crowd, 200)) })
	note("W6", "FireConcurrent200, 8 workers: ratio to the floor", max(1, pairs/10), fire, timed(func() { bare.limited(200, 8) }))
}
