package lint

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAShellThatIsNotThereIsFound(t *testing.T) {
	all, none := programPath(t), t.TempDir()
	for shell, program := range map[string]string{"powershell": "pwsh", "bash": "bash"} {
		dir := t.TempDir()
		file := filepath.Join(dir, ".claude", "settings.json")
		text := `{"hooks": {"Notification": [{"hooks": [{"type": "command", "shell": "` + shell + `", "command": "exit 0"}]}]}}`
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		check := func(path string) []Finding {
			return Check(t.Context(), Options{Dir: dir, Hooks: hooksOf(t, dir), Files: []string{file}, Path: path})
		}
		want := `"shell" asks for ` + shell + `, and there is no program "` + program + `" in PATH`
		if found := check(none); len(found) != 1 || found[0].ID != "interpreter-missing" || found[0].Message != want {
			t.Errorf("%s: without it was found:%s; want %s", shell, listed(found), want)
		}
		if found := check(all); len(found) > 0 {
			t.Errorf("%s: with it was found:%s", shell, listed(found))
		}
	}
}
