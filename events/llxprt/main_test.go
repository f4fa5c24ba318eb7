package llxprt_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

func TestMain(m *testing.M) {
	// The clock goroutine of regexp2 outlives the last match for a while.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// layer returns a settings file that is not on disk.
func layer(source hook.Source, text string) settings.Layer {
	return settings.Layer{Name: source.String(), Source: source, File: source.String() + ".json", Data: []byte(text)}
}

func project(text string) llxprt.Settings {
	return llxprt.Settings{Layers: []settings.Layer{layer(hook.Project, text)}}
}

func system(t *testing.T, s llxprt.Settings) *pipeline.System {
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{s.Load}, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	t.Cleanup(func() { _ = sys.Close() })
	return sys
}

func session(t *testing.T, sys *pipeline.System, cfg pipeline.SessionConfig) *pipeline.Session {
	s, err := sys.NewSession(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// says returns a hook in Go with a fixed answer.
func says[In, Out any](o hook.Output[Out]) hook.Func[In, Out] {
	return func(context.Context, In) (hook.Output[Out], error) { return o, nil }
}

func load(t *testing.T, s llxprt.Settings, at pipeline.Workspace) pipeline.Loaded {
	if at.Dir == "" {
		at.Dir = "/p"
	}
	loaded, err := s.Load(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
