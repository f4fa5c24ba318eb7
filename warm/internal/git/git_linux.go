// Package git runs the calls of git with which hooks find their repository: rev-parse --show-toplevel, --git-dir and
// --is-inside-work-tree, and branch --show-current. It gives the run up unless git finds a plain repository of this
// user, or finds none and its message is discarded.
package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
	"github.com/snaphook-go/snaphook/warm/internal/version"
)

// Programs returns the program git by its name.
func Programs() map[string]shell.Program { return map[string]shell.Program{"git": program{}} }

type program struct{}

// Known reports whether a file is a git whose system configuration is /etc/gitconfig.
func (program) Known(file string) bool {
	return file == "/usr/bin/git" && version.Starts(file, "git version 2.")
}

// Check reads the arguments. Each argument except the folder of -C has to be known before a run.
func (program) Check(args []*string) error {
	var words []string
	for i, arg := range args {
		switch {
		case arg != nil:
			words = append(words, *arg)
		case i == 1 && *args[0] == "-C":
			words = append(words, "/")
		default:
			return errArguments
		}
	}
	_, err := parse(words)
	return err
}

// costOfCall is the work of reading a repository and the configuration, in bytes.
const costOfCall = 16 << 10

var errArguments = errors.New("these arguments")

// query is one call of git.
type query struct {
	dir  string // of -C
	kind string
}

func parse(args []string) (q query, err error) {
	if len(args) > 1 && args[0] == "-C" {
		if q.dir, args = args[1], args[2:]; q.dir == "" {
			return q, errArguments
		}
	}
	q.kind = strings.Join(args, " ")
	switch q.kind {
	case "rev-parse --show-toplevel", "rev-parse --git-dir", "rev-parse --is-inside-work-tree", "branch --show-current":
		return q, nil
	}
	return q, errArguments
}

// Run answers a query.
func (program) Run(p *shell.Process) int {
	p.Spend(costOfCall)
	q, err := parse(p.Args)
	if err != nil {
		p.GiveUp("git: %v", err)
	}
	for _, name := range p.EnvNames() {
		if strings.HasPrefix(name, "GIT_") && !slices.Contains(harmless, name) {
			p.GiveUp("git: $%s", name)
		}
	}
	dir := p.Dir()
	if q.dir != "" {
		if filepath.IsAbs(q.dir) {
			dir = q.dir
		} else {
			dir += "/" + q.dir
		}
	}
	if info, err := p.Is(dir); err != nil || !info.IsDir() {
		p.GiveUp("git: a directory that is not there")
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil || !filepath.IsAbs(dir) {
		p.GiveUp("git: this directory")
	}
	top := find(p, dir)
	configs(p, top)
	if top == "" {
		if !p.Quiet() {
			p.GiveUp("git: no repository")
		}
		return 128
	}
	switch q.kind {
	case "rev-parse --show-toplevel":
		p.Print([]byte(top + "\n"))
	case "rev-parse --is-inside-work-tree":
		p.Print([]byte("true\n"))
	case "rev-parse --git-dir":
		if dir == top {
			top = ""
		} else {
			top += "/"
		}
		p.Print([]byte(top + ".git\n"))
	default:
		if branch := head(p, top); branch != "" {
			p.Print([]byte(branch + "\n"))
		}
	}
	return 0
}

// harmless lists variables that these queries do not read.
var harmless = []string{"GIT_EDITOR", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "GIT_ASKPASS", "GIT_SEQUENCE_EDITOR"}

// find returns the top folder of the repository that contains dir; "" if there is none.
func find(p *shell.Process, dir string) (top string) {
	start, err := p.Is(dir)
	if err != nil {
		p.GiveUp("git: this directory")
	}
	device := owned(start).Dev
	for {
		info, err := p.Is(dir)
		if err != nil || owned(info).Dev != device {
			p.GiveUp("git: a file system of its own")
		}
		dot, err := p.Link(dir + "/.git")
		switch {
		case err == nil:
			repository(p, dir, info, dot)
			return dir
		case !errors.Is(err, fs.ErrNotExist):
			p.GiveUp("git: a folder that cannot be read")
		}
		if _, err := p.Link(strings.TrimSuffix(dir, "/") + "/HEAD"); err == nil {
			p.GiveUp("git: a folder that may be a repository")
		}
		if dir == "/" {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

func owned(info fs.FileInfo) *syscall.Stat_t { return info.Sys().(*syscall.Stat_t) }

// repository gives the run up unless dir/.git is a plain repository of this user.
func repository(p *shell.Process, dir string, info, dot fs.FileInfo) {
	user := uint32(os.Geteuid())
	if !dot.IsDir() || owned(info).Uid != user || owned(dot).Uid != user || owned(dot).Dev != owned(info).Dev {
		p.GiveUp("git: a worktree, a link or another user's repository")
	}
	for _, name := range [...]string{"objects", "refs"} {
		if at, err := p.Link(dir + "/.git/" + name); err != nil || !at.IsDir() || syscall.Access(dir+"/.git/"+name, 1) != nil {
			p.GiveUp("git: this repository")
		}
	}
	if _, err := p.Link(dir + "/.git/commondir"); err == nil {
		p.GiveUp("git: a worktree")
	}
	head(p, dir)
}

// head returns the branch; "": HEAD is detached.
func head(p *shell.Process, top string) (branch string) {
	file := top + "/.git/HEAD"
	if info, err := p.Link(file); err != nil || !info.Mode().IsRegular() {
		p.GiveUp("git: this HEAD")
	}
	text := string(p.Open(file))
	line, rest, ended := strings.Cut(text, "\n")
	if branch, is := strings.CutPrefix(line, "ref: refs/heads/"); is && ended && rest == "" && isBranch(branch) {
		return branch
	}
	if !ended || rest != "" || len(line) != 40 || strings.Trim(line, "0123456789abcdef") != "" {
		p.GiveUp("git: this HEAD")
	}
	return ""
}

// isBranch reports whether git certainly accepts a name as a branch.
func isBranch(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") ||
			strings.Contains(part, "..") {
			return false
		}
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./#+"
	return strings.Trim(name, letters) == ""
}

// configs gives the run up for settings that change these queries, in all files that git reads for a repository.
func configs(p *shell.Process, top string) {
	files := []string{"/etc/gitconfig"}
	if home := p.Env("HOME"); home != "" {
		files = append(files, home+"/.gitconfig", home+"/.config/git/config")
	}
	if dir := p.Env("XDG_CONFIG_HOME"); dir != "" {
		files = append(files, dir+"/git/config")
	}
	if top != "" {
		files = append(files, top+"/.git/config", top+"/.git/config.worktree")
	}
	for _, file := range files {
		if !filepath.IsAbs(file) {
			p.GiveUp("git: a relative folder with settings")
		}
		if _, err := p.Link(file); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err := plain(string(p.Open(file))); err != nil {
			p.GiveUp("git: %s: %v", file, err)
		}
	}
}
