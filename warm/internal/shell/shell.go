// Package shell runs scripts of bash and dash in this process. NewTools compiles scripts whose syntax is on a list of
// supported forms. A run is given up when a value needs behaviour that only bash has; the caller then starts bash.
// This is safe because a run has no effect before its end: output is buffered, and files are written last.
package shell

import (
	"maps"
	"strconv"
	"strings"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// script is a compiled script. It may be used from many goroutines at once.
type script struct {
	body    action
	tools   *tools
	dash    bool
	usesPWD bool // the script uses $PWD, or sources files that may use it
}

// UsesPWD reports whether the script uses Call.PWD.
func (p *script) UsesPWD() bool { return p.usesPWD }

// The limits of a run: a script that exceeds them is left to bash.
const (
	mostWork  = 4 << 20 // bytes processed, plus 64 for each command
	mostDepth = 50      // nested functions and subshells
	mostFile  = 256 << 10
)

// Run runs the script. ok is false if only bash can run it; in this case why names the part that needs bash.
func (p *script) Run(call *inprocess.Call) (r inprocess.Result, why string, ok bool) {
	var out, err output
	s := &state{
		dir: call.Dir, pwd: call.PWD, file: call.File,
		run: &run{Call: call, left: mostWork, tools: p.tools, dash: p.dash}, vars: map[string]variable{}, params: call.Params,
		in: &input{data: call.Stdin}, out: &out, err: &err,
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case cold:
			r, why, ok = inprocess.Result{}, string(v), false
		default:
			r, why, ok = inprocess.Result{}, "the in-process shell failed", false
		}
	}()
	s.spend(len(call.Stdin))
	if hasAny(string(call.Stdin), "\x00\x01\x7f") {
		panic(cold("a byte of standard input that shells treat in their own way"))
	}
	for _, param := range call.Params {
		s.unmarked(param)
	}
	s.unmarked(call.Name)
	s.whole(p.body)
	if !s.write() {
		return inprocess.Result{}, "a file cannot be written", false
	}
	return inprocess.Result{Exit: s.status, Stdout: out.data, Stderr: err.data}, "", true
}

func hasAny(s, chars string) bool {
	for i := range len(chars) {
		if strings.IndexByte(s, chars[i]) >= 0 {
			return true
		}
	}
	return false
}

// cold is the reason why a run is given up.
type cold string

// ended is the panic that ends a shell after an error in the words of a command.
type ended struct{}

// fail ends the shell with a message as bash writes it. line is the line of the command, or 0 if the line is not
// certain. Without a file, fail gives the run up: after such an error bash -c ends with another status than a bash that
// runs a file, even if the error is in a file that the text sources.
func (s *state) fail(line int, why string) {
	if line == 0 || s.dash || s.file == "" || s.File == "" || strings.Contains(why, "\n") {
		panic(cold(why))
	}
	text := s.file + ": line " + strconv.Itoa(line) + ": " + why + "\n"
	s.spend(len(text))
	s.err.write(text)
	panic(ended{})
}

// whole runs all commands of a shell.
func (s *state) whole(body action) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case ended:
			s.status = 1
		default:
			panic(why)
		}
	}()
	body(s)
}

// action runs a command, and sets its exit status in the state.
type action func(s *state) flow

// flow is the control flow after a command: the next command, or break, continue, return or exit.
type flow uint8

const (
	next flow = iota
	exits
	returns
	breaks
	continues
)

type variable struct {
	text     string
	unset    bool
	readonly bool
	exported bool // programs get the variable
	array    bool
	list     []string // the elements of an array; never changed in place
}

// first returns the value of a variable, which is the first element of an array.
func (v variable) first() (text string, set bool) {
	if v.array && len(v.list) > 0 {
		return v.list[0], true
	}
	return v.text, !v.unset && !v.array
}

// run is the state that all shells of one run share.
type run struct {
	*inprocess.Call
	tools *tools
	dash  bool // the script is for dash
	left  int
	files []*output // files to write
	dirs  []string  // folders to create first, with their parents

	piping  []string // files that commands of pipes have opened
	reading []string // files of the scripts that run this script
}

// written returns the number of bytes written to standard error and to files, plus the number of files and folders.
func (s *state) written() int {
	n := len(s.err.data) + len(s.files) + len(s.dirs)
	for _, f := range s.files {
		n += len(f.data)
	}
	return n
}

