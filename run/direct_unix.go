//go:build unix

package run

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// getReady determines how a program starts, or returns nil. lasts reports whether the result can be cached: it depends
// only on the environment and the directory's name, and on neither a directory of PATH nor a symbolic link.
func (j *job) getReady(name string) (r *readied, lasts bool) {
	s := j.surroundings()
	if s == nil || s.hasFunction(name) {
		return nil, false
	}
	program := name
	if lasts = strings.Contains(name, "/"); !lasts {
		program = j.search(s.vars["PATH"], name)
	}
	if program == "" {
		return nil, false
	}
	r = &readied{env: j.env, dir: j.dir, program: program, old: s.vars["OLDPWD"]}
	if !j.loading {
		r.made = append(slices.Clip(s.made), "_="+program)
	}
	return r, lasts && s.pwd == j.dir
}

// surroundings holds the environment and the directory that all programs get when they start without a shell.
type surroundings struct {
	vars map[string]string
	made []string // the environment as bash would pass it on, without the variable _
	pwd  string
}

// hasFunction reports whether the environment exports a bash function of that name, which bash would call instead.
func (s *surroundings) hasFunction(name string) bool {
	_, has := s.vars["BASH_FUNC_"+name+"%%"]
	return has
}

// surroundings returns nil if only bash can start programs with the job's environment in its directory. While settings
// are loaded, it uses the result of the last call.
func (j *job) surroundings() *surroundings {
	if j.loading {
		return lastSurroundings.get(j)
	}
	return surroundingsOf(j)
}

func surroundingsOf(j *job) *surroundings {
	vars, kept := inherited(j.env, "")
	if vars == nil || !quietLocale(vars["LC_ALL"]) {
		return nil
	}
	level, levelOK := shellLevel(vars)
	pwd, pwdOK := workDir(vars, j.dir)
	if !levelOK || !pwdOK {
		return nil
	}
	return &surroundings{vars: vars, made: append(kept, "PWD="+pwd, "SHLVL="+level), pwd: pwd}
}

// lastSurroundings caches the surroundings while settings are loaded, because all hooks of a file have the same
// surroundings.
var lastSurroundings cachedSurroundings

// cachedSurroundings is valid for [foundFor], for one environment slice and directory. It is safe for concurrent use.
type cachedSurroundings struct {
	mu    sync.Mutex
	since time.Time
	env   []string
	dir   string
	last  *surroundings
}

func (c *cachedSurroundings) get(j *job) *surroundings {
	if len(j.env) == 0 {
		return surroundingsOf(j)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	same := c.dir == j.dir && len(c.env) == len(j.env) && &c.env[0] == &j.env[0]
	if age := time.Since(c.since); !same || age < 0 || age > foundFor {
		c.since, c.env, c.dir, c.last = time.Now(), j.env, j.dir, surroundingsOf(j)
	}
	return c.last
}

// harmlessFunction reports whether a variable is an exported bash function that bash would export again unchanged, and
// that does not replace program. Fedora's shells, for example, export "which".
func harmlessFunction(name, value, program string) bool {
	name, is := strings.CutPrefix(name, "BASH_FUNC_")
	name, too := strings.CutSuffix(name, "%%")
	return is && too && isName(name) && name != program && strings.HasPrefix(value, "() {  ") &&
		strings.HasSuffix(value, "\n}")
}

// search returns the result of the function search. While settings are loaded, it uses the cache of results.
func (j *job) search(path, name string) string {
	if j.loading {
		return programs.find(path, name, search)
	}
	return search(path, name)
}

// search finds a program in PATH, or returns "". It leaves relative directories, directories that begin with a tilde,
// and a missing PATH to bash.
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

// shellLevel returns SHLVL as bash would pass it on: bash increments SHLVL at its start, and decrements it before the
// program runs. ok is false if bash would change SHLVL, and for the first bash of a remote session, which may read a
// startup file.
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

// workDir returns the value of PWD: the old value if it names the directory, otherwise the path without symbolic links.
// ok is false if the path cannot be found, or if OLDPWD is not a directory, because bash would then unset OLDPWD.
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

// quietLocale reports whether bash certainly knows the locale in LC_ALL; for an unknown locale bash prints a warning.
func quietLocale(name string) bool {
	if name == "" || name == "C" || name == "POSIX" {
		return true
	}
	known := func(folder string) bool { return unix.Access(folder+"/LC_CTYPE", unix.R_OK) == nil }
	return !strings.Contains(name, "/") &&
		(known("/usr/lib/locale/"+name) || known("/usr/lib/locale/"+strings.Replace(name, ".UTF-8", ".utf8", 1)) || known("/usr/share/locale/"+name))
}
