package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
)

func Example() {
	main()
	// Output:
	// problem: line 3: there is no event "after_run"; write "on": "before_run"
	// shell ["ls"]: blocked false, stop false, reason ""
	// shell ["rm" "-rf" "/"]: blocked true, stop false, reason "nothing is removed here"
	// shell ["shutdown"]: blocked true, stop true, reason "the machine stays on"
	// editor []: blocked false, stop false, reason ""
}

// acme opens a session with the settings, and a hook that prints a text.
func acme(t *testing.T, config, prints string) (s *pipeline.Session, log *strings.Builder) {
	t.Helper()
	dir, log := t.TempDir(), new(strings.Builder)
	if err := os.Mkdir(filepath.Join(dir, ".acme"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".acme/hooks.json": config, "hook.sh": "#!/bin/sh\ncat >/dev/null\n" + prints} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{Load}, Log: slog.New(slog.NewTextHandler(log, nil))})
	t.Cleanup(func() { sys.Close() })
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// A hook that prints nothing, or plain text, has not failed.
func TestSilenceAndTextAreNoFailures(t *testing.T) {
	for prints, blocked := range map[string]bool{
		"": false, "echo fine": false, "echo '{}'": false, `echo '{"verdict": "no"}'`: true, "exit 49": true,
	} {
		s, log := acme(t, `[{"on": "before_run", "do": "./hook.sh"}]`, prints)
		res, err := BeforeRun.Fire(t.Context(), s, &Run{Tool: "shell"})
		if err != nil || res.Blocked() != blocked || res.Reports[0].Err != nil || log.Len() > 0 {
			t.Errorf("%q: blocked %v, errors %v and %v, log %s", prints, res.Blocked(), err, res.Reports[0].Err, log)
		}
	}
}

func TestMistakesInTheSettingsHaveTheirPlaces(t *testing.T) {
	for config, want := range map[string]string{
		`{"on": 1}`: "hooks.json:1:1: ",
		"[\n {\"on\": \"before_run\", \"do\": \"./hook.sh\", \"tool\": 1}]":        "hooks.json:2:",
		"[\n {\"on\": \"before_run\", \"do\": \"./hook.sh\", \"timeout\": \"5\"}]": "hooks.json:2:",
		"[\n {\"on\": \"before_run\", \"do\": \"./hook.sh\", \"timeout\": -5}]":    "hooks.json:2:",
		"[\n {\"on\": \"before_run\"}]":                                            "hooks.json:2:",
	} {
		s, _ := acme(t, config, "")
		if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0].String(), want) {
			t.Errorf("%s: problems %v, want one at %s", config, p, want)
		}
	}
}

// The declaration keeps the contracts that the engine relies on.
func TestBeforeRunHolds(t *testing.T) {
	hooktest.Idle(t, BeforeRun, Run{Tool: "shell"})
	hooktest.Reducer(t, BeforeRun.Reduce, nil)
	hooktest.Chain(t, BeforeRun, nil, nil)
	hooktest.Codec(t, BeforeRun, hooktest.DropsUnknown("both sides are the program's own types"))
}
