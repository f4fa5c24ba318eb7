package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/snaphook-go/snaphook/trust"
)

// absolute returns an absolute path; on Windows it adds a drive.
func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDecisionsOfManyProcessesAreAllKept(t *testing.T) {
	store := trust.Store(filepath.Join(t.TempDir(), "deep", "trust.json"))
	want := trust.Decisions{}
	var g errgroup.Group
	for i := range 20 {
		dir, d := absolute(t, fmt.Sprintf("/p/%d", i)), trust.Decision{State: trust.Granted, Digests: map[string]string{"llxprt": "d"}, Time: time.Unix(int64(i), 0).UTC()}
		want[dir] = d
		g.Go(func() error { return store.Decide(t.Context(), dir, d) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := store.Read(t.Context())
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestADecisionIsAboutItsDialectsAlone(t *testing.T) {
	store := trust.Store(filepath.Join(t.TempDir(), "trust.json"))
	decide := func(state string, digests map[string]string) {
		t.Helper()
		if err := store.Decide(t.Context(), absolute(t, "/p"), trust.Decision{State: state, Digests: digests}); err != nil {
			t.Fatal(err)
		}
	}
	state := func(digests map[string]string) trust.State {
		all, err := store.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all.State(absolute(t, "/p"), digests)
	}
	both := map[string]string{"a": "1", "b": "2"}
	for _, step := range []struct {
		decide string
		with   map[string]string
		want   trust.State
	}{
		{"", nil, trust.Unknown},
		{trust.Granted, map[string]string{"a": "1"}, trust.Changed},
		{trust.Granted, map[string]string{"b": "2"}, trust.Trusted},
		{trust.Granted, map[string]string{"b": "3"}, trust.Changed},
		{trust.Revoked, map[string]string{"b": "2"}, trust.Untrusted},
		{trust.Granted, map[string]string{"b": "2"}, trust.Changed},
	} {
		if step.decide != "" {
			decide(step.decide, step.with)
		}
		if got := state(both); got != step.want {
			t.Errorf("after %s of %v: %s, want %s", step.decide, step.with, got, step.want)
		}
	}
	if got := state(map[string]string{"c": ""}); got != trust.Trusted {
		t.Errorf("a dialect without hooks: %s, want trusted", got)
	}
}

func FuzzStoreGivesDecisionsOrAnError(f *testing.F) {
	for _, text := range []string{``, `{}`, `null`, `{"/p": {"state": "granted", "digests": {"claude": "d"}, "time": "2026-01-01T00:00:00Z"}}`, `{"/p": {}}`, `{"/p"`} {
		f.Add([]byte(text))
	}
	store := trust.Store(filepath.Join(f.TempDir(), "trust.json"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(string(store), text, 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := store.Read(t.Context())
		if (all == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", all, err)
		}
		for dir, d := range all {
			if !filepath.IsAbs(dir) || d.State != trust.Granted && d.State != trust.Revoked {
				t.Errorf("got %q: %v, which is not a decision", dir, d)
			}
		}
	})
}