// state is the state of one shell.
type state struct {
	*run
	vars   map[string]variable // variables that differ from the environment
	params []string
	dir    string // the current directory
	pwd    string // $PWD
	file   string // ${BASH_SOURCE[0]}
	in     *input
	out    *output
	err    *output
	status int
	piped  bool // the shell is a command of a pipe
	subst  int  // status of the last command substitution

	errexit, nounset, pipefail bool

	depth  int
	cond   int // > 0: the command is a condition, where errexit has no effect
	levels int // number of loops that break or continue still has to leave
	funcs  map[string]action
	frames []map[string]saved
	hides  bool // a local variable outside of this subshell hides one that is exported
}

// saved is a variable that a local one hides.
type saved struct {
	variable
	was bool
}

type input struct {
	data     []byte
	at       int
	reopened bool   // /dev/stdin was opened: its position is unknown
	path     string // the path of the file; empty for an input that is no file
	outer    *input // the standard input that this input replaces for now
}

type output struct {
	data  []byte
	lost  bool   // /dev/null
	file  string // the absolute path of a file, which is written when the script has ended
	empty bool   // the file loses its content first
}

func (o *output) write(s string) {
	if !o.lost {
		o.data = append(o.data, s...)
	}
}

func (s *state) spend(n int) {
	if s.left -= n; s.left < 0 {
		panic(cold("it runs for long"))
	}
}

// deeper counts nested shells and functions, and gives the run up beyond mostDepth.
func (s *state) deeper() {
	if s.depth++; s.depth > mostDepth {
		panic(cold("its functions call each other"))
	}
}

// sub returns the state of a subshell.
func (s *state) sub() *state {
	s.spend(64 * (1 + len(s.vars) + len(s.funcs)))
	c := *s
	c.deeper()
	c.hides = s.hidesExported()
	c.vars, c.funcs, c.frames = maps.Clone(s.vars), maps.Clone(s.funcs), nil
	return &c
}

// get returns the value of a variable, and whether it is set.
func (s *state) get(name string) (text string, set bool) {
	if v, ok := s.vars[name]; ok {
		return v.first()
	}
	if name == "PWD" {
		return s.workDir(), true
	}
	text, set = s.Env[name]
	if !set && madeByBash[name] || hasAny(text, "\x01\x7f") {
		panic(cold("$" + name + " is made by bash"))
	}
	s.unmarked(text)
	return text, set
}

func (s *state) set(name, text string) {
	s.spend(64 + len(text))
	s.unmarked(text)
	was, known := s.vars[name]
	if was.readonly || was.array {
		panic(cold("an assignment to an array, or to a variable that is read-only"))
	}
	exported := was.exported
	if !known {
		_, exported = s.Env[name]
	}
	s.vars[name] = variable{text: text, exported: exported}
}

// madeByBash lists variables that bash may set if the environment lacks them.
var madeByBash = set("PATH TERM HOME SHELL HOSTNAME COLUMNS LINES LOGNAME USER")

// ofBash lists the variables that bash sets or that change its behaviour.
var ofBash = set(`_ IFS SHLVL OLDPWD OPTARG OPTIND OPTERR HOSTTYPE MACHTYPE OSTYPE PS0 PS1 PS2 PS3 PS4 ENV PPID UID EUID
	GROUPS DIRSTACK FUNCNAME FUNCNEST LINENO RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME PIPESTATUS SHELLOPTS
	POSIXLY_CORRECT POSIX_PEDANTIC TMOUT GLOBIGNORE EXECIGNORE FIGNORE CHILD_MAX MAILCHECK MAIL MAILPATH TEXTDOMAIN
	TEXTDOMAINDIR TIMEFORMAT COPROC MAPFILE READLINE_LINE READLINE_POINT HISTCMD HISTCONTROL HISTFILE
	HISTFILESIZE HISTSIZE HISTIGNORE HISTTIMEFORMAT IGNOREEOF INPUTRC INSIDE_EMACS CDPATH COMP_WORDBREAKS COMPREPLY
	PROMPT_COMMAND PROMPT_DIRTRIM auto_resume histchars FCEDIT EMACS TZ LANG LANGUAGE NLSPATH LOCPATH OUTPUT_CHARSET`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// readable reports whether a script may use a variable; assignable reports whether it may also change the
// variable.
func readable(name string) bool {
	return isName(name) && !ofBash[name] && !strings.HasPrefix(name, "BASH") && !strings.HasPrefix(name, "COMP_") &&
		!strings.HasPrefix(name, "LC_")
}

func assignable(name string) bool { return readable(name) && !madeByBash[name] && name != "PWD" }

func isName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if s[i] != '_' && !(c >= 'a' && c <= 'z') && !(i > 0 && s[i] >= '0' && s[i] <= '9') {
			return false
		}
	}
	return s != ""
}
