package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// evaluations records evaluations as "label: why or outcome".
type evaluations struct {
	mu  sync.Mutex
	all []pipeline.Evaluation
}

func (e *evaluations) add(_ context.Context, ev *pipeline.Evaluation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, *ev)
}

func (e *evaluations) words() string {
	var words []string
	for _, ev := range e.all {
		words = append(words, fmt.Sprintf("%s: %s%s", ev.Hook.Label(), ev.SkipReason, ev.Outcome))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func TestEveryHookIsObserved(t *testing.T) {
	other := configured("Call", "other", prints(0, "{}"))
	other.Matcher, other.Pattern = match.Exact("other"), "other"
	twin := configured("Call", "twin", prints(0, "{}"))
	twin.Key = "key"
	again := configured("Call", "again", prints(0, "{}"))
	again.Key = "key"
	untrusted := configured("Call", "untrusted", prints(0, "{}"))
	untrusted.Skip = hook.Untrusted
	lonely := configured("Guarded", "lonely", prints(0, "{}"))
	lonely.Skip, lonely.SkipDetail = hook.Disabled, "switched off"

	var seen evaluations
	_, s := start(t, pipeline.Config{Observe: []pipeline.Observer{pipeline.HookEnds(seen.add)}, Load: []pipeline.Load{loads(other, twin, again, untrusted, lonely, configured("Call", "denies", prints(2, "")), configured("Call", "fails", prints(1, "")))}})
	event.On(s, "own", allow)
	fire(t, event, s, call{Tool: "write"})
	if got, want := seen.words(), "again: duplicate, denies: blocking, fails: non_blocking_error, other: matcher, own: success, twin: success, untrusted: untrusted"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, ev := range seen.all {
		if ev.Fire.Event != "test.Call" || ev.Fire.Session != "s1" || ev.Fire.Subject != "write" || ev.Fire.Time.IsZero() {
			t.Errorf("%+v", ev)
		}
		if outside := ev.SkipReason == "" && ev.Hook.Runner != nil; (ev.Payload != nil) != outside || (ev.Reply != nil) != outside {
			t.Errorf("%s: payload %s, reply %v", ev.Hook.Label(), ev.Payload, ev.Reply)
		}
	}
	seen.all = nil
	if res := fire(t, guarded, s, call{Tool: "write"}); guarded.Active(s) || res != fire(t, guarded, s, call{Tool: "write"}) {
		t.Error("an event whose only hook is switched off is active, or has a result of its own")
	}
	if got, want := seen.words(), "lonely: disabled, lonely: disabled"; got != want {
		t.Errorf("an event whose only hook is switched off: got %q, want %q", got, want)
	}
}

// logged returns the text that f logs.
func logged(t *testing.T, level slog.Level, f func(log *slog.Logger)) string {
	t.Helper()
	var text bytes.Buffer
	f(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: level}))) // the handler has a lock
	return text.String()
}

// The debug log describes a fire and contains no secrets (rule L63).
func TestTheDebugLogTellsTheCourseOfAFireAndNoSecret(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"
	text := logged(t, slog.LevelDebug, func(log *slog.Logger) {
		other := configured("Call", "other.sh "+token, prints(0, "{}"))
		other.Matcher, other.Pattern = match.Exact("other"), "other"
		_, s := start(t, pipeline.Config{Log: log, Load: []pipeline.Load{loads(
			other, configured("Call", "denies.sh "+token, prints(2, "because of "+token)), configured("Call", "fails.sh", prints(1, token)),
		)}})
		event.On(s, "panics", func(context.Context, call) (output, error) { panic(token) })
		// The token of the input is logged twice: near the beginning of the text, and across the position at which the
		// log cuts texts.
		for _, padding := range []int{0, 1900} {
			fire(t, event, s, call{Tool: "write", Input: wire.Object(`{"padding":"` + strings.Repeat("x", padding) + `","token":"` + token + `"}`)})
		}
	})
	for _, want := range []string{
		`msg="hook not selected" event=test.Call session=s1 hook="other.sh [redacted]"`, `why=matcher detail="matcher \"other\" does not match \"write\""`,
		`msg="hooks selected" event=test.Call session=s1 hooks="[panics denies.sh [redacted] fails.sh]" sequential=false`,
		`msg="hook ran"`, `outcome=blocking decision=deny`, `exit=2 stdout="because of [redacted]"`,
		`msg="hook failed; the action goes ahead"`, `error="Call hook \"panics\": panic: [redacted]"`,
		`msg="hooks merged" event=test.Call session=s1 blocked=true`, `because of [redacted]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %s\n%s", want, text)
		}
	}
	if at := strings.Index(text, token[:12]); at >= 0 {
		t.Errorf("the log shows a secret: %s", text[max(0, at-200):at+60])
	}
}

func TestTheLogWarnsOfHooksThatFailAndNothingElse(t *testing.T) {
	text := logged(t, slog.LevelInfo, func(log *slog.Logger) {
		_, s := start(t, pipeline.Config{Log: log, Load: []pipeline.Load{loads(configured("Call", "denies.sh", prints(2, "")), configured("Guarded", "fails.sh", prints(1, "")))}})
		fire(t, event, s, call{Tool: "write"})
		fire(t, guarded, s, call{Tool: "write"})
		_, s = start(t, pipeline.Config{Log: log, Load: []pipeline.Load{loads(configured("Harmless", "fails.sh", prints(1, "")))}})
		if _, err := harmless.Fire(t.Context(), s, new(deep)); err != nil {
			t.Error(err)
		}
	})
	text, harmlessly, _ := strings.Cut(text, "\n")
	if !strings.Contains(harmlessly, `msg="hook failed" event=test.Harmless`) || strings.Count(harmlessly, "\n") != 1 {
		t.Errorf("of an event that cannot block the log is\n%s", harmlessly)
	}
	if !strings.Contains(text, `level=WARN msg="hook failed; the action is blocked" event=test.Guarded session=s1 hook=fails.sh`) {
		t.Errorf("the log is\n%s", text)
	}
}
