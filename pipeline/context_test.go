package pipeline_test

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestAContextCarriesASession(t *testing.T) {
	if s, ok := pipeline.FromContext(t.Context()); s != nil || ok {
		t.Errorf("an empty context carries %v, %v; want none", s, ok)
	}
	if s, ok := pipeline.FromContext(pipeline.NewContext(t.Context(), nil)); s != nil || ok {
		t.Errorf("a context with a nil session carries %v, %v; want none", s, ok)
	}
	_, s := start(t, pipeline.Config{})
	ctx := pipeline.NewContext(t.Context(), s)
	if got, ok := pipeline.FromContext(ctx); got != s || !ok {
		t.Fatalf("the context carries %v, %v; want the session", got, ok)
	}
	seen := false
	event.On(s, "sees it", func(ctx context.Context, _ call) (hook.Output[edit], error) {
		got, ok := pipeline.FromContext(ctx)
		seen = ok && got == s
		return hook.Output[edit]{}, nil
	})
	if _, err := event.Fire(ctx, s, &call{Tool: "x"}); err != nil || !seen {
		t.Errorf("the hook sees the caller's session: %v, err %v; want it to", seen, err)
	}
}
