package lint

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/settings"
)

// TestWhatIsFixedIsFixed fixes every mistake of the corpus that has a fix, and checks again: the
// mistake is gone, and there is no new one.
func TestWhatIsFixedIsFixed(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	path, repaired := programPath(t), map[string]int{}
	for _, file := range files {
		for _, c := range corpusCases(t, file) {
			t.Run(filepath.Base(file)+"/"+c.name, func(t *testing.T) {
				dir := c.write(t, "bad", c.bad)
				before := c.check(t, dir, path)
				fixed, left, err := Apply(t.Context(), before, []string{dir}, nil)
				if err != nil || len(left) > 0 {
					t.Fatalf("error %v, not fixed: %+v", err, left)
				}
				for _, f := range fixed {
					repaired[f.ID]++
				}
				want := len(lo.Reject(before, func(f Finding, _ int) bool { return f.Fixable() }))
				after := c.check(t, dir, path)
				serious := func(f Finding, _ int) bool { return f.Severity != Note }
				if len(lo.Filter(after, serious)) > want {
					t.Errorf("before:%s\nafter:%s", listed(before), listed(after))
				}
				for _, f := range after {
					if f.Fixable() {
						t.Errorf("it could be fixed, and is still there:%s", listed([]Finding{f}))
					}
				}
				settled(t, dir)
			})
		}
	}
	for _, r := range rules {
		if r.Fixable && repaired[r.ID] == 0 {
			t.Errorf("%s: the page says that it can be fixed, and nothing was", r.ID)
		}
	}
	for id := range repaired {
		if !ruleOf(id).Fixable {
			t.Errorf("%s: something was fixed, and the page says that it cannot", id)
		}
	}
}

// settled fails if a settings file is no longer JSON.
func settled(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{".claude", ".llxprt", ".gemini"} {
		if _, _, err := (settings.Layer{File: filepath.Join(dir, name, "settings.json")}).Read(); err != nil {
			t.Error(err)
		}
	}
}

func TestFilesOutsideOfTheProjectAreLeftAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no bits for execution there")
	}
	outside, dir := t.TempDir(), t.TempDir()
	script := filepath.Join(outside, "x.sh")
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(script, "#!/bin/sh\r\ntrue\r\n")
	if err := os.Symlink(script, filepath.Join(dir, "link.sh")); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(dir, ".claude/settings.json"),
		`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./link.sh"}]}]}}`)
	found := Check(t.Context(), Options{Dir: dir, Hooks: hooksOf(t, dir)})
	fixed, left, err := Apply(t.Context(), found, []string{dir}, nil)
	if err != nil || len(fixed) != 0 || len(left) != 2 || !strings.Contains(left[0].Why, "outside of the project") {
		t.Errorf("fixed %s, left %+v, error %v; want two that are left", listed(fixed), left, err)
	}
	if text, err := os.ReadFile(script); err != nil || string(text) != "#!/bin/sh\r\ntrue\r\n" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

func TestAFileThatWasChangedMeanwhileIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.sh")
	if err := os.WriteFile(file, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := Finding{ID: "script-crlf", edit: edit{{file: file, seen: []byte("old"), end: 3}}}
	fixed, left, err := Apply(t.Context(), []Finding{f}, []string{dir}, nil)
	if err == nil || len(fixed) != 0 || len(left) != 1 {
		t.Errorf("fixed %v, left %v, error %v; want an error, and one that is left", fixed, left, err)
	}
}

func TestAFileKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.sh")
	if err := os.WriteFile(file, []byte("a\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := Finding{ID: "script-crlf", edit: edit{{file: file, seen: []byte("a\r\n"), start: 1, end: 2}}}
	if _, _, err := Apply(t.Context(), []Finding{f}, []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestRemovingAMemberKeepsTheRest(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"first", `{"matcher": "a", "hooks": []}`, `{"hooks": []}`},
		{"last", `{"hooks": [], "matcher": "a"}`, `{"hooks": []}`},
		{"alone in its line", "{\n  \"matcher\": \"a\",\n  \"hooks\": []\n}", "{\n  \"hooks\": []\n}"},
		{"only one", `{"matcher": "a"}`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, err := settings.Parse("f", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			v := &view{doc: &document{file: "f", text: []byte(test.text), root: root}}
			e := v.remove(root.Get("matcher"))
			got, done := applyTo([]byte(test.text), e)
			if string(got) != test.want || len(done) != 1 || !done[0] {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
