package shell

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// Program is a program that scripts may run in this process, exactly as the installed one would run.
type Program interface {
	// Check returns the reason why only the installed program can run with these arguments. An
	// argument that is not written out in the script is nil.
	Check(args []*string) error

	// Run runs the program and returns its exit status. It gives the run up, by [Process.GiveUp], for
	// everything that the installed program may do differently.
	Run(p *Process) (status int)

	// Known reports whether a file is a supported version of the program that Run imitates. It may start the file.
	// Results are cached until the file changes.
	Known(file string) bool
}

// NewTools returns a shell whose scripts may use the builtins of bash and the given programs, by their names.
func NewTools(programs map[string]Program) inprocess.Shell { return &tools{programs: programs} }

// tools is the shell.
type tools struct {
	programs map[string]Program
	known    sync.Map // from a programFile to whether the file is the program
	texts    sync.Map // from a compiledText to its action
	count    atomic.Int32
}

// Compile reads a script for bash.
func (t *tools) Compile(text string) (inprocess.Script, error) { return t.compile(text, false) }

// CompileDash reads a script for dash.
func (t *tools) CompileDash(text string) (inprocess.Script, error) { return t.compile(text, true) }

func (t *tools) compile(text string, dash bool) (inprocess.Script, error) {
	c, file, err := parse(text, t, dash)
	if err != nil {
		return nil, err
	}
	body, err := c.whole(file, text)
	if err != nil {
		return nil, err
	}
	return &script{body: body, tools: t, dash: dash, usesPWD: c.usesPWD || c.sources}, nil
}

// Concerns reports whether an environment variable may change the behaviour of bash itself, such as POSIXLY_CORRECT, or
// is imported as a function with the name of a known builtin.
func (t *tools) Concerns(variable string) bool {
	switch variable {
	case "TMOUT", "FUNCNEST", "GLOBIGNORE", "POSIXLY_CORRECT", "IFS", "OPTIND":
		return true
	}
	function, is := strings.CutPrefix(variable, "BASH_FUNC_")
	return is && known(strings.TrimSuffix(function, "%%"))
}

// command returns the code of a command that is neither a builtin nor a function, or nil if the command is unknown.
func (t *tools) command(c *compiler, n *syntax.CallExpr, name string) builtin {
	if name == "command" {
		return commandV(c, n)
	}
	if p := t.programOf(name); p != nil {
		return t.program(c, n, name, p)
	}
	if c.quiet && isProgramName(name) && !known(name) && !(c.dash && ofDash[name]) {
		return missing(name)
	}
	return nil
}

