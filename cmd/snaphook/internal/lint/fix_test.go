package lint

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
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
				for _, f := range before {
					if f.Fixable() && !f.says() {
						t.Errorf("its fix does not say what changes:%s: %+q", listed([]Finding{f}), f.edit[0].with)
					}
				}
				previewed := c.write(t, "bad", c.bad)
				preview(t, previewed, c.check(t, previewed, path))
				fixed, left, err := Apply(t.Context(), before, []string{dir}, nil, Change.Write)
				if err != nil || len(left) > 0 {
					t.Fatalf("error %v, not fixed: %+v", err, left)
				}
				for _, f := range fixed {
					repaired[f.ID]++
				}
				want := len(lo.Reject(before, func(f Finding, _ int) bool { return f.Fixable() }))
				if got, want := filesBelow(t, previewed), filesBelow(t, dir); !maps.Equal(got, want) {
					t.Errorf("with the diff applied:\n%q\nwith the fixes:\n%q", got, want)
				}
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

// says reports whether the text of a finding names its change.
func (f Finding) says() bool {
	for _, c := range f.edit {
		var text string
		if json.Unmarshal([]byte(c.with), &text) != nil {
			text = c.with
		}
		quoted := strings.NewReplacer("did you mean ", "", "write ", "", `"`, "", "?", "").Replace(f.Fix)
		switch {
		case c.executable:
			if !strings.HasPrefix(f.Fix, "chmod +x ") {
				return false
			}
		case text == "":
			if !regexp.MustCompile(`^remove it$|without a byte order mark$|^save it with LF alone`).MatchString(f.Fix) {
				return false
			}
		case text == `"`:
			if !strings.HasPrefix(f.Fix, `write "`) {
				return false
			}
		case !strings.Contains(f.Fix, strings.TrimSpace(text)) && !strings.Contains(text, quoted):
			return false
		}
	}
	return true
}

// preview makes a diff of the fixes, and applies it with Git. It fails if Apply changes a file while it makes the diff.
func preview(t *testing.T, dir string, found []Finding) {
	t.Helper()
	before, diff := filesBelow(t, dir), ""
	_, left, err := Apply(t.Context(), found, []string{dir}, nil, func(c Change) error {
		diff += c.Diff(dir)
		return nil
	})
	if err != nil || len(left) > 0 {
		t.Fatalf("error %v, not fixed: %+v", err, left)
	}
	if now := filesBelow(t, dir); !maps.Equal(now, before) {
		t.Errorf("the diff has changed files:\n%q\nbefore:\n%q", now, before)
	}
	if diff == "" {
		return
	}
	git := exec.CommandContext(t.Context(), "git", "apply", "-p1", "--whitespace=nowarn", "-")
	git.Dir, git.Stdin = dir, strings.NewReader(diff)
	git.Env = append(os.Environ(), "GIT_DIR=/nonexistent", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := git.CombinedOutput(); err != nil {
		t.Errorf("git apply: %v\n%s\n%s", err, out, diff)
	}
}

// filesBelow returns the text of each file below a directory, and the part of its mode that Git keeps.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		files[below] = gitMode(info.Mode()) + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestADiffNamesEachFile(t *testing.T) {
	dir := t.TempDir()
	c := Change{File: filepath.Join(dir, "a b.sh"), Old: []byte("a\nb"), New: []byte("a\nc"), OldMode: 0o600, NewMode: 0o700}
	want := "diff --git a/a b.sh b/a b.sh\nold mode 100644\nnew mode 100755\n--- a/a b.sh\t\n+++ b/a b.sh\t\n" +
		"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
	if got := c.Diff(dir); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c.File = filepath.Join(dir, "a\n\"b")
	if got, want := c.Diff(dir), "diff --git \"a/a\\n\\\"b\" \"b/a\\n\\\"b\"\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
	c.File = "/elsewhere/x"
	if got, want := c.Diff(dir), "diff --git a/elsewhere/x b/elsewhere/x\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
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
	fixed, left, err := Apply(t.Context(), found, []string{dir}, nil, Change.Write)
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
	f := Finding{ID: "script-crlf", edit: fileEdit{{file: file, seen: []byte("old"), end: 3}}}
	fixed, left, err := Apply(t.Context(), []Finding{f}, []string{dir}, nil, Change.Write)
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
	f := Finding{ID: "script-crlf", edit: fileEdit{{file: file, seen: []byte("a\r\n"), start: 1, end: 2}}}
	if _, _, err := Apply(t.Context(), []Finding{f}, []string{dir}, nil, Change.Write); err != nil {
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
			d := &settingsDocument{file: "f", text: []byte(test.text), root: root}
			e := removeMember(d, root.Get("matcher"))
			got, done := applyTo([]byte(test.text), e)
			if string(got) != test.want || len(done) != 1 || !done[0] {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
