package hooktest

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Benchmark runs the standard set of benchmarks for an event, with hooks in Go:
//
//	idle        there is no hook
//	unmatched   ten hooks whose matchers do not match; only with a subject
//	one         one hook, which allows
//	parallel-8  eight of them
//	chained-4   four of them, one after the other
//
// Compare them over changes with benchstat.
func Benchmark[In, Out any](b *testing.B, event *pipeline.Event[In, Out], input In) {
	b.Run("idle", func(b *testing.B) { fires(b, event, input, 0) })
	b.Run("unmatched", func(b *testing.B) {
		if event.Info().Subject == "" {
			b.Skip("the event has no subject, so every hook matches")
		}
		fires(b, event, input, 10, pipeline.MatchWith(matchesNothing{}))
	})
	b.Run("one", func(b *testing.B) { fires(b, event, input, 1) })
	b.Run("parallel-8", func(b *testing.B) {
		if event.Info().Rules.Sequential {
			b.Skip("the hooks of the event run one after the other")
		}
		fires(b, event, input, 8)
	})
	b.Run("chained-4", func(b *testing.B) { fires(b, event, input, 4, inSequence) })
}

// matchesNothing is a matcher that matches no text.
type matchesNothing struct{}

func (matchesNothing) Match(string) bool { return false }

func fires[In, Out any](b *testing.B, event *pipeline.Event[In, Out], input In, hooks int, how ...pipeline.Option) {
	var opts []Option
	for range hooks {
		opts = append(opts, On(event, "allows", allow[In, Out], how...))
	}
	s, ctx := Session(b, opts...), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := event.Fire(ctx, s, &input); err != nil {
			b.Fatal(err)
		}
	}
}

func allow[In, Out any](context.Context, In) (hook.Output[Out], error) {
	return hook.Output[Out]{Decision: hook.Allow}, nil
}
