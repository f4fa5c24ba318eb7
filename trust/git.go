package trust

import (
	"slices"
	"strings"
)

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
