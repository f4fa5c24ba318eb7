package pipeline_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// leaving declares an event whose hooks export variables, and that clears all variables when the
// tool is "clear".
func leaving(name string) *pipeline.Event[call, edit] {
	return livelyEvent(name, pipeline.Spec[call, edit]{
		Rules:  pipeline.Rules{EnvFile: "VARS"},
		Forget: func(c *call) bool { return c.Tool == "clear" },
	})
}

var opened, moved = leaving("Opened"), leaving("Moved")

// varsOf returns the file in which a hook may export variables, or the empty string.
func varsOf(c hook.Call) string {
	for _, v := range c.Env {
		if file, ok := strings.CutPrefix(v, "VARS="); ok {
			return file
		}
	}
	return ""
}

// sets returns a hook that exports a text.
func sets(text string) runner {
	return func(_ context.Context, c hook.Call) (hook.Reply, error) {
		return hook.Reply{}, os.WriteFile(varsOf(c), []byte(text), 0o600)
	}
}

// exports fires the events one after another and returns the variables at the end.
func exports(t *testing.T, s *pipeline.Session, fires ...string) string {
	t.Helper()
	for _, f := range fires {
		name, tool, _ := strings.Cut(f, " ")
		if res := fire(t, map[string]*pipeline.Event[call, edit]{"opened": opened, "moved": moved}[name], s, call{Tool: tool}); !res.OK() {
			t.Errorf("%s: %v", f, res.Errs())
		}
	}
	text, err := s.Exports()
	if err != nil {
		t.Error(err)
	}
	return text
}

func TestVariablesAreInTheOrderOfTheFiresAndTheirPlans(t *testing.T) {
	for name, test := range map[string]struct {
		fires []string
		want  string
	}{
		"none yet":                             {nil, ""},
		"those of one event":                   {[]string{"opened x"}, "A=1\nB=1\n"},
		"an event that fired later":            {[]string{"opened x", "moved x"}, "A=1\nB=1\nB=2\n"},
		"in the other order":                   {[]string{"moved x", "opened x"}, "B=2\nA=1\nB=1\n"},
		"an event that fires again comes last": {[]string{"opened x", "moved x", "opened x"}, "B=2\nA=1\nB=1\n"},
		"and replaces what it left":            {[]string{"opened x", "opened other"}, "C=1\n"},
		"an input that forgets":                {[]string{"opened x", "moved x", "opened clear"}, "A=1\nB=1\n"},
		"also if no hook matches it":           {[]string{"opened x", "moved x", "moved clear"}, ""},
		"a fire without a hook replaces none":  {[]string{"moved x", "moved nothing"}, "B=2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			only := func(h *hook.Hook, tools ...string) *hook.Hook {
				h.Matcher = matching(tools)
				return h
			}
			_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(
				only(of(opened, "a", sets("A=1")), "x", "clear"), only(of(opened, "silent", sets("")), "x"), only(of(opened, "b", sets("B=1\n")), "x", "clear"),
				only(of(opened, "c", sets("C=1\n")), "other"), only(of(moved, "d", sets("B=2")), "x"),
			)}}, pipeline.SessionConfig{Scratch: t.TempDir()})
			if got := exports(t, s, test.fires...); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// matching accepts some tools.
type matching []string

func (m matching) Match(tool string) bool {
	return strings.Contains("|"+strings.Join(m, "|")+"|", "|"+tool+"|")
}

func TestAnInputForgetsVariablesInAStreamToo(t *testing.T) {
	_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(of(opened, "a", sets("A=1")))}}, pipeline.SessionConfig{Scratch: t.TempDir()})
	exports(t, s, "opened x")
	for range moved.Stream(t.Context(), s, &call{Tool: "clear"}) {
		t.Error("a report of an event without hooks")
	}
	if got, err := s.Exports(); got != "" || err != nil {
		t.Errorf("exports %q, %v; want them to be forgotten", got, err)
	}
}

// A directory is made only for hooks that could use it.
func TestNoDirectoryIsMadeThatNobodyNeeds(t *testing.T) {
	without := of(opened, "without", runner(func(_ context.Context, c hook.Call) (hook.Reply, error) {
		if file := varsOf(c); file != "" {
			t.Errorf("the hook is told of %s, want no file", file)
		}
		return hook.Reply{}, nil
	}))
	without.NoEnvFile = true
	for name, test := range map[string]struct {
		hooks []*hook.Hook
		fn    bool
		made  int
	}{
		"no hook":                {nil, false, 0},
		"a function":             {nil, true, 0},
		"a hook that wants none": {[]*hook.Hook{without}, true, 0},
		"one among others":       {[]*hook.Hook{without, of(opened, "a", sets("A=1"))}, true, 1},
	} {
		scratch := filepath.Join(t.TempDir(), "scratch")
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(test.hooks...)}}, pipeline.SessionConfig{Scratch: scratch})
		if test.fn {
			opened.On(s, "own", allow)
		}
		exports(t, s, "opened x")
		dirs, _ := filepath.Glob(filepath.Join(scratch, "session-*", "*"))
		if _, err := os.Stat(scratch); len(dirs) != test.made || (err == nil) != (test.made > 0) {
			t.Errorf("%s: the directories are %q, %v; want %d", name, dirs, err, test.made)
		}
	}
}

