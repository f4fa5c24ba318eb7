package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/settings"
)

var ruleLauncherUnpinned = Rule{
	ID: "launcher-unpinned", Severity: Warning, Security: true, look: launchers,
	Doc:     "A hook runs the newest code from a registry, or code that it downloads from a server.",
	Why:     "Whoever publishes the next version runs code with the user's rights, and a guard changes without a review.",
	Mistake: "`npx some-guard@latest`, `uvx ruff`, `curl https://example.com/x.sh | sh`",
	Fix:     "`npx some-guard@1.4.2`, `uvx ruff@0.6.9`, or a file of the project",
}

// launchers looks for calls that run the current release of a package from a registry, or code from a server.
func launchers(v *hookView) {
	for _, s := range v.scripts {
		shellLaunchers(v, s)
	}
	if v.entry.Get("args").Kind() == '[' && len(v.calls) == 1 {
		checkLauncher(v, v.calls[0].at, v.calls[0].words)
	}
}

const runDownloaded = "download the file, check it, and run that"

func shellLaunchers(v *hookView, s *hookScript) {
	if s.lang != langShell || s.ast == nil {
		return
	}
	for node := range bash.Nodes(s.ast) {
		switch n := node.(type) {
		case *syntax.CallExpr:
			if words := literals(n.Args); len(words) > 0 {
				checkLauncher(v, s.pos(n.Pos()), words)
			}
			checkSubstituted(v, s, n)
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe && downloads(n.X) && runsInput(n.Y) {
				reportUnpinned(v, s.pos(n.Pos()), Warning, runDownloaded, "the hook runs code from a server without checking it")
			}
		}
	}
}

// literals returns the words of a call that are literal, and "?" for others.
func literals(words []*syntax.Word) (texts []string) {
	for _, w := range words {
		text, ok := literal(w)
		if !ok {
			text = "?"
		}
		texts = append(texts, text)
	}
	return texts
}

func reportUnpinned(v *hookView, at hook.Position, severity Severity, fix, format string, args ...any) {
	f := v.report("launcher-unpinned", at, fix, format, args...)
	f.Severity = severity
	v.add(*f)
}

// checkLauncher checks one call.
func checkLauncher(v *hookView, at hook.Position, words []string) {
	words = knownCall(words).unwrapped().words
	switch kind, rest := launcherOf(words); kind {
	case "npm":
		checkNPM(v, at, base(words[0]), rest)
	case "python":
		p := packageOf(rest, []string{"--from", "--spec"}, []string{"--with", "--python", "-p", "--index-url", "-i"})
		if p != "" && p != "?" && !pinnedPython.MatchString(p) && !isLocal(p) {
			reportUnpinned(v, at, Warning, "write "+p+"@ and the version", "%s runs the newest %s", strings.Join(words[:len(words)-len(rest)], " "), p)
		}
	case "go":
		if len(rest) > 0 && strings.HasSuffix(rest[0], "@latest") {
			reportUnpinned(v, at, Warning, "write the version instead of latest", "go run runs the newest %s", rest[0])
		}
	case "deno":
		for _, word := range rest {
			if strings.HasPrefix(word, "https://") && !strings.Contains(word, "@") {
				reportUnpinned(v, at, Warning, "write the version into the address", "deno run runs the current code at %s", word)
			}
		}
	}
}

// launcherOf returns the registry from which a call runs packages, and the words after the
// launcher.
func launcherOf(words []string) (kind string, rest []string) {
	if len(words) < 2 {
		return "", nil
	}
	second := words[1]
	switch base(words[0]) {
	case "npx", "bunx", "pnpx":
		return "npm", words[1:]
	case "npm", "pnpm", "yarn", "bun":
		if second == "exec" || second == "dlx" || second == "x" {
			return "npm", words[2:]
		}
	case "uvx":
		return "python", words[1:]
	case "uv":
		if len(words) > 2 && second == "tool" && words[2] == "run" {
			return "python", words[3:]
		}
	case "pipx":
		if second == "run" {
			return "python", words[2:]
		}
	case "go":
		if second == "run" {
			return "go", words[2:]
		}
	case "deno":
		if second == "run" {
			return "deno", words[2:]
		}
	}
	return "", nil
}

// packageOf returns the package among the arguments of a launcher: the word after one of the
// options, else the first word that is not an option.
func packageOf(words, options, others []string) string {
	for i := 0; i < len(words); i++ {
		option, value, joined := strings.Cut(words[i], "=")
		switch {
		case slices.Contains(options, option) && joined:
			return value
		case slices.Contains(options, words[i]) && i+1 < len(words):
			return words[i+1]
		case slices.Contains(others, words[i]):
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i]
		}
	}
	return ""
}

