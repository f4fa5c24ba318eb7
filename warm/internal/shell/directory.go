package shell

import (
	"strings"
)

// workDir returns $PWD.
func (s *state) workDir() string {
	if s.pwd == "" {
		panic(cold("the working directory"))
	}
	return s.pwd
}

// cd changes the directory as bash does without options: a ".." removes the element before it, which has to be a
// directory.
func cd(s *state, args []string, _ bool) int {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		home, set := s.get("HOME")
		if !set {
			panic(cold("$HOME is not set"))
		}
		args = []string{home}
	}
	name := args[0]
	if len(args) > 1 || name == "" || name[0] == '-' || strings.HasPrefix(name, "//") || s.Env["CDPATH"] != "" || !strings.HasPrefix(s.pwd, "/") {
		panic(cold("this cd"))
	}
	if name[0] != '/' {
		name = s.pwd + "/" + name
	}
	dir := ""
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "", ".":
		case "..":
			if dir != "" && !s.enter(dir) {
				panic(cold("this cd"))
			}
			dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
		default:
			dir += "/" + part
		}
	}
	if dir == "" {
		dir = "/"
	}
	own(dir)
	if !s.enter(dir) {
		if s.err.lost && !s.dash {
			return 1
		}
		panic(cold("a directory that does not exist"))
	}
	s.dir, s.pwd = dir, dir
	return 0
}

// enter reports whether a process may change to a directory.
func (s *state) enter(dir string) bool {
	s.spend(256)
	info, err := s.stat(dir, true)
	return err == nil && info.IsDir() && mayEnter(dir)
}
