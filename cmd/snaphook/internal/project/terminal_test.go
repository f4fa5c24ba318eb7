package project

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/snaphook-go/snaphook/hook"
)

var yesOrNo = hook.Question{ID: "q", Message: "Really?", Options: []hook.Option{{Key: "yes", Label: "Go on"}, {Key: "no", Label: "no"}}}

func TestAQuestionIsAnsweredByKeyOrNumber(t *testing.T) {
	for typed, want := range map[string]string{
		"yes\n":        "yes true",
		" 2 \n":        "no true",
		"3\nno\n":      "no true",
		"maybe\n1\n":   "yes true",
		"\n":           " false",
		"":             " false",
		"yes":          "yes true",
		"maybe\n\nyes": " false",
	} {
		var shown strings.Builder
		a := &asking{in: bufio.NewReader(strings.NewReader(typed)), out: &shown}
		key, ok := a.ask(t.Context(), &hook.Hook{Identity: hook.Identity{Command: "check\x1b[2J"}}, yesOrNo)
		if got := fmt.Sprintf("%s %v", key, ok); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
		if text := shown.String(); !strings.Contains(text, `The hook check\u001b[2J asks: Really?`) || !strings.Contains(text, "  1  yes: Go on\n  2  no\n") {
			t.Errorf("shown: %q", text)
		}
	}
}

// A line that is typed for an earlier question does not answer the next one.
func TestALateAnswerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		a := &asking{in: bufio.NewReader(in), out: io.Discard}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if key, ok := a.ask(ctx, &hook.Hook{}, yesOrNo); ok {
			t.Errorf("got %q, want no answer after the end", key)
		}
		io.WriteString(typed, "yes\n")
		synctest.Wait() // the line has been read
		go io.WriteString(typed, "no\n")
		if key, ok := a.ask(t.Context(), &hook.Hook{}, yesOrNo); key != "no" || !ok {
			t.Errorf("got %q, %v; want the answer to this question, no", key, ok)
		}
	})
}
