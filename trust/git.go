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

// gitCall is a call of git.
type gitCall struct{ programCall }

// check marks the hook unclear if git may run a program that a file of the project names.
func (g gitCall) check() {
	dirs := g.dirs
	for i := 0; i < len(g.args); i++ {
		text, known := g.args[i].single()
		if !known {
			g.cannotSee("the git command is not known before the hook runs")
			return
		}
		option, value, joined := strings.Cut(text, "=")
		switch {
		case option == "-C" || option == "--git-dir" || option == "--work-tree":
			if !joined {
				i++
				if value, known = g.arg(i).single(); !known {
					g.cannotSee("the git repository is not known before the hook runs")
					return
				}
			}
			next := make([]string, len(dirs))
			for i, dir := range dirs {
				next[i] = within(dir, value)
			}
			switch option {
			case "-C":
				dirs = next
			case "--git-dir":
				g.repository(next)
			}
		case slices.Contains([]string{"--no-pager", "--no-optional-locks", "-P", "--version"}, option):
		case strings.HasPrefix(option, "-"):
			g.cannotSee("the option %s of git is not known", option)
			return
		default:
			gitCall{programCall{g.shellScope, option, g.args[i+1:]}}.command(dirs)
			return
		}
	}
}

// command checks a command of git, without the options before it, in each of the directories.
func (g gitCall) command(dirs []string) {
	if !gitReads[g.name] {
		g.cannotSee("git %s may run hooks of the repository", g.name)
		return
	}
	for _, dir := range dirs {
		g.findsRepository(dir)
	}
	if g.name == "config" {
		g.config()
	}
	g.name = "git " + g.name
	g.without("--ext-diff", "--textconv", "--open-files-in-pager", "-O", "--exec")
}

// reading lists the options of git config that only read.
var reading = set("--get --get-all --get-regexp --get-urlmatch --list -l --local --global --system --worktree --null -z " +
	"--name-only --show-origin --show-scope --bool --int --bool-or-int --path --includes --no-includes --default")

// config marks the hook unclear if git config writes settings, which may name programs.
func (g gitCall) config() {
	names, gets := 0, false
	for _, a := range g.args {
		text := strings.Join(a.texts, " ")
		option, _, _ := strings.Cut(text, "=")
		switch {
		case !a.known && strings.HasPrefix(text, "-") || a.varies("-") || a.splits:
			names = 2
		case !strings.HasPrefix(text, "-"):
			names++
		case option == "--type" || reading[option]:
			gets = gets || strings.HasPrefix(option, "--get") || option == "--list" || option == "-l"
		default:
			gets, names = false, 2
		}
		if names > 1 && !gets {
			g.cannotSee("git config may write settings that name programs")
			return
		}
	}
}
