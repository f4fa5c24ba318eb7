package trust

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// clearPrograms lists programs that run no other program and load no code, unless an argument begins with one of the
// texts listed for the program. A program that is not listed, and has no rule of its own in known, makes its hook
// unclear.
var clearPrograms = func() map[string][]string {
	all := map[string][]string{
		"sort": {"--compress-program"}, "split": {"--filter"}, "enable": {"-f"}, "hash": {"-p"}, "compgen": {"-C", "-F"},
		"shopt": {"expand_aliases"}, "alias": {"-"}, "date": {}, "rg": {"--pre", "--hostname-bin"},
		"fd": {"-x", "-X", "--exec"}, "curl": {"--engine", "-K", "--config"}, "gh": {"ext", "alias"}, "jobs": {"-x"},
		"install": {"--strip-program"}, "terminal-notifier": {"-execute"},
	}
	for name := range strings.FieldsSeq(`
		: [ true false test echo printf exit return break continue local declare typeset export readonly set
		unset shift wait jobs kill sleep umask ulimit pwd popd dirs type times let logout disown suspend fg bg
		caller cat tac head tail wc cut tr uniq paste join comm rev nl seq basename dirname realpath readlink
		stat ls file du df id whoami groups hostname uname arch nproc ps pgrep pkill killall which whereis md5sum
		sha1sum sha224sum sha256sum sha384sum sha512sum shasum md5 cksum sum b2sum base32 base64 od xxd hexdump
		strings grep egrep fgrep zgrep diff cmp expr bc factor mktemp yes column fold fmt expand unexpand pr
		iconv envsubst mkdir rmdir rm touch cp mv ln chmod chown chgrp truncate dd tee sync mkfifo install logger
		notify-send terminal-notifier say afplay paplay aplay tput stty clear tty printenv cal uuidgen getent
		getconf locale lsof uptime free vmstat pidof tree numfmt shuf tsort ptx csplit`) {
		if all[name] == nil {
			all[name] = []string{}
		}
	}
	return all
}()

var (
	// writing lists programs that only write, make or remove the files in their arguments, or whose arguments name no
	// files.
	writing = set("tee touch rm rmdir mkdir logger")

	// runners lists programs that run code according to the project's configuration. Like all unlisted programs they
	// make a hook unclear; the list makes the reason more specific.
	runners = set(`
		make gmake npm npx pnpm pnpx yarn bunx just task rake gradle gradlew mvn mvnw ant sbt cargo go docker-compose
		pre-commit husky lefthook lint-staged bazel ninja cmake tox nox poetry pipenv uv uvx hatch pdm
		rye composer bundle mix dotnet swift ansible ansible-playbook nix nix-shell direnv devbox turbo nx lerna
		mise asdf invoke inv fab pytest jest vitest mocha eslint prettier biome ruff mypy tsc webpack vite rollup
		rspec rubocop phpunit golangci-lint`)
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// gitReads lists the git commands that run no hook, and run only programs named in the settings in .git/config, which a
// clone does not contain.
var gitReads = set(`
		rev-parse status diff log show branch ls-files ls-tree rev-list describe symbolic-ref merge-base cat-file
		blame shortlog name-rev show-ref for-each-ref diff-tree diff-index diff-files check-ignore check-attr
		config remote version hash-object var count-objects grep tag reflog whatchanged show-branch cherry`)

func (s *shellScope) git(args []arg) {
	dirs := s.dirs
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !a.known || len(a.texts) != 1 {
			s.cannotSee("the git command is not known before the hook runs")
			return
		}
		option, value, joined := strings.Cut(a.texts[0], "=")
		switch {
		case option == "-C" || option == "--git-dir" || option == "--work-tree":
			if !joined {
				if i++; i >= len(args) || !args[i].known || len(args[i].texts) != 1 {
					s.cannotSee("the git repository is not known before the hook runs")
					return
				}
				value = args[i].texts[0]
			}
			next := make([]string, len(dirs))
			for i, dir := range dirs {
				next[i] = within(dir, value)
			}
			switch option {
			case "-C":
				dirs = next
			case "--git-dir":
				s.repository(next)
			}
		case slices.Contains([]string{"--no-pager", "--no-optional-locks", "-P", "--version"}, option):
		case strings.HasPrefix(option, "-"):
			s.cannotSee("the option %s of git is not known", option)
			return
		case !gitReads[option]:
			s.cannotSee("git %s may run hooks of the repository", option)
			return
		default:
			for _, dir := range dirs {
				s.findsRepository(dir)
			}
			if option == "config" {
				s.gitConfig(args[i+1:])
			}
			s.without("git "+option, args[i+1:], "--ext-diff", "--textconv", "--open-files-in-pager", "-O", "--exec")
			return
		}
	}
}