var (
	pinnedNPM    = lazyregexp.New(`.@[v=]?\d`)
	pinnedPython = lazyregexp.New(`(@|==)v?\d|\.whl$`)
	pinnedGit    = lazyregexp.New(`[#@][0-9a-f]{7,}`)
)

func isLocal(p string) bool {
	return strings.HasPrefix(p, ".") || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || pinnedGit.MatchString(p)
}

// checkNPM checks a call that runs a package of npm.
func checkNPM(v *hookView, at hook.Position, launcher string, rest []string) {
	if slices.Contains(rest, "--no-install") || slices.Contains(rest, "--no") || slices.Contains(rest, "--offline") {
		return
	}
	p := packageOf(rest, []string{"-p", "--package"}, []string{"-c", "--call", "-w", "--workspace", "--registry", "--cache", "--prefix"})
	if p == "" || p == "?" || isLocal(p) || pinnedNPM.MatchString(p) || isInstalled(v.Dir, p) {
		return
	}
	newest := strings.HasSuffix(p, "@latest") || strings.HasSuffix(p, "@next")
	eager := slices.Contains(rest, "-y") || slices.Contains(rest, "--yes") || launcher == "pnpx" || slices.Contains(rest, "dlx")
	severity := Note
	if newest || eager {
		severity = Warning
	}
	bare := p
	if i := strings.LastIndexByte(p, '@'); i > 0 {
		bare = p[:i]
	}
	reportUnpinned(v, at, severity, "write "+bare+"@ and the version, or make it a dependency of the project",
		"%s runs the newest %s", launcher, bare)
}

// isInstalled reports whether the project pins a package itself.
func isInstalled(dir, p string) bool {
	if i := strings.LastIndexByte(p, '@'); i > 0 {
		return false // the call names a version
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".bin", p)); err == nil {
		return true
	}
	root, found, err := settings.Layer{File: filepath.Join(dir, "package.json")}.Read()
	if err != nil || !found {
		return false
	}
	names := []string{p, binaries[p]}
	for _, member := range []string{"dependencies", "devDependencies", "optionalDependencies"} {
		for name := range root.Get(member).Members() {
			if slices.Contains(names, name) {
				return true
			}
		}
	}
	return false
}

// binaries maps programs to the packages that contain them.
var binaries = map[string]string{
	"tsc": "typescript", "biome": "@biomejs/biome", "playwright": "@playwright/test", "ng": "@angular/cli",
	"nest": "@nestjs/cli", "sb": "storybook", "changeset": "@changesets/cli", "commitlint": "@commitlint/cli",
	"eslint_d": "eslint_d", "svelte-check": "svelte-check", "vue-tsc": "vue-tsc", "rome": "rome",
}

// downloads reports whether a statement prints the response of a server.
func downloads(s *syntax.Stmt) bool {
	n := name(callOf(s))
	return n == "curl" || n == "wget"
}

// runsInput reports whether a statement runs its standard input.
func runsInput(s *syntax.Stmt) bool {
	c := callOf(s)
	if c == nil {
		return false
	}
	words := knownCall(literals(c.Args)).through(func(w bash.Wrapper) bool { return !w.Joins && w.Text == "" }).words
	if len(words) == 0 {
		return false
	}
	l, ok := languageOf(words[0])
	if !ok {
		return false
	}
	for _, word := range words[1:] {
		if word == "-" || word == "-s" || word == "--" {
			return true
		}
		if l != langShell && slices.Contains(inline, word) || l == langShell && isFlags(word, 'c') {
			return false
		}
		if !strings.HasPrefix(word, "-") {
			return false
		}
	}
	return true
}

// checkSubstituted looks for a server's response among the arguments of a shell.
func checkSubstituted(v *hookView, s *hookScript, c *syntax.CallExpr) {
	n := name(c)
	l, ok := languageOf(n)
	if !(ok && l == langShell) && n != "eval" && n != "source" && n != "." {
		return
	}
	for _, w := range c.Args[1:] {
		syntax.Walk(w, func(node syntax.Node) bool {
			var stmts []*syntax.Stmt
			switch inner := node.(type) {
			case *syntax.CmdSubst:
				stmts = inner.Stmts
			case *syntax.ProcSubst:
				stmts = inner.Stmts
			}
			if len(stmts) == 1 && downloads(stmts[0]) {
				reportUnpinned(v, s.pos(c.Pos()), Warning, runDownloaded, "the hook runs code from a server without checking it")
			}
			return true
		})
	}
}
