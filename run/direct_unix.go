//go:build unix

package run

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// readied is how a call started: good for every call with the same environment,
// a slice that is not changed, in the same directory.
type readied struct {
	env []string
	dir string

	program string
	made    []string // the environment as bash makes it
	old     string   // OLDPWD, which bash drops if it is no directory any more
}

func (r *readied) fits(j *job) bool {
	return r != nil && r.dir == j.dir && len(r.env) == len(j.env) && len(j.env) > 0 && &r.env[0] == &j.env[0] &&
		(r.old == "" || isDir(r.old))
}

// direct returns the process that "bash -c" would turn into for c.Direct: the
// same file, with the same environment. It is not ok if only bash can say what
// those are, or if there is no such program.
func (j job) direct(c *Command) (direct job, ok bool) {
	if len(c.Direct) == 0 {
		return j, false
	}
	r := c.ready.Load()
	if !r.fits(&j) {
		var lasts bool
		if r, lasts = j.getReady(c.Direct[0]); r == nil {
			return j, false
		}
		if lasts && j.shared {
			c.ready.Store(r)
		}
	}
	j.program, j.argv, j.env = r.program, c.Direct, r.made
	return j, true
}

// getReady finds out how a program starts, or returns nil. It lasts if nothing
// but the environment and the name of the directory had to be asked: no folder
// of PATH, and no link on the way to the directory.
func (j *job) getReady(name string) (r *readied, lasts bool) {
	vars, env := inherited(j.env, name)
	if vars == nil || !quietLocale(vars["LC_ALL"]) {
		return nil, false
	}
	program := name
	if lasts = strings.Contains(name, "/"); !lasts {
		program = search(vars["PATH"], name)
	}
	level, levelOK := shellLevel(vars)
	pwd, pwdOK := workDir(vars, j.dir)
	if program == "" || !levelOK || !pwdOK {
		return nil, false
	}
	return &readied{
		env: j.env, dir: j.dir, program: program, old: vars["OLDPWD"],
		made: append(env, "PWD="+pwd, "SHLVL="+level, "_="+program),
	}, lasts && pwd == j.dir
}

// inherited returns the variables of an environment, and the part that bash
// passes on as it is. There are no variables if anything in it concerns bash:
// a name that is none, a name that is there twice, one of its own, or a
// function that stands before the program.
func inherited(env []string, program string) (vars map[string]string, kept []string) {
	vars, kept = make(map[string]string, len(env)), make([]string, 0, len(env)+3)
	for _, entry := range env {
		name, value, ok := strings.Cut(entry, "=")
		if _, twice := vars[name]; twice || !ok {
			return nil, nil
		}
		if (!isName(name) || concernsBash(name)) && !harmlessFunction(name, value, program) {
			return nil, nil
		}
		vars[name] = value
		switch name {
		case "PWD", "SHLVL", "_": // are made anew
		case "PS1", "PS2": // exist only where a user types
		default:
			kept = append(kept, entry)
		}
	}
	return vars, kept
}

// harmlessFunction reports whether a variable is a function, other than
// program, that bash exported and would export again in the same words.
// Fedora's shells, for one, export "which".
func harmlessFunction(name, value, program string) bool {
	name, is := strings.CutPrefix(name, "BASH_FUNC_")
	name, too := strings.CutSuffix(name, "%%")
	return is && too && isName(name) && name != program && strings.HasPrefix(value, "() {  ") &&
		strings.HasSuffix(value, "\n}")
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
			!(i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

// concernsBash reports whether bash reads a variable when it starts, or returns
// it another value. BASH_ENV is one, and so are exported functions; a loader
// that is told to speak would do so twice.
func concernsBash(name string) bool {
	switch name {
	case "SHELLOPTS", "POSIXLY_CORRECT", "POSIX_PEDANTIC", "ENV", "EXECIGNORE", "IFS", "OPTIND", "OPTERR", "PS4",
		"COMP_WORDBREAKS", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "HISTCMD",
		"LINENO", "LOCPATH", "PIPESTATUS", "PPID", "RANDOM", "SECONDS", "SRANDOM", "UID":
		return true
	}
	return strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}

// search finds a program in PATH, or returns "". Relative folders, those that
// begin with a tilde, and a missing PATH are left to bash.
func search(path, name string) string {
	for folder := range strings.SplitSeq(path, ":") {
		if !strings.HasPrefix(folder, "/") {
			return ""
		}
		program := strings.TrimSuffix(folder, "/") + "/" + name
		var stat unix.Stat_t
		if unix.Access(program, unix.X_OK) == nil && unix.Stat(program, &stat) == nil &&
			stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			return program
		}
	}
	return ""
}

// shellLevel returns SHLVL. Bash adds one, and takes it back before it gives way
// to the program. The first bash of a remote session may read a startup file.
func shellLevel(vars map[string]string) (level string, ok bool) {
	level, ok = vars["SHLVL"]
	if !ok {
		level = "0"
	}
	n, err := strconv.Atoi(level)
	_, remote := vars["SSH_CLIENT"]
	_, remote2 := vars["SSH2_CLIENT"]
	fresh := n == 0 && (remote || remote2)
	return level, err == nil && n >= 0 && n < 900 && strconv.Itoa(n) == level && !fresh
}

// workDir returns PWD: as it is if it names the directory, else the path without
// symbolic links. OLDPWD must be a directory, or bash would drop it.
func workDir(vars map[string]string, dir string) (pwd string, ok bool) {
	var here, there unix.Stat_t
	if old, ok := vars["OLDPWD"]; ok {
		if !strings.HasPrefix(old, "/") || !isDir(old) {
			return "", false
		}
	}
	pwd = vars["PWD"]
	if strings.HasPrefix(pwd, "/") && unix.Stat(pwd, &there) == nil && unix.Stat(cmp.Or(dir, "."), &here) == nil &&
		here.Dev == there.Dev &&
		here.Ino == there.Ino {
		return pwd, true
	}
	var err error
	if dir == "" {
		pwd, err = syscall.Getwd()
	} else {
		pwd, err = filepath.EvalSymlinks(dir)
	}
	return pwd, err == nil && filepath.IsAbs(pwd)
}

func isDir(path string) bool {
	var stat unix.Stat_t
	return unix.Stat(path, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR
}

// quietLocale reports whether bash certainly knows a locale, the value of
// LC_ALL. It complains of one that it does not know.
func quietLocale(name string) bool {
	if name == "" || name == "C" || name == "POSIX" {
		return true
	}
	known := func(folder string) bool { return unix.Access(folder+"/LC_CTYPE", unix.R_OK) == nil }
	return !strings.Contains(name, "/") &&
		(known("/usr/lib/locale/"+name) || known("/usr/lib/locale/"+strings.Replace(name, ".UTF-8", ".utf8", 1)) || known("/usr/share/locale/"+name))
}