// repository marks the hook unclear if git uses a repository of the project other than .git: a clone can contain such a
// repository, and its settings name programs that git runs.
func (s *shellScope) repository(paths []string) {
	for _, path := range paths {
		if s.c.below(path) && path != filepath.Join(s.c.dir, ".git") {
			s.cannotSee("git runs programs that the settings of %s name", s.c.short(path))
		}
	}
}

// findsRepository marks the hook unclear if git, when it is called in a directory of the project, finds a bare
// repository there or above. If it finds no bare repository, none may appear there later.
func (s *shellScope) findsRepository(dir string) {
	if real, err := s.c.real(dir); err == nil && real != dir {
		s.findsRepository(real)
	}
	for ; s.c.below(dir); dir = filepath.Dir(dir) {
		if _, err := s.c.stat(filepath.Join(dir, ".git")); err == nil && dir == s.c.dir {
			return // a clone's own
		}
		head := filepath.Join(dir, "HEAD")
		if _, err := s.c.stat(head); err != nil {
			s.c.absent(head, s.quiet)
			continue
		}
		for _, name := range []string{"objects", "commondir"} {
			part := filepath.Join(dir, name)
			if _, err := s.c.stat(part); err == nil {
				s.cannotSee("git runs programs that the settings of the repository %s name", s.c.short(dir))
			} else {
				s.c.absent(part, s.quiet)
			}
		}
	}
}

// reading lists the options of git config that only read.
var reading = set("--get --get-all --get-regexp --get-urlmatch --list -l --local --global --system --worktree --null -z " +
	"--name-only --show-origin --show-scope --bool --int --bool-or-int --path --includes --no-includes --default")

// gitConfig marks the hook unclear if git config writes settings, which may name programs.
func (s *shellScope) gitConfig(args []arg) {
	names, gets := 0, false
	for _, a := range args {
		text := strings.Join(a.texts, " ")
		option, _, _ := strings.Cut(text, "=")
		switch {
		case !a.known && strings.HasPrefix(text, "-") || a.varies("-"):
			names = 2
		case !strings.HasPrefix(text, "-"):
			names++
		case option == "--type" || reading[option]:
			gets = gets || strings.HasPrefix(option, "--get") || option == "--list" || option == "-l"
		default:
			gets, names = false, 2
		}
		if names > 1 && !gets {
			s.cannotSee("git config may write settings that name programs")
			return
		}
	}
}

var (
	sedProgram = regexp.MustCompile(`^[^ewWrRF{}]*$`)
	sedSubst   = regexp.MustCompile(`^\s*(?:[0-9$,]*|/[^/]*/)\s*s(?:/[^/\n]*/[^/\n]*/|\|[^|\n]*\|[^|\n]*\||#[^#\n]*#[^#\n]*#|,[^,\n]*,[^,\n]*,|@[^@\n]*@[^@\n]*@)[gpIi0-9]*\s*$`)
	sedEscaped = regexp.MustCompile(`\\[/|#,@]`) // a delimiter that does not end the expression
	sedPlain   = regexp.MustCompile(`^\s*(?:[0-9$,]*|/[^/]*/(?:,/[^/]*/)?)\s*!?[pdqQ=nNPDhHgGx]?\s*$`)
)

