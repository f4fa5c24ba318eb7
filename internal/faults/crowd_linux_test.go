package faults

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// variants makes commands that differ, so that none is a duplicate.
func variants(n int, script string) []string {
	return lo.Times(n, func(i int) string { return fmt.Sprintf("%s # %d", script, i) })
}

// misbehaviour lists 64 hooks, each of which fails in its own way.
func misbehaviour() []string {
	scripts := []string{
		"sleep 60", "sleep 60; true", "sleep 60 & wait", "exec yes", "exec cat /dev/zero >&2", "yes & yes >&2 & wait",
		"more() { while :; do sleep 1 & wait; done; }; more & more & wait", "exec 3<>pipe; cat <&3",
		"head -c 20000000 /dev/zero", "head -c 9000000 /dev/urandom",
		"./no-such", "no-such-program", "exec ./no-such", "cd /no/such && exit 2", "set -e; false; exit 2", "set -u; echo $nothing; exit 2",
		`printf '{"decision":"deny"'; exit 1`, `echo '{"decision":"deny"}'; kill -KILL $$`, `echo '{"decision":"deny"}'; exit 3`,
		"exec <&-; exec 2>&-; exec >&-; exit 9", "ulimit -n 0; cat /dev/null || exit 4", "ulimit -v 1; cat /dev/null || exit 5", "ulimit -f 0; echo x >file; exit 6",
		"trap 'exit 2' TERM; sleep 60 & wait", "cat /dev/urandom | head -c 100000; exit 8",
	}
	for _, signal := range []string{"HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "XCPU", "SYS"} {
		scripts = append(scripts, "kill -"+signal+" $$; sleep 60")
	}
	for status := 10; len(scripts) < 64; status++ {
		scripts = append(scripts, fmt.Sprintf("echo %d >&2; exit %d", status, status))
	}
	return scripts
}

// The answer of the 65th hook counts while 64 others misbehave at once, and each of them has its
// own error.
func TestAMisbehavingCrowdDrownsNobody(t *testing.T) {
	leavesNothing(t)
	bad := misbehaviour()
	w := open(t, setup{commands: append(bad, `cat >/dev/null; echo '{"decision":"deny","reason":"heard"}'`), timeout: time.Second})
	testkit.Pipe(t, w.dir, "pipe")
	if n := len(lo.Uniq(bad)); n != 64 {
		t.Fatalf("%d kinds, want 64", n)
	}
	res := w.fire(t)
	if !res.Blocked() || res.Reason != "heard" || len(res.Reports) != 65 || res.OK() {
		t.Fatalf("blocked %v, reason %q, %d reports; want the denial of the last of 65", res.Blocked(), res.Reason, len(res.Reports))
	}
	for i := range bad {
		r := &res.Reports[i]
		var of *hook.Error
		if r.Index != i || r.Hook.Command != bad[i] || !errors.As(r.Err, &of) || of.Hook != r.Hook || !r.FailedOpen() || r.Elapsed <= 0 || r.Elapsed > time.Second+generous {
			t.Errorf("%s: %+v, error %v; want it to have failed", bad[i], r, r.Err)
		}
	}
	if r := res.Reports[64]; r.Err != nil || !r.OK() {
		t.Errorf("the well-behaved hook failed: %v", r.Err)
	}
	if n, logged := w.sys.FailedOpen(), len(w.log.failures()); n != 64 || logged != 64 {
		t.Errorf("failed open %d times, %d warnings; want 64", n, logged)
	}
	w.leavesNoProcess(t)
	w.alive(t)
}