func TestAScratchThatCannotBeWrittenKeepsNoHookFromRunning(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, s := open(t, pipeline.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Load: []pipeline.Load{loads(of(opened, "a", runner(func(_ context.Context, c hook.Call) (hook.Reply, error) {
		return hook.Reply{Stdout: []byte(`{"reason":"` + varsOf(c) + `ran"}`)}, nil
	})))}}, pipeline.SessionConfig{Scratch: file})
	if res := fire(t, opened, s, call{Tool: "x"}); !res.OK() || res.Reason != "ran" || len(s.EnvFiles()) > 0 {
		t.Errorf("reason %q, errors %v, files %q; want a hook that ran without", res.Reason, res.Errs(), s.EnvFiles())
	}
	if notes := fire(t, opened, s, call{Tool: "x"}).Reports[0].Notes; len(notes) == 0 || !strings.HasPrefix(notes[0], "VARS is not set, and the variables of the hook are lost: ") {
		t.Errorf("the report notes %q", notes)
	}
	if text := log.String(); !strings.Contains(text, `level=WARN msg="hooks cannot export variables" event=lively.Opened error=`) || strings.Count(text, "cannot export variables") != 2 {
		t.Errorf("the log is\n%s", text)
	}
	if _, err := s.Keep("text", "x"); err == nil {
		t.Error("a text was kept in a file")
	}
}

// A fire does not remove the directory that the hooks of another fire use.
func TestFiresOfOneEventAtTheSameTimeLeaveTheVariablesOfTheLast(t *testing.T) {
	scratch := t.TempDir()
	_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(of(opened, "a", sets("A=1")), of(opened, "b", sets("B=1")))}}, pipeline.SessionConfig{Scratch: scratch})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				if res := fire(t, opened, s, call{Tool: "x"}); !res.OK() {
					t.Errorf("a hook could not leave its variables: %v", res.Errs())
				}
				s.EnvFiles()
			}
		})
	}
	all.Wait()
	if got, err := s.Exports(); got != "A=1\nB=1\n" || err != nil {
		t.Errorf("exports %q, %v; want those of one fire", got, err)
	}
	if dirs, _ := filepath.Glob(filepath.Join(scratch, "session-*", "*")); len(dirs) != 1 {
		t.Errorf("%d directories are left, want one", len(dirs))
	}
}

// A background hook's directory remains until it has ended, also if its event has fired again.
func TestTheBackgroundKeepsItsDirectoryUntilItIsDone(t *testing.T) {
	scratch, wait := t.TempDir(), make(chan struct{})
	away := of(opened, "away", runner(func(ctx context.Context, c hook.Call) (hook.Reply, error) {
		<-wait
		return sets("LATE=1")(ctx, c)
	}))
	away.Background = hook.Async
	var told host
	_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(away, of(opened, "a", sets("A=1")))}}, pipeline.SessionConfig{Scratch: scratch, Finished: told.finished})
	exports(t, s, "opened x", "opened x")
	if dirs, _ := filepath.Glob(filepath.Join(scratch, "session-*", "*")); len(dirs) != 2 {
		t.Errorf("%d directories while both hooks run, want 2", len(dirs))
	}
	close(wait)
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	for _, f := range told.all {
		if f.Err != nil {
			t.Error(f.Err)
		}
	}
	if got := exports(t, s); got != "LATE=1\nA=1\n" {
		t.Errorf("exports %q, want those of the second fire", got)
	}
	if dirs, _ := filepath.Glob(filepath.Join(scratch, "session-*", "*")); len(dirs) != 1 {
		t.Errorf("%d directories are left, want 1", len(dirs))
	}
}

func TestCloseRemovesWhatHooksHaveLeft(t *testing.T) {
	for name, scratch := range map[string]string{"a directory of the host's": t.TempDir(), "the system's": ""} {
		var log bytes.Buffer
		_, s := open(t, pipeline.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Load: []pipeline.Load{loads(of(opened, "a", sets("A=1")))}}, pipeline.SessionConfig{Scratch: scratch})
		kept, err := s.Keep("text.txt", "a long text")
		if at, err := os.Stat(kept); err != nil || runtime.GOOS != "windows" && at.Mode().Perm() != 0o600 {
			t.Errorf("the file of a kept text: %v, %v; want the mode 0600", at, err)
		}
		if err != nil {
			t.Fatal(err)
		}
		again, _ := s.Keep("text.txt", "another")
		if text, err := os.ReadFile(kept); string(text) != "a long text" || err != nil || again == kept || !strings.HasSuffix(kept, "text.txt") {
			t.Errorf("%s: %s holds %q, %v; want the text, in a file of its own", name, kept, text, err)
		}
		exports(t, s, "opened x")
		files := append(s.EnvFiles(), kept)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for _, file := range files {
			if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) || !filepath.IsAbs(file) {
				t.Errorf("%s: %s is still there, or relative: %v", name, file, err)
			}
		}
		if scratch != "" && !strings.HasPrefix(kept, scratch) {
			t.Errorf("%s is not below %s", kept, scratch)
		}
		_ = fire(t, opened, s, call{Tool: "x"}) // no later Close would remove a new file
		if _, err := s.Keep("text", "x"); err == nil || len(s.EnvFiles()) > 0 || !strings.Contains(log.String(), "closed") {
			t.Errorf("%s: after Close files %q, err %v, the log is\n%s", name, s.EnvFiles(), err, log.String())
		}
	}
}
