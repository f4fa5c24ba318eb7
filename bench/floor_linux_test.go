//go:build linux && !race

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/pipeline"
)

// atTheFloor is the gate on the time of a session's fires: a ratio to the bare
// exchange of the same programs, of 200 pairs.
func atTheFloor(t *testing.T, at place, ses *pipeline.Session, bare func(), most float64) gate {
	at.what += ", ratio to the floor"
	return compared(at, most, 200, 1, firing(t, ses), timed(bare))
}

// The cost of hooks is that of their processes.
func TestCommandsRunAtTheFloor(t *testing.T) {
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
			atTheFloor(t, goal.at, ses, base, goal.most).test(t)
		})
	}
}

// A command that is one call of a program starts without a shell.
func TestAProgramCostsLittleOfWhatItsShellDoes(t *testing.T) {
	withoutShell(t, place{"W2", "a program, ratio to the same through bash"}, "/bin/cat", true).test(t)

	bash, err := exec.LookPath("bash")
	must(err)
	script := filepath.Join(t.TempDir(), "hook.sh")
	if err := os.WriteFile(script, []byte("#!"+bash+"\n"+answer+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	native, sh := session(t, commands("", "/bin/cat")), session(t, commands("", "/bin/sh -c /bin/cat"))
	for what, c := range map[string]comparison{
		"a program, ratio to the floor":                       compare(100, firing(t, native), timed(floorOf(t, native).chained)),
		"a program, ratio to the same through /bin/sh":        compare(100, firing(t, native), firing(t, sh)),
		"a script of bash, ratio to the same through bash -c": compare(100, firing(t, session(t, commands("", script))), firing(t, setup{settings: commands("", script), shell: true}.session(t))),
	} {
		place{"W2", what}.note(fmt.Sprintf("%.3f (%s to %s)", c.ratio, each(c.a, 1), each(c.b, 1)))
	}
}

// withoutShell is the gate on what starting a program at once saves: a command
// is 2.3 times faster than through a shell.
func withoutShell(t *testing.T, at place, command string, direct bool) gate {
	ours := setup{settings: commands("", command), shell: !direct}.session(t)
	shell := setup{settings: commands("", command), shell: true}.session(t)
	return compared(at, 1/2.3, 200, 1, firing(t, ours), firing(t, shell))
}

// The gates see what they are there for: a shell too many.
func TestTheGatesCatchAShellTooMany(t *testing.T) {
	t.Run("around a command", func(t *testing.T) {
		bare := floorOf(t, session(t, commands("", answer)))
		slowed := session(t, commands("", "sh -c '"+`cat > /dev/null; echo "{}"`+"'; true"))
		atTheFloor(t, place{"", "self-test: a shell around a command"}, slowed, bare.chained, 1.08).mustFail(t)
	})
	t.Run("in front of a program", func(t *testing.T) {
		withoutShell(t, place{"", "self-test: a shell in front of a program"}, "/bin/true", false).mustFail(t)
	})
}
