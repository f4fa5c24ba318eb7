package trust_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/trust"
)

// A file is covered under each name by which Windows starts it.
func TestAFileIsCoveredUnderEachNameOfWindows(t *testing.T) {
	dir := project(t, map[string]string{"hooks/guard.exe": "MZ", "hooks/old.cmd": "exit 2\r\n", "hooks/g.sh": "exit 2\n", "a b/c.sh": "exit 2\n"})
	slashed := filepath.ToSlash(dir)
	posix := "/" + strings.ToLower(slashed[:1]) + slashed[2:]
	for command, want := range map[string]string{
		`./hooks/guard`:                                      "hooks/guard.exe",
		`hooks/guard.exe`:                                    "hooks/guard.exe",
		`hooks/old`:                                          "hooks/old.cmd",
		`bash hooks/g.sh`:                                    "hooks/g.sh",
		`bash ` + posix + `/hooks/g.sh`:                      "hooks/g.sh",
		`bash "` + slashed + `/hooks/g.sh"`:                  "hooks/g.sh",
		`bash '` + dir + `\hooks\g.sh'`:                      "hooks/g.sh",
		`bash '\\?\` + dir + `\hooks\g.sh'`:                  "hooks/g.sh",
		`bash "$CLAUDE_PROJECT_DIR/a b/c.sh"`:                "a b/c.sh",
		`bash "$CLAUDE_PROJECT_DIR"/hooks/g.sh`:              "hooks/g.sh",
		`bash "` + strings.ToUpper(slashed) + `/HOOKS/G.SH"`: "hooks/g.sh",
	} {
		files, c := covered(t, dir, command)
		if !slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(strings.ToLower(f), want) }) {
			t.Errorf("%s: covers %q, want %s (unclear: %q)", command, files, want, c.Hooks[0].Unclear)
		}
	}
	argv := []string{filepath.Join(dir, "hooks", "guard")}
	if files, _ := covered(t, dir, argv[0], argv...); !slices.Contains(files, "hooks/guard.exe") {
		t.Errorf("without a shell: covers %q, want hooks/guard.exe", files)
	}
}

// A project is the same under each name of its folder: with letters in another case, with
// slashes, with dots.
func TestAProjectIsTheSameUnderEachNameOfItsFolder(t *testing.T) {
	dir := project(t, map[string]string{"Hooks/g.sh": "exit 2\n"})
	_, c := covered(t, dir, "bash Hooks/g.sh")
	store := trust.Store(filepath.Join(t.TempDir(), "trust.json"))
	digests := map[string]string{"llxprt": c.Digest}
	if err := store.Decide(t.Context(), dir, trust.Decision{State: trust.Granted, Digests: digests}); err != nil {
		t.Fatal(err)
	}
	decided, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, strings.ToUpper(dir), strings.ToLower(dir), filepath.ToSlash(dir), dir + `\`, dir + `\Hooks\..`} {
		real, err := filepath.EvalSymlinks(name) // as hosts do
		if got := decided.State(real, digests); err != nil || got != trust.Trusted {
			t.Errorf("%s is %s and %v, %v; want trusted", name, real, got, err)
		}
	}
}
