//go:build unix

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// asks is a line that asks a question with the keys yes and no.
func asks(id string) string {
	return fmt.Sprintf(`echo '{"prompt":"%s","message":"Really?","options":[{"key":"yes","label":"Yes"},{"key":"no","label":"No","description":"stop"}]}'`, id)
}

// answers returns an Ask that returns keys in turn, and the questions that it was asked.
func answers(keys ...string) (ask func(context.Context, hook.Question) (string, bool), asked *[]hook.Question) {
	asked = new([]hook.Question)
	return func(_ context.Context, q hook.Question) (string, bool) {
		*asked = append(*asked, q)
		if len(*asked) > len(keys) {
			return "", false
		}
		return keys[len(*asked)-1], true
	}, asked
}

func TestAHookAsksTheUser(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		ask, asked := answers("no", "a \"b\"\n", "x")
		script := "echo before; read -r input; echo $input; " + asks("q1") + "; read -r a; echo $a; " + asks("q2") + "; " + asks("q3") + "; read -r a; read -r b; echo $a; echo $b; exit 2"
		got := run.script(t, script, hook.Call{Payload: []byte("{}\n"), Ask: ask})
		const want = "before\n{}\n{\"prompt_response\":\"q1\",\"selected\":\"no\"}\n{\"prompt_response\":\"q2\",\"selected\":\"a \\\"b\\\"n\"}\n{\"prompt_response\":\"q3\",\"selected\":\"x\"}\n"
		if text := strings.ReplaceAll(string(got.Stdout), `\n`, "n"); text != strings.ReplaceAll(want, `\n`, "n") || got.Exit != 2 {
			t.Errorf("got %q, status %d; want %q", got.Stdout, got.Exit, want)
		}
		options := []hook.Option{{Key: "yes", Label: "Yes"}, {Key: "no", Label: "No", Description: "stop"}}
		if len(*asked) != 3 || fmt.Sprint((*asked)[0]) != fmt.Sprint(hook.Question{ID: "q1", Message: "Really?", Options: options}) || (*asked)[2].ID != "q3" {
			t.Errorf("asked %+v, want three questions in turn", *asked)
		}
	})
}

func TestWithoutAnAnswerStandardInputEnds(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		ask, asked := answers()
		got := run.script(t, "cat <&0 & "+asks("q1")+"; "+asks("q2")+"; wait; read -r x; echo $? $x", hook.Call{Ask: ask})
		if string(got.Stdout) != "1\n" || len(*asked) != 1 {
			t.Errorf("got %q after %d questions; want the end of standard input after one", got.Stdout, len(*asked))
		}
	})
}

func TestOtherLinesAreOutput(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		ask, asked := answers("yes")
		lines := []string{
			`{"prompt":1,"message":"m","options":[]}`,
			`{"prompt":"p","message":"m"}`,
			`{"prompt":"p","options":[]}`,
			`{"prompt":"p","message":"m","options":{}}`,
			`{"prompt":"p","message":"m","options":[{"key":"k"}]}`,
			`{"prompt":"p","message":"m","options":[null]}`,
			`[{"prompt":"p","message":"m","options":[]}]`,
			`{"Prompt":"p","message":"m","options":[]}`,
			`{"decision":"block"}`,
			``,
			`{"prompt":"p","message":"m","options":[]}`, // the line end is missing
		}
		text := strings.Join(lines, "\n")
		got := run.script(t, "printf %s '"+text+"'", hook.Call{Ask: ask})
		if string(got.Stdout) != text || len(*asked) != 0 {
			t.Errorf("got %q after %d questions; want all of it and none", got.Stdout, len(*asked))
		}
		got = run.script(t, "echo '"+lines[0]+"'; echo '"+lines[10]+"'; read -r a; printf ok", hook.Call{Ask: ask})
		if string(got.Stdout) != lines[0]+"\nok" || len(*asked) != 1 {
			t.Errorf("got %q after %d questions; want all but one", got.Stdout, len(*asked))
		}
	})
}

func TestAHookThatMayNotAskSeesTheEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		got := run.script(t, asks("q")+"; cat; echo end", hook.Call{Payload: []byte("{}\n")})
		if !strings.HasPrefix(string(got.Stdout), `{"prompt":"q"`) || !strings.HasSuffix(string(got.Stdout), "{}\nend\n") {
			t.Errorf("got %q, want the question as output", got.Stdout)
		}
	})
}

// thinks is an Ask in which the user does not answer before ctx ends.
func thinks(ctx context.Context, _ hook.Question) (string, bool) {
	<-ctx.Done()
	return "late", true
}

func TestWhileTheUserThinksOutputIsReadAndTheTimeRuns(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, run runFunc) {
		t.Parallel()
		dir := t.TempDir()
		call := hook.Call{Dir: dir, Timeout: 2 * time.Second, Ask: thinks}
		got, err := (&Command{Argv: Shell(asks("q") + "; head -c 1000000 /dev/zero; echo $$ >pid; read -r a; echo $a")}).run(t.Context(), call, run)
		var late *hook.TimeoutError
		if !errors.As(err, &late) || len(got.Stdout) != 1000000 {
			t.Errorf("got %d bytes, %v; want all output and a timeout", len(got.Stdout), err)
		}
		testkit.WaitForEnd(t, pidIn(t, dir), 4*time.Second)
	})
}

