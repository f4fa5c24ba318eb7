package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/common"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// fireLog writes the log of one fire.
type fireLog struct{ *fireState }

// planned writes the plan to the log.
func (l fireLog) planned(ctx context.Context) {
	for _, skipped := range l.plan.Skipped {
		l.debug(
			ctx,
			"hook not selected",
			slog.String("hook", environ.Scrub(skipped.Hook.Label())),
			slog.String("at", skipped.Hook.Position.String()),
			slog.String("why", string(skipped.Reason)),
			slog.String("detail", environ.Scrub(skipped.Detail)),
		)
	}
	labels := make([]string, len(l.plan.Run))
	for i, h := range l.plan.Run {
		labels[i] = environ.Scrub(h.Label())
	}
	l.debug(ctx, "hooks selected", slog.Any("hooks", labels), slog.Bool("sequential", l.plan.Sequential))
}

func (l fireLog) ended(ev *Evaluation, output []byte, in any) {
	attrs := []slog.Attr{
		slog.String("hook", environ.Scrub(ev.Hook.Label())),
		slog.String("at", ev.Hook.Position.String()),
		slog.String("outcome", string(ev.Outcome)),
		slog.String("decision", string(ev.Decision)),
		slog.Duration("took", ev.Elapsed),
	}
	switch own, err := encode(nil, in); {
	case ev.Payload != nil:
		attrs = append(attrs, slog.String("input", excerpt(ev.Payload)))
	case err == nil: // a hook in Go
		attrs = append(attrs, slog.String("input", excerpt(own)))
	}
	if output != nil {
		attrs = append(attrs, slog.String("output", excerpt(output)))
	}
	if r := ev.Reply; r != nil {
		attrs = append(
			attrs,
			slog.Int("exit", r.Exit),
			slog.String("stdout", excerpt(r.Stdout)),
			slog.String("stderr", excerpt(r.Stderr)),
		)
	}
	if ev.Err != nil {
		attrs = append(attrs, slog.String("error", environ.Scrub(ev.Err.Error())))
	}
	l.debug(l.ctx, "hook ran", attrs...)
}

// failure logs a warning for a failed hook. The line adds that the action is blocked or, if the event can block, that
// it goes ahead.
func (l fireLog) failure(r *common.Report) {
	msg := "hook failed"
	switch {
	case blocked(r):
		msg = "hook failed; the action is blocked"
	case l.of.guards:
		msg = "hook failed; the action goes ahead"
	}
	attrs := []slog.Attr{
		slog.String("event", l.of.full),
		slog.String("session", l.s.id),
		slog.String("hook", environ.Scrub(r.Hook.Label())),
		slog.String("at", r.Hook.Position.String()),
		slog.String("error", environ.Scrub(r.Err.Error())),
		slog.Duration("took", r.Elapsed),
	}
	if r.Reply != nil && len(r.Reply.Stderr) > 0 {
		attrs = append(attrs, slog.String("stderr", excerpt(r.Reply.Stderr)))
	}
	if r.OnFailure != hook.FailOpen && r.Hook.Policy != nil && overlaid(r.Hook) {
		attrs = append(attrs, slog.String("policy", environ.Scrub(waysOut(r))))
	}
	l.s.sys.log.LogAttrs(l.ctx, slog.LevelWarn, msg, attrs...)
}

// notes logs the notes on a hook's answer as warnings, because a hook whose answer has no effect may be a guard.
func (l fireLog) notes(h *hook.Hook, notes []string) {
	for _, note := range notes {
		if note == stages.NoteText {
			continue // plain text is no answer
		}
		l.s.sys.log.LogAttrs(
			l.ctx,
			slog.LevelWarn,
			"note on a hook's answer",
			slog.String("event", l.of.full),
			slog.String("session", l.s.id),
			slog.String("hook", environ.Scrub(h.Label())),
			slog.String("at", h.Position.String()),
			slog.String("note", environ.Scrub(note)),
		)
	}
}

func (l fireLog) panicked(msg string, v any) {
	l.s.sys.log.LogAttrs(l.ctx, slog.LevelError, msg, slog.String("event", l.of.full),
		slog.String("session", l.s.id), slog.String("panic", environ.Scrub(fmt.Sprint(v))))
}

func (l fireLog) reducer(err error) {
	l.s.sys.log.LogAttrs(
		l.ctx,
		slog.LevelError,
		"the answers could not be merged; the first one that blocks counts",
		slog.String("event", l.of.full),
		slog.String("session", l.s.id),
		slog.String("error", environ.Scrub(err.Error())),
	)
}

// matcher logs that a matcher or condition panicked; the hook counts as matching.
func (l fireLog) matcher(ctx context.Context) {
	l.s.sys.log.LogAttrs(
		ctx,
		slog.LevelError,
		"a matcher or a condition panicked; its hook runs",
		slog.String("event", l.of.full),
		slog.String("session", l.s.id),
		slog.String("error", environ.Scrub(l.plan.Panicked.Error())),
	)
}

func (l fireLog) debug(ctx context.Context, msg string, attrs ...slog.Attr) {
	attrs = append(
		[]slog.Attr{slog.String("event", l.of.full), slog.String("session", l.s.id)},
		attrs...)
	l.s.sys.log.LogAttrs(ctx, slog.LevelDebug, msg, attrs...)
}

// excerpt returns the beginning of a text for the log, with secrets redacted.
func excerpt(b []byte) string {
	const most = 2048
	text := environ.Scrub(wire.Valid(b)) // before the text is cut, because half a secret would not be recognised
	if len(text) > most {
		return wire.Valid([]byte(text[:most])) + "…"
	}
	return text
}

// debugName is the engine's name in the environment variable DEBUG.
const debugName = "llxprt:core:hooks:engine"

// WantsDebug reports whether a value of the environment variable DEBUG selects the engine's log on level Debug, as
// "llxprt:core:hooks:*", "llxprt:*" and "*" do. It has the syntax of the npm package debug: names are separated by
// commas or white space, "*" matches any text, and a leading "-" excludes a name.
func WantsDebug(value string) bool {
	wants := false
	separates := func(r rune) bool { return strings.ContainsRune(", \t\n", r) }
	for name := range strings.FieldsFuncSeq(value, separates) {
		name, excluded := strings.CutPrefix(name, "-")
		if !names(name, debugName) {
			continue
		}
		if excluded {
			return false
		}
		wants = true
	}
	return wants
}

// names reports whether name, a pattern with "*", matches other.
func names(name, other string) bool {
	parts := strings.Split(name, "*")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	matched, err := regexp.MatchString("^"+strings.Join(parts, ".*")+"$", other)
	return err == nil && matched
}

// loud passes Debug records to a handler whose level is higher.
type loud struct{ slog.Handler }

func (l loud) Enabled(context.Context, slog.Level) bool { return true }

func (l loud) WithAttrs(attrs []slog.Attr) slog.Handler { return loud{l.Handler.WithAttrs(attrs)} }

func (l loud) WithGroup(name string) slog.Handler { return loud{l.Handler.WithGroup(name)} }