// filter handles a call of awk, sed or jq, whose argument is a program in its own language. sed and jq also take
// options after the program.
func (s *shellScope) filter(l bash.Language, name string, args []arg) {
	for i, a := range args {
		if i == 0 && !a.known && len(a.texts) == 0 || a.varies("-") {
			s.cannotSee("the program that %s runs is not known before the hook runs", name)
			return
		}
	}
	text, program, operands := "", false, false
	for i := 0; i < len(args) && !(program && l == bash.Awk); i++ {
		a := args[i]
		option := strings.Join(a.texts, " ")
		switch {
		case operands || !strings.HasPrefix(option, "-") || option == "-":
			if !program {
				text, program = option, true
				if !a.known && l != bash.JQ || len(a.texts) > 1 {
					s.cannotSee("the program that %s runs is not known before the hook runs", name)
				}
			} else if !operands {
				s.operand(name, a)
			}
		case option == "--":
			operands = true
		case l == bash.Awk && (option == "-F" || option == "-v"):
			if i++; i < len(args) && !args[i].known && len(args[i].texts) == 0 {
				s.cannotSee("the options of %s are not known before the hook runs", name)
			}
		case l == bash.Awk && (strings.HasPrefix(option, "-F") || strings.HasPrefix(option, "-v")):
		case l == bash.JQ && slices.Contains([]string{"--arg", "--argjson", "--slurpfile", "--rawfile"}, option):
			i += 2
		case l == bash.JQ && option == "--indent":
			i++
		case l == bash.JQ && jqFlags.MatchString(option):
		case l == bash.Sed && (option == "-e" || option == "-i" || option == "-n" || option == "-E" || option == "-r" ||
			option == "-z" || option == "-u" || option == "-s" || strings.HasPrefix(option, "-i.")):
		default:
			s.cannotSee("the option %s of %s is not known", option, name)
			return
		}
	}
	if l == bash.Sed { // -e may give several programs
		for i, a := range args {
			if a.is("-e") && i+1 < len(args) {
				if !args[i+1].known || len(args[i+1].texts) != 1 {
					s.cannotSee("the program that %s runs is not known before the hook runs", name)
				}
				text += "\n" + strings.Join(args[i+1].texts, " ")
			}
		}
	}
	if !clearText(l, text) {
		s.cannotSee("the text that %s runs may run programs or load files", name)
	}
}

// operand marks the hook unclear if a word after the program may be an option.
func (s *shellScope) operand(name string, a arg) {
	if !a.known && len(a.texts) == 0 {
		s.cannotSee("the options of %s are not known before the hook runs", name)
	}
	for _, text := range a.texts {
		if strings.HasPrefix(text, "-") && text != "-" {
			s.cannotSee("the option %s of %s is not known", text, name)
		}
	}
}

var jqFlags = regexp.MustCompile(`^(-[cnrRsejaSMC]+|--(compact-output|null-input|raw-output|raw-input|slurp|exit-status|join-output|` +
	`ascii-output|sort-keys|monochrome-output|color-output|tab|args|jsonargs|raw-output0|unbuffered))$`)

// clearText reports whether a program for awk, sed or jq uses none of the few words with which its language runs
// programs or loads files.
func clearText(l bash.Language, text string) bool {
	switch l {
	case bash.Awk:
		return !strings.Contains(text, "system") && !strings.Contains(text, "@") &&
			!strings.Contains(strings.ReplaceAll(text, "||", ""), "|")
	case bash.JQ:
		return !strings.Contains(text, "import") && !strings.Contains(text, "include")
	}
	if sedEscaped.MatchString(text) {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		if !sedSubst.MatchString(part) && !sedPlain.MatchString(part) && !sedProgram.MatchString(part) {
			return false
		}
	}
	return true
}