func TestTheEndOfTheHookEndsItsQuestion(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		over := false
		asking := make(chan struct{})
		dir := t.TempDir()
		ask := func(ctx context.Context, q hook.Question) (string, bool) {
			if err := os.WriteFile(filepath.Join(dir, "asked"), nil, 0o600); err != nil {
				t.Error(err)
			}
			close(asking)
			key, ok := thinks(ctx, q)
			over = true // not a race, because Run waits for Ask
			return key, ok
		}
		got := run.script(t, asks("q1")+"; "+asks("q2")+"; until [ -e asked ]; do sleep 0.01; done; echo bored", hook.Call{Dir: dir, Ask: ask})
		<-asking
		if string(got.Stdout) != "bored\n" || !over {
			t.Errorf("got %q, the question over: %v; want bored and true", got.Stdout, over)
		}
	})
}

func TestABigPayloadComesBeforeTheAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		ask, _ := answers("yes")
		payload := strings.Repeat("x", 200_000) // more than fits into a pipe
		got := run.script(t, asks("q")+"; read -r p; echo ${#p}; read -r a; echo $a", hook.Call{Payload: []byte(payload + "\n"), Ask: ask})
		if want := "200000\n{\"prompt_response\":\"q\",\"selected\":\"yes\"}\n"; string(got.Stdout) != want {
			t.Errorf("got %q, want %q", got.Stdout, want)
		}
	})
}

func TestManyQuestionsAtOnceAreOutput(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		script := "for i in {1..200}; do " + asks("q") + "; done"
		got := run.script(t, script, hook.Call{Ask: thinks})
		if n := strings.Count(string(got.Stdout), "prompt"); n < 200-mostQuestions-1 || n > 200-mostQuestions {
			t.Errorf("%d questions are output, want 200 without the %d that wait", n, mostQuestions)
		}
	})
}

func TestAHookInTheBackgroundMayAsk(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		call, b := detached(t.Context(), hook.Call{Timeout: 30 * time.Second})
		free := make(chan struct{})
		call.Ask = func(ctx context.Context, _ hook.Question) (string, bool) {
			<-free
			return "yes", ctx.Err() == nil // the context of Run has ended, and ctx must not have ended
		}
		_, err := (&Command{Argv: Shell(asks("q1") + `; echo '{"async":true}'; read -r a; echo "$a"; ` + asks("q2") + `; read -r a; echo "$a"`)}).run(ctx, call, run)
		cancel()
		close(free)
		b.wait(t)
		const want = "{\"async\":true}\n{\"prompt_response\":\"q1\",\"selected\":\"yes\"}\n{\"prompt_response\":\"q2\",\"selected\":\"yes\"}\n"
		if !errors.Is(err, hook.ErrDetached) || b.err != nil || string(b.reply.Stdout) != want {
			t.Errorf("got %v, then %q, %v; want %q", err, b.reply.Stdout, b.err, want)
		}
	})
}

func TestAProcessThatHearsNothingIsNotAsked(t *testing.T) {
	everywhere(t, func(t *testing.T, run runFunc) {
		ask, asked := answers("yes")
		payload := make([]byte, 1<<20) // more than fits into a pipe
		got := run.script(t, "exec <&-; sleep 0.05; "+asks("q")+"; sleep 0.05; echo end", hook.Call{Payload: payload, Ask: ask})
		if string(got.Stdout) != "end\n" || len(*asked) != 0 {
			t.Errorf("got %q after %d questions; want the end and none", got.Stdout, len(*asked))
		}
	})
}

// However an output is split, its questions are removed and the rest stays.
func FuzzQuestions(f *testing.F) {
	const q = `{"prompt":"p","message":"m","options":[{"key":"k","label":"l"}]}`
	for _, text := range []string{q + "\n", "a\n" + q + "\nb", q, q + "\n" + q + "\r\n", "{\"prompt\"\n" + q + "\n\n", " " + q + " \n{\"async\":true}\n" + q} {
		f.Add([]byte(text), []byte{1, 0, 30, 7})
	}
	f.Fuzz(func(t *testing.T, text, cuts []byte) {
		var want []string
		rest := ""
		for line := range strings.SplitAfterSeq(string(text), "\n") {
			if q, ok := question([]byte(line)); ok && strings.HasSuffix(line, "\n") && len(want) < mostQuestions {
				want = append(want, q.ID)
			} else {
				rest += line
			}
		}
		e := outputFilter{questions: newQuestionQueue(nil), declared: make(chan time.Duration, 1)}
		c := &capture{limit: MaxStdout, inOne: true}
		for _, part := range reads(text, cuts) {
			for len(part) > 0 {
				n := copy(c.room(), part)
				c.took(n)
				part = part[n:]
			}
			e.listen(c)
		}
		close(e.questions.waiting)
		var got []string
		for q := range e.questions.waiting {
			got = append(got, q.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || string(c.bytes()) != rest {
			t.Fatalf("%q in %v: got %q and %q, want %q and %q", text, cuts, got, c.kept, want, rest)
		}
		first, _, whole := strings.Cut(rest, "\n")
		if _, ok := declaration([]byte(first)); (ok && whole) != (len(e.declared) == 1) {
			t.Fatalf("%q in %v: declared %d times", text, cuts, len(e.declared))
		}
	})
}