// programOf returns the program with a name, or with the absolute path of its file, or nil if the program is unknown.
func (t *tools) programOf(name string) Program {
	if strings.HasPrefix(name, "/") {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	return t.programs[name]
}

// missing returns the code of a program that does not exist, for calls that hide bash's message; for all
// other calls it leaves the script to bash.
func missing(name string) builtin {
	return func(s *state, _ []string, _ bool) int {
		if _, handled := s.Env["BASH_FUNC_command_not_found_handle%%"]; !handled && s.err.lost && s.lookup(name) == "" {
			return 127
		}
		panic(cold(name + ", which is not a known builtin"))
	}
}

// Is returns the facts known about a file. It leaves the script to bash for files of this process.
func (p *Process) Is(name string) (fs.FileInfo, error) {
	path := p.s.path(name)
	own(path)
	p.s.spend(256)
	return p.s.stat(path, true)
}

// Link does the same as Is, but for a symbolic link itself.
func (p *Process) Link(name string) (fs.FileInfo, error) {
	path := p.s.path(name)
	own(path)
	p.s.spend(256)
	return p.s.stat(path, false)
}

// Dir returns the working directory.
func (p *Process) Dir() string { return p.s.dir }

// EnvNames returns the names of all variables of the environment.
func (p *Process) EnvNames() []string { return slices.Collect(maps.Keys(p.s.exports())) }

// Quiet reports whether standard error is /dev/null.
func (p *Process) Quiet() bool { return p.s.err.lost }

// Create makes a file when the script has ended. If more is true, it appends to an existing file instead of replacing
// its content. write adds text to the file.
func (p *Process) Create(name string, more bool) (write func(text []byte)) {
	out := p.s.create(name, more)
	return func(text []byte) {
		p.s.spend(len(text))
		out.write(string(text))
	}
}

// MakeFolders creates a folder and its parents when the script has ended.
func (p *Process) MakeFolders(name string) { p.s.makeFolders(name) }

// Process is one run of a [Program].
type Process struct {
	Name string // the program's name as the script has it
	Args []string
	s    *state
}

// GiveUp leaves the whole script to bash. It does not return.
func (p *Process) GiveUp(why string, args ...any) { panic(cold(fmt.Sprintf(why, args...))) }

// Spend counts n bytes of work. It gives the run up beyond its limit.
func (p *Process) Spend(n int) { p.s.spend(n) }

// Env returns a variable of the environment.
func (p *Process) Env(name string) string { return p.s.exports()[name] }

// LookupEnv returns a variable of the environment, and whether it is set.
func (p *Process) LookupEnv(name string) (value string, set bool) {
	value, set = p.s.exports()[name]
	return value, set
}

// Print writes to standard output.
func (p *Process) Print(text []byte) {
	p.s.spend(len(text))
	if !p.s.out.lost {
		p.s.out.data = append(p.s.out.data, text...)
	}
}

// Silent reports whether standard output is /dev/null.
func (p *Process) Silent() bool { return p.s.out.lost }

// Stdin reads standard input to its end.
func (p *Process) Stdin() []byte {
	in := p.s.in
	if in.reopened {
		p.GiveUp("standard input after /dev/stdin was opened")
	}
	rest := in.data[in.at:]
	p.s.spend(len(rest))
	in.at = len(in.data)
	return rest
}

// Leave reports that the program has ended before the end of its standard input, see [Process.Stdin]. How much of
// the input was read is then not certain, unless the input is one line that one system call writes.
func (p *Process) Leave() {
	in := p.s.in
	if n := len(in.data); n > 0 && (n > pipeWrite || strings.IndexByte(string(in.data[:n-1]), '\n') >= 0) {
		in.at, in.reopened = n-1, true
	}
}

// pipeWrite is the size up to which programs write their output in one system call.
const pipeWrite = 4096

// Open returns the content of a regular file, and gives the run up for others.
func (p *Process) Open(name string) []byte {
	if name == "-" {
		p.GiveUp("a file of this name")
	}
	own(p.s.path(name))
	return p.s.open(name).data
}

// program compiles a call of a program.
func (t *tools) program(c *compiler, n *syntax.CallExpr, name string, program Program) builtin {
	args := make([]*string, len(n.Args)-1)
	for i, w := range n.Args[1:] {
		if text, ok := written(w); ok {
			args[i] = &text
		}
	}
	if err := program.Check(args); err != nil {
		c.refuse(n, "%s: %v", name, err)
	}
	return func(s *state, args []string, _ bool) int {
		t.installed(s, name, program)
		return program.Run(&Process{Name: name, Args: args, s: s})
	}
}

// written returns the text of a word that has no expansions.
func written(w *syntax.Word) (text string, ok bool) {
	var out strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, `\`) {
				return "", false
			}
			out.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			out.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.ContainsAny(lit.Value, `\`) {
					return "", false
				}
				out.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return out.String(), true
}

// commandV compiles command -v for one name.
func commandV(c *compiler, n *syntax.CallExpr) builtin {
	if len(n.Args) != 3 || n.Args[1].Lit() != "-v" {
		c.refuse(n, "this command")
	}
	return func(s *state, args []string, _ bool) int {
		if len(args) != 2 {
			panic(cold("this command -v"))
		}
		name := args[1]
		if s.dash && (known(name) || ofDash[name]) {
			panic(cold("command -v " + name))
		}
		if s.funcs[name] != nil || known(name) {
			s.print(name + "\n")
			return 0
		}
		if !isProgramName(name) {
			panic(cold("command -v " + name))
		}
		file := s.lookup(name)
		switch {
		case file == "" && s.dash:
			return 127
		case file == "":
			return 1
		}
		s.print(file + "\n")
		return 0
	}
}

// isProgramName reports whether a name for which known is false can be a program: it is neither another builtin nor a
// reserved word of bash.
func isProgramName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+."
	return name != "" && name[0] != '.' && name[0] != '-' && strings.Trim(name, letters) == "" &&
		!strings.Contains(ownNames, " "+name+" ")
}

// ownNames lists names that are not programs: the reserved words of bash, and its builtins except some of those in
// known.
const ownNames = " alias bg bind builtin caller cd command compgen complete compopt declare dirs disown enable eval exec " +
	"fc fg getopts hash help history jobs kill let logout mapfile popd pushd readarray readonly source suspend " +
	"times trap type typeset ulimit umask unalias wait " +
	"if then else elif fi case esac for select while until do done in function time coproc "
