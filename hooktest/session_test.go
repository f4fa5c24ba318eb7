package hooktest

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
)

func TestSessionHasItsFilesAndHooks(t *testing.T) {
	s := Session(t,
		File("hooks/guard.sh", "#!/bin/sh\nexit 0\n"), File("notes.txt", "a"),
		On(pure, "guard", func(context.Context, deploy) (hook.Output[vote], error) {
			return hook.Output[vote]{Decision: hook.Deny}, nil
		}),
		Configure(func(_ *pipeline.Config, c *pipeline.SessionConfig) { c.ID = "another" }))
	res, err := pure.Fire(t.Context(), s, &deploy{Version: "1"})
	if err != nil || !res.Blocked() || s.ID() != "another" {
		t.Errorf("got %+v, %v in session %q; want a denial in session another", res, err, s.ID())
	}
	for path, mode := range map[string]os.FileMode{"hooks/guard.sh": 0o700, "notes.txt": 0o600} {
		if info, err := os.Stat(filepath.Join(s.Dir(), path)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: got %v, %v; want mode %v", path, info, err, mode)
		}
	}
}

func TestSessionReadsSettings(t *testing.T) {
	read := ""
	load := func(_ context.Context, w pipeline.Workspace) (pipeline.Loaded, error) {
		text, err := os.ReadFile(filepath.Join(w.Dir, "conf/hooks.json"))
		read = string(text)
		return pipeline.Loaded{}, err
	}
	if Session(t, Settings("conf/hooks.json", "{}", load)); read != "{}" {
		t.Errorf("the settings are %q, want {}", read)
	}
	wantFailure(t, "the session", func(t testing.TB) {
		Session(t, Settings("elsewhere.json", "{}", load))
	})
}

func TestSessionFindsGoroutinesThatAreLeft(t *testing.T) {
	stop := make(chan struct{})
	wantFailure(t, "goroutines are left", func(t testing.TB) {
		s := Session(t, On(pure, "leaks", func(context.Context, deploy) (o hook.Output[vote], err error) {
			go func() { <-stop }()
			return o, nil
		}))
		_, _ = pure.Fire(context.Background(), s, &deploy{})
	})
	defer close(stop)
	if got := failures(t, func(t testing.TB) { // the goroutine left above fails no other test
		Session(t)
		Session(t)
	}); got != "" {
		t.Error(got)
	}
}

// The first call of signal.Notify starts a goroutine for the whole process.
func TestSessionLeavesGoroutinesOfTheProcessAlone(t *testing.T) {
	if got := failures(t, func(t testing.TB) {
		Session(t)
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, os.Interrupt)
		signal.Stop(heard)
	}); got != "" {
		t.Error(got)
	}
}

func TestFakeClock(t *testing.T) {
	FakeClock(t, func(t *testing.T, s *pipeline.Session) {
		start := time.Now()
		res, err := pure.Fire(t.Context(), s, &deploy{})
		if err != nil || res.OK() || time.Since(start) != 24*time.Hour {
			t.Errorf("got %+v, %v after %v; want a hook that times out after a day", res, err, time.Since(start))
		}
	}, On(pure, "hangs", func(ctx context.Context, _ deploy) (o hook.Output[vote], err error) {
		<-ctx.Done()
		return o, ctx.Err()
	}, pipeline.Timeout(24*time.Hour)))
}

func TestFakeClockRefusesProcesses(t *testing.T) {
	load := func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: []*hook.Hook{{
			Identity: hook.Identity{ID: "a", Dialect: ours.Name, Event: "Pure", Type: "command", Command: "true"},
			Runner:   &run.Command{Argv: []string{"true"}},
		}}}, nil
	}
	FakeClock(t, func(t *testing.T, s *pipeline.Session) {
		res, err := pure.Fire(t.Context(), s, &deploy{})
		if errs := res.Errs(); err != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), "real time") {
			t.Errorf("got %v, %v; want one error about real time", errs, err)
		}
	}, Settings("x.json", "{}", load))
}
