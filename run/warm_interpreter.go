package run

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// interpreter is a program that runs a hook's script.
type interpreter struct {
	kind    string // WarmPython or WarmNode
	program string // the file to execute
	argv    []string
	flags   int // number of arguments before the script
}

// script returns the file that the command names.
func (i interpreter) script() string { return i.argv[1+i.flags] }

var (
	pythonName = lazyregexp.New(`^python(3(\.\d+)?)?$`)
	nodeName   = lazyregexp.New(`^node(js)?$`)

	// pythonFlag matches the options of Python that a warm hook may have: with these Python still imports site and
	// reads the environment.
	pythonFlag = lazyregexp.New(`^-[ubBOPsq]+$|^-W.+$`)
	nodeFlag   = lazyregexp.New(`^--(no-|enable-|experimental-|trace-|throw-)[a-z-]+$`)
	nodeScript = lazyregexp.New(`\.(js|cjs|mjs|ts)$`)
)

// mostShebang is the number of bytes of a script that Linux reads to find its interpreter.
const mostShebang = 256

// interpreterOf returns the interpreter of a process; the first line of a script may name it. note gives the reason if
// no interpreter can be kept ready.
func interpreterOf(j job) (found interpreter, note string) {
	name := filepath.Base(j.argv[0])
	if !pythonName.MatchString(name) && !nodeName.MatchString(name) {
		return scriptInterpreter(j)
	}
	return withScript(interpreter{program: j.program, argv: j.argv})
}

// withScript looks for the script among the arguments.
func withScript(i interpreter) (interpreter, string) {
	name, flag := filepath.Base(i.argv[0]), nodeFlag
	if i.kind = WarmNode; pythonName.MatchString(name) {
		i.kind, flag = WarmPython, pythonFlag
	}
	for _, arg := range i.argv[1:] {
		switch {
		case !strings.HasPrefix(arg, "-"):
			if i.kind == WarmNode && strings.Contains(filepath.Base(arg), ".") && !nodeScript.MatchString(arg) {
				return i, "Node is not given a script that ends in .js, .cjs, .mjs or .ts"
			}
			return i, ""
		case !flag.MatchString(arg):
			return i, "the interpreter's option " + arg + " needs a start of its own"
		}
		i.flags++
	}
	return i, "the interpreter is not given a script"
}

// scriptInterpreter reads the #! line of a job whose program is itself a script.
func scriptInterpreter(j job) (found interpreter, note string) {
	const none = "the command runs neither Python nor Node"
	line, ok := shebang(inDir(j.program, j.dir))
	if !ok {
		return found, none
	}
	words := strings.Fields(line)
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		return found, none
	}
	program, argv := words[0], words[:1:1]
	if filepath.Base(program) == "env" {
		if len(words) != 2 || strings.HasPrefix(words[1], "-") || strings.Contains(words[1], "=") {
			return found, "the script's first line gives env more than a program"
		}
		var err error
		if program, err = lookup(words[1], j.env, j.dir); err != nil {
			return found, err.Error()
		}
		argv = []string{words[1]}
	} else if len(words) > 1 {
		argv = append(argv, strings.TrimSpace(strings.TrimPrefix(line, words[0]))) // Linux passes the rest as one argument
	}
	if name := filepath.Base(argv[0]); !pythonName.MatchString(name) && !nodeName.MatchString(name) {
		return found, none
	}
	argv = append(append(argv, j.program), j.argv[1:]...)
	return withScript(interpreter{program: program, argv: argv})
}

// shebang returns the text after #! on the first line of a file.
func shebang(file string) (line string, ok bool) {
	f, _, err := bounded.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	head := make([]byte, mostShebang)
	n, _ := f.Read(head)
	return firstLine(head[:n])
}

// firstLine returns the text after #! on the first line of a script.
func firstLine(script []byte) (line string, ok bool) {
	text, ok := bytes.CutPrefix(script[:min(len(script), mostShebang)], []byte("#!"))
	end := bytes.IndexByte(text, '\n')
	if !ok || end < 0 {
		return "", false
	}
	return strings.TrimSpace(string(text[:end])), true
}

// startVars matches the variables that an interpreter reads before it runs a script. A call that changes such
// a variable starts cold.
var startVars = lazyregexp.New(
	`^(PYTHON.*|NODE_.*|LD_.*|LC_.*|LANG|LANGUAGE|TZ|PATH|HOME|MALLOC_.*|GLIBC_.*|SSL_.*|UV_.*|VIRTUAL_ENV|PYENV_.*)=`,
)

// changes lists the changes from one environment to another, in the form that warm processes read. ok is false if only
// a new process can take the changes.
func changes(from, to []string) (list []string, ok bool) {
	had := make(map[string]bool, len(from))
	for _, entry := range from {
		had[entry] = true
	}
	for _, entry := range to {
		if had[entry] {
			delete(had, entry)
			continue
		}
		if startVars.MatchString(entry) || !strings.Contains(entry, "=") || strings.ContainsRune(entry, 0) {
			return nil, false
		}
		list = append(list, "+"+entry)
	}
	for entry := range had {
		if name, _, _ := strings.Cut(entry, "="); !sets(to, entry) {
			if startVars.MatchString(entry) {
				return nil, false
			}
			list = append(list, "-"+name)
		}
	}
	return list, true
}
