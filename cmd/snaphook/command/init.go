package command

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// templates holds the initial files of a project.
//
//go:embed template
var templates embed.FS

// templateFile is a file of a template.
type templateFile struct {
	from string // path below template
	to   string // path below the project
	mode fs.FileMode
}

// projectTemplate is a first guard for one dialect.
type projectTemplate struct {
	files          []templateFile // the settings first
	event, refused string         // a call that the guard refuses, for "snaphook fire"
	trust          bool           // the guard runs only where the user trusts the project
}

// projectTemplates lists the template of each dialect.
var projectTemplates = map[string]projectTemplate{
	"claude": {
		event:   "claude.PreToolUse",
		refused: `{"tool_name": "Bash", "tool_input": {"command": "git push --force"}}`,
		files: []templateFile{
			{"claude/settings.json", ".claude/settings.json", 0o644},
			{"claude/guard.sh", ".claude/hooks/guard.sh", 0o755},
			{"claude/guard.hooktest.json", ".claude/hooks/guard.hooktest.json", 0o644},
		},
	},
	"llxprt": {
		event:   "llxprt.BeforeTool",
		refused: `{"tool_name": "run_shell_command", "tool_input": {"command": "git push --force"}}`,
		files: []templateFile{
			{"llxprt/settings.json", ".llxprt/settings.json", 0o644},
			{"llxprt/guard.sh", ".llxprt/hooks/guard.sh", 0o755},
			{"llxprt/guard.hooktest.json", ".llxprt/hooks/guard.hooktest.json", 0o644},
		},
	},
	"codex": {
		event:   "codex.PreToolUse",
		refused: `{"tool_name": "Bash", "tool_input": {"command": "git push --force"}}`,
		files: []templateFile{
			{"codex/settings.json", ".codex/hooks.json", 0o644},
			{"codex/guard.sh", ".codex/hooks/guard.sh", 0o755},
			{"codex/guard.hooktest.json", ".codex/hooks/guard.hooktest.json", 0o644},
		},
	},
	"copilot": {
		event:   "copilot.preToolUse",
		refused: `{"toolName": "bash", "toolArgs": {"command": "git push --force"}}`,
		files: []templateFile{ // each .json file of .github/hooks is read as settings
			{"copilot/settings.json", ".github/hooks/guard.json", 0o644},
			{"copilot/guard.sh", ".github/hooks/guard.sh", 0o755},
			{"copilot/guard.hooktest.json", ".github/guard.hooktest.json", 0o644},
		},
	},
	"cursor": {
		event:   "cursor.beforeShellExecution",
		refused: `{"command": "git push --force"}`,
		files: []templateFile{
			{"cursor/settings.json", ".cursor/hooks.json", 0o644},
			{"cursor/guard.sh", ".cursor/hooks/guard.sh", 0o755},
			{"cursor/guard.hooktest.json", ".cursor/hooks/guard.hooktest.json", 0o644},
		},
	},
	"xcsh": {
		event:   "xcsh.tool_call",
		refused: `{"toolName": "bash", "toolCallId": "1", "input": {"command": "git push --force"}}`,
		trust:   true,
		files: []templateFile{
			{"xcsh/guard.ts", ".xcsh/hooks/pre/guard.ts", 0o644},
			{"xcsh/guard.hooktest.json", ".xcsh/hooks/guard.hooktest.json", 0o644},
		},
	},
}

var workflow = templateFile{"ci/hooks.yml", ".github/workflows/hooks.yml", 0o644}

// initFlags holds the flags of init.
type initFlags struct {
	*cli.Global
	dialect string
}

func newInit(global *cli.Global) *cobra.Command {
	f := &initFlags{Global: global}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first hook, a test for it, and a CI step",
		Long: "Writes into the project's directory: settings with one hook, the script of this hook, which refuses forced pushes, " +
			"its test fixtures, and a workflow of GitHub that checks and tests the hooks. " +
			"init does not change existing files; if the settings exist, it prints the part to add.",
		Example: `# For Claude Code, in the current directory
snaphook init
# For LLxprt Code, in another directory; then run the test
snaphook init --dialect llxprt --dir ~/project
snaphook test --dir ~/project`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.init(cmd) },
	}
	cmd.Flags().StringVar(&f.dialect, "dialect", "",
		"Write for the hook system `DIALECT`, one of "+initNames()+"; default: the system whose settings the project has, else claude")
	return cli.TwoIfUnusable(cmd)
}

