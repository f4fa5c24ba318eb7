package faults

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// large is a call whose payload is a little larger than 10 MiB. The payload of sizeable is smaller, but does not fit
// into a pipe.
var large, sizeable = callOf(10 << 20), callOf(256 << 10)

func callOf(size int) llxprt.BeforeToolInput {
	return llxprt.BeforeToolInput{Name: "write_file", Input: wire.Object(`{"path":"big","content":"` + strings.Repeat("x", size) + `"}`)}
}

// A hook may answer without reading its input (rule L18).
func TestAHookNeedNotReadItsInput(t *testing.T) {
	const answer = `; echo '{"decision":"deny","reason":"enough"}'`
	denied := want{blocked: true, reason: "enough"}
	for _, test := range []struct {
		name, script string
		in           llxprt.BeforeToolInput
		want         want
	}{
		{"never read", "true" + answer, large, denied},
		{"closed at once", "exec <&-" + answer, large, denied},
		{"one byte of it", "head -c 1 >/dev/null" + answer, sizeable, denied},
		{"one line, though it has no newline", "read -r line; [ -n \"$line\" ]" + answer, large, denied},
		{"read until a line that never comes", `while read -r line; do [ "$line" = quit ] && break; done` + answer, sizeable, denied},
		{"read until its end", "cat >/dev/null" + answer, sizeable, denied},
		{"read by a child that outlives the hook", "cat >/dev/null &" + strings.TrimPrefix(answer, ";"), large, denied},
		{"opened for writing", "echo more >&0" + answer, sizeable, denied},
		{"counted", `[ "$(wc -c)" -gt 10485760 ]` + answer, large, denied},
		{"not read by a hook that fails", "exit 1", sizeable, want{err: "exit status 1", exit: 1}},
		{"not read by a hook that refuses", "exit 2", sizeable, want{blocked: true, reason: noReason, exit: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachForm(t, test.script, setup{}, func(t *testing.T, w *world) {
				leavesNothing(t)
				w.check(t, w.fireCall(t, test.in), test.want)
				w.alive(t)
			})
		})
	}
}

// A hook may answer in pieces larger than a pipe while it reads its input. An engine that writes the whole input before
// it reads the answer would deadlock with this hook.
func TestInputAndOutputDoNotWaitForEachOther(t *testing.T) {
	eachForm(t, "exec tee /dev/stderr", setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		res := w.fireCall(t, large)
		r := res.Reports[0]
		if r.Reply == nil || r.Reply.Truncated != hook.Stdout|hook.Stderr || res.Blocked() {
			t.Errorf("truncated %+v, want both streams", r.Reply)
		}
		w.alive(t)
	})
}

// The engine reads an answer below the limit whole.
func TestAnAnswerOfFiveMebibytes(t *testing.T) {
	const size = 5 << 20
	eachForm(t, `printf '{"decision":"deny","reason":"'; head -c 5242880 /dev/zero | tr '\0' x; printf '"}'`, setup{}, func(t *testing.T, w *world) {
		leavesNothing(t)
		res := w.fire(t)
		w.check(t, res, want{blocked: true})
		if res.Reason != strings.Repeat("x", size) {
			t.Errorf("the reason has %d bytes, want %d times x", len(res.Reason), size)
		}
		w.alive(t)
	})
}
