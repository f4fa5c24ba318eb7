package pipeline_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// While its overlay is half written, or has a mistake, a system keeps the last good overlay, and
// reports the position of the mistake.
func TestAReloadKeepsTheLastGoodOverlay(t *testing.T) {
	file := filepath.Join(t.TempDir(), policy.FileName)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	broken := configured("Call", "guard.sh", broken2)
	start := func() (*pipeline.System, *pipeline.Session) {
		return start(t, pipeline.Config{Load: []pipeline.Load{loads(broken)}, Policy: policy.Source{Files: map[policy.Level]string{policy.Project: file}}})
	}
	const good = `{"hooks": [{"onFailure": "closed"}]}`
	write(good)
	sys, ses := start()
	for name, test := range map[string]struct{ text, want string }{
		"half written":                {`{"hooks": [{"onFailure": "op`, ":1:"},
		"empty":                       {"", ":1:1"},
		"an unknown member":           {"{\n \"hoks\": []}", ":2:2: there is no member \"hoks\" (did you mean \"hooks\"?)"},
		"a wrong type":                {`{"hooks": [{"timeout": 5}]}`, ":1:24: "},
		"a lock at the wrong level":   {`{"lock": ["limits"]}`, ":1:10: only the machine's policy can lock"},
		"a retry that goes in circle": {`{"hooks": [{"retry": {"on": ["breaker"]}, "warm": "worker"}]}`, ":1:30: "},
		"an observer that is closed":  {`{"hooks": [{"match": {"event": "Watched"}, "onFailure": "closed"}]}`, "test.Watched cannot block"},
		"an unknown event":            {`{"limits": {"perEvent": {"test.Cal": 1}}}`, `did you mean "test.Call"`},
		"no text":                     {"\xff\xfe{\x00}", ":1:1"},
	} {
		write(test.text)
		if err := sys.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), file+":") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want the file and %q", name, err, test.want)
		}
		if res := fire(t, event, ses, call{Tool: "t"}); !res.Blocked() {
			t.Errorf("%s: the last good overlay does not count any more", name)
		}
		if _, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "n", Dir: t.TempDir()}); err == nil {
			t.Errorf("%s: a session of another directory begins without the policy", name)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := sys.Reload(t.Context()); err == nil || errors.Is(err, hook.ErrClosed) {
		t.Errorf("a file that was named is gone: %v, want an error", err)
	}
	write(`{"hooks": [{"onFailure": "open"}]}`)
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := fire(t, event, ses, call{Tool: "t"}); res.Blocked() {
		t.Error("a good overlay does not count")
	}
}

var _ = pipeline.Declare(dialect, pipeline.Spec[call, edit]{Name: "Watched", Can: pipeline.CanAddContext})