func (f *initFlags) init(cmd *cobra.Command) error {
	f.Find = nil // init uses this directory, and does not look for a project above it
	dir, err := f.Directory()
	if err != nil {
		return err
	}
	dialect := lo.CoalesceOrEmpty(f.dialect, dialectOf(dir))
	begin, known := projectTemplates[dialect]
	if !known {
		return fmt.Errorf("--dialect %q: write one of: %s", dialect, initNames())
	}
	var said []string
	kept := ""   // the template's settings, if the existing ones lack the guard
	own := false // the guard existed before
	for _, file := range append(begin.files[:len(begin.files):len(begin.files)], workflow) {
		text, err := templates.ReadFile("template/" + file.from)
		if err != nil {
			return err
		}
		wrote, err := file.write(dir, adapted(text, kept))
		if err != nil {
			return fmt.Errorf("%s: %w; the files that init had already written stay", file.to, err)
		}
		if !wrote && strings.HasSuffix(file.from, "/settings.json") && !hasGuard(cmd.Context(), filepath.Join(dir, file.to)) {
			kept = string(text)
		}
		own = own || !wrote && strings.Contains(file.to, "guard") && !strings.Contains(file.to, "hooktest")
		said = append(said, lo.Ternary(wrote, cli.Good.Render("wrote  "), cli.Odd.Render("kept   "))+file.to)
	}
	if kept != "" {
		said = append(said, "", begin.files[0].to+" existed already. To use the guard, add its hook:", "", strings.TrimSpace(kept))
	}
	where := lo.Ternary(f.Dir == "", "", " --dir "+f.Dir)
	return cli.Say(cmd, strings.Join(append(said, "", begin.next(where, own)), "\n"))
}

// next returns the commands to run next, each followed by where. If the project had its own guard before (own), next
// leaves out the call that the template's guard refuses: the project's guard may let it pass.
func (t projectTemplate) next(where string, own bool) string {
	trust := lo.Ternary(t.trust, "trust this project, ", "")
	fire := lo.Ternary(own, "", "fire a call that the guard refuses, then ")
	commands := []string{"Next: " + trust + fire + "run the tests:", ""}
	if t.trust {
		commands = append(commands, "  snaphook trust grant"+where)
	}
	if !own {
		commands = append(commands, "  echo '"+t.refused+"' |\n    snaphook fire "+t.event+where)
	}
	return strings.Join(append(commands, "  snaphook test"+where), "\n")
}

// initNames lists the dialects that have templates.
func initNames() string {
	return strings.Join(slices.Sorted(maps.Keys(projectTemplates)), ", ")
}

// hasGuard reports whether existing settings name the guard.
func hasGuard(ctx context.Context, file string) bool {
	text, err := bounded.ReadFile(ctx, file, 1<<20)
	return err == nil && strings.Contains(string(text), "hooks/guard.sh")
}

// dialectOf returns the dialect of the project's existing settings; claude if the project has none.
func dialectOf(dir string) string {
	for _, d := range []struct{ folder, dialect string }{
		{".claude", "claude"}, {".llxprt", "llxprt"}, {".gemini", "llxprt"}, {".xcsh", "xcsh"},
		{".codex", "codex"}, {".github/hooks", "copilot"}, {".cursor", "cursor"},
	} {
		if cli.WantDir(filepath.Join(dir, filepath.FromSlash(d.folder))) == nil {
			return d.dialect
		}
	}
	return "claude"
}

// adapted returns the text of a template with the version of this program. If guard is not empty, the text also has
// guard as its settings, because the project's own settings do not have the guard.
func adapted(text []byte, guard string) []byte {
	release := thisVersion().Version
	if release == "" || strings.ContainsAny(release, "(+-") {
		release = latestRelease // a build between releases cannot be installed by its version
	} else {
		release = "v" + release
	}
	s := strings.ReplaceAll(string(text), "VERSION", release)
	if guard != "" {
		own := strings.ReplaceAll(strings.TrimSpace(guard), "\n", "\n      ")
		s = strings.ReplaceAll(s, `"settings": null, // the project's own`, `"settings": `+own+",")
		s = strings.ReplaceAll(s, `"settings": null`, `"settings": `+own)
	}
	return []byte(s)
}

// write writes the file, unless it exists.
func (p templateFile) write(dir string, text []byte) (written bool, err error) {
	path := filepath.Join(dir, filepath.FromSlash(p.to))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, p.mode)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = file.Write(text)
	return true, errors.Join(err, file.Close())
}
