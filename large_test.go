package snaphook_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// arguments returns the arguments of a call: cmd, and n members with the same value.
func arguments(n int, value string) wire.Object {
	text := []byte(`{"cmd":"ls"`)
	for i := range n {
		text = fmt.Appendf(text, `,"%d":%s`, i, value)
	}
	return append(text, '}')
}

// Rewriting all arguments takes time in proportion to their number, which a model decides.
func TestRewritesTakeTimeInProportionToTheArguments(t *testing.T) {
	rewriting := func(n int) func() {
		s := open(t, snaphook.Config{}, nil)
		for i := range 2 {
			now := arguments(n, fmt.Sprint(i+1)).Without("cmd").With("command", wire.Quote("ls"))
			claude.PreToolUse.On(s.Pipeline(), fmt.Sprint(i), func(context.Context, claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
				o.Specific.UpdatedInput = now
				return o, nil
			})
		}
		call := command("ls")
		call.Input = arguments(n, "0")
		return func() {
			v, err := s.BeforeTool(t.Context(), call)
			if err != nil || v.Denied() || len(v.Conflicts) != n {
				t.Errorf("%v, %v, %d conflicts; want %d", v.Decision, err, len(v.Conflicts), n)
			}
		}
	}
	const most = 80 // if the time were quadratic, the ratio would be 256
	small, large := rewriting(500), rewriting(8000)
	if got := ratio(func(int) { large() }, func(int) { small() }, 1, 5, most); got > most {
		t.Errorf("16 times as many arguments take %.0f times as long", got)
	}
}
