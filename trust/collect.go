package trust

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// The limits of trust.
const (
	mostFiles = 20_000
	mostBytes = 512 << 20
	mostText  = 256 << 10 // bytes read of a script to find the files that it runs

	// mostLooks limits the work for all hooks together: possible paths and values of their words, texts that are read,
	// files of directories. A script of a thousand words needs some thousand looks; the work up to the limit takes a
	// few seconds.
	mostLooks = 400_000

	mostPairs = 1_000_000 // the files of all hooks; a file counts once for each hook that has it
)

// fileCollector finds and hashes the files of hooks, each once.
type fileCollector struct {
	ctx        context.Context
	dir        string
	workDirs   []string // the working directory of hooks, as named and with links resolved
	environ    map[string]string
	inherited  []string          // sorted names in environ whose values make programs load files of the project
	sums       map[string]string // by file with links resolved
	seen       map[string]stamp  // by file with links resolved
	stamps     map[string]stamp  // by file, as hooks name it
	bytes      int64
	path       []string  // the directories of PATH
	listed     int       // number of names compared with patterns
	looks      int       // limited by mostLooks
	all        []File    // all files of the project; nil until a hook is unclear
	allFolders []*folder // all folders of the project
	partial    bool      // all lacks some files, because the project has too many
	whole      bool      // the whole project is read, not limited by mostLooks
	pairs      int       // the files of all hooks; a file counts once for each hook that has it

	found   []File // of the current hook
	has     map[string]bool
	ran     map[string]bool // files already searched for files that they run
	not     []string        // missing files of the project that the hook would run
	gone    map[string]bool // the paths in the field not, as a set
	folders []*folder       // folders that the hook searches
	watched map[string]bool // watched directories, by use and path
	procs   []*shellProcess // shells that the hook starts
	python  bool            // the hook runs Python with modules of the project
	unclear string
	depth   int

	lookUps
	searched map[[3]any]bool // whether a search of PATH found a script of the project, by searchKey
	written  map[string]bool // paths of files that the hook writes
	code     map[string]bool // paths of files that run, or that programs load
	read     map[string]bool // files that were read as code, by path; files of Python and Node by language and path
	changed  map[string]bool // variables of environ to which the hook gives another value
}

func newCollector(ctx context.Context, dir string, environ []string) *fileCollector {
	if environ == nil {
		environ = os.Environ()
	}
	c := &fileCollector{ctx: ctx, dir: dir, workDirs: []string{dir}}
	c.environ, c.sums, c.seen, c.stamps = map[string]string{}, map[string]string{}, map[string]stamp{}, map[string]stamp{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if windows {
			name = strings.ToUpper(name)
		}
		if name == "PATH" {
			value = shellPaths(value)
		}
		c.environ[name] = value
	}
	for _, name := range []string{"LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"} {
		c.environ[name] = shellPath(dir)
	}
	for name, value := range c.environ {
		if name != "PATH" && loads(name) && c.leadsIn(value) {
			c.inherited = append(c.inherited, name)
		}
	}
	slices.Sort(c.inherited)
	return c
}

// hook finds the files that one hook runs.
func (c *fileCollector) hook(h *hook.Hook, files func(context.Context, *hook.Hook) ([]string, error)) (Hook, error) {
	c.found, c.has, c.ran, c.not, c.unclear, c.depth = nil, map[string]bool{}, map[string]bool{}, nil, "", 0
	c.searched, c.gone, c.read, c.watched = map[[3]any]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	c.folders, c.procs, c.python = nil, nil, false
	c.written, c.code = map[string]bool{}, map[string]bool{}
	var err error
	switch {
	case h.Type == "command":
		err = c.command(h)
	case files != nil:
		var paths []string
		if paths, err = files(c.ctx, h); err == nil {
			err = c.addAll(paths)
		}
	}
	for _, p := range c.procs {
		for _, name := range p.unknown {
			if !p.functions[name] {
				c.cannotSee("the files that %q runs or loads are not known", name)
			}
		}
	}
	if path := c.writtenCode(); path != "" {
		c.cannotSee("the hook writes %s, which it also runs", c.short(path))
	}
	if errors.Is(err, errSpent) || err == nil && c.looks > mostLooks {
		c.cannotSee("the commands of the project name more files than trust reads")
		err = nil
	}
	if err == nil && len(c.not) > mostFiles {
		err = tooMany(c.not[mostFiles])
	}
	found := Hook{Hook: h, Files: c.found, Unclear: c.unclear, absent: c.not, folders: c.folders, python: c.python}
	if err == nil && c.unclear == "" {
		err = c.count(found)
	}
	return found, err
}

// count adds the files of a hook to the sum over all hooks.
func (c *fileCollector) count(h Hook) error {
	if c.pairs += len(h.Files); c.pairs > mostPairs {
		return fmt.Errorf(
			"trust covers at most %d files for all hooks together, and the hooks of the project may run more than that; name the scripts that they run by their paths",
			mostPairs)
	}
	return nil
}

// writtenCode returns the first file, by name, that the hook writes, and that runs or may appear where the hook looks
// for files to run. It returns "" if there is no such file, or if the work for all hooks is at its limit.
func (c *fileCollector) writtenCode() string {
	if len(c.written) == 0 {
		return ""
	}
	names := map[string][]string{} // of written files, by folder
	for _, path := range slices.Sorted(maps.Keys(c.written)) {
		if c.looks++; c.spent() != nil {
			return ""
		}
		if real, err := c.real(path); err == nil {
			c.written[real] = true
		} else if real, err := c.real(filepath.Dir(path)); err == nil {
			c.written[filepath.Join(real, filepath.Base(path))] = true
		}
		names[filepath.Dir(path)] = append(names[filepath.Dir(path)], filepath.Base(path))
	}
	for _, path := range append(slices.Sorted(maps.Keys(c.code)), c.not...) {
		real, err := c.real(path)
		if c.looks++; c.writes(path) || err == nil && c.writes(real) {
			return path
		}
	}
	for _, f := range c.folders {
		if strings.HasPrefix(f.use, listed) {
			continue
		}
		if c.looks += len(names[f.dir]); c.spent() != nil {
			return ""
		}
		for _, name := range names[f.dir] {
			if f.counts == nil || f.counts(name) {
				return filepath.Join(f.dir, name)
			}
		}
	}
	return ""
}

// writes reports whether the hook writes a file, or its folder.
func (c *fileCollector) writes(path string) bool {
	for {
		if c.written[path] {
			return true
		}
		dir := filepath.Dir(path)
		if dir == path {
			return false
		}
		path = dir
	}
}

// newProcess returns a shell without functions, which has the folders of PATH of the shell that starts it; from is nil
// for the first shell.
func (c *fileCollector) newProcess(from *shellProcess) *shellProcess {
	p := &shellProcess{functions: map[string]bool{}}
	if from != nil {
		p.path, p.relative = slices.Clip(from.path), from.relative
	}
	c.procs = append(c.procs, p)
	return p
}

// changes records a variable of environ if programs of the hook may get another value of it.
func (c *fileCollector) changes(name, value string) {
	if old, is := c.environ[name]; is && old != value && name != "PATH" {
		c.changed[name] = true
	}
}

// command finds the files of a command. It reads the command again if programs of the hook get other variables.
func (c *fileCollector) command(h *hook.Hook) error {
	c.changed = map[string]bool{}
	for {
		known := len(c.changed)
		if err := c.texts(h); err != nil || len(c.changed) == known {
			return err
		}
		clear(c.ran)
		clear(c.read)
		clear(c.searched)
	}
}

// texts finds the files of a command in its text and in its arguments. It skips arguments that only pass the text to
// a shell, and a text that is only the name of the program.
func (c *fileCollector) texts(h *hook.Hook) error {
	s := newScope(c, "", nil)
	for _, name := range c.inherited {
		if err := s.assigned(name, c.environ[name]); err != nil {
			return err
		}
	}
	inShell := len(h.Argv) == 3 && h.Argv[1] == "-c" && h.Argv[2] == h.Command
	s.posix = inShell && !likeBash[filepath.Base(h.Argv[0])]
	// The command of a program with a list of arguments is the program's name, and not a text for a shell.
	named := len(h.Argv) > 1 && !inShell && filepath.Base(h.Command) == filepath.Base(h.Argv[0]) &&
		!strings.ContainsAny(h.Command, " \t\r\n;|&$`()<>'\"#*?[~{}!=")
	if !named {
		if err := s.script(h.Command); err != nil {
			return err
		}
	}
	switch {
	case inShell || len(h.Argv) < 2:
		return nil
	case windows && len(h.Argv) == 3 && h.Argv[1] == "-c" && !named: // Argv[2] is run.PosixScript(Command)
		return s.script(h.Argv[2])
	}
	return s.call(h.Argv)
}

// cannotSee records why some files cannot be found. It keeps the first reason.
func (c *fileCollector) cannotSee(format string, args ...any) {
	if c.unclear == "" {
		c.unclear = fmt.Sprintf(format, args...)
	}
}

// errSpent ends the search for the files of a hook.
var errSpent = errors.New("there are too many files to look at")

// spent returns errSpent once the limit of work is reached, and ctx's error once ctx has ended.
func (c *fileCollector) spent() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.looks > mostLooks {
		return errSpent
	}
	return nil
}

// below reports whether a file lies in the project.
func (c *fileCollector) below(path string) bool {
	rel, err := filepath.Rel(c.dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// absent records a missing file of the project. quiet is set for a text that may not run at all.
func (c *fileCollector) absent(path string, quiet bool) {
	if path = filepath.Clean(path); !quiet && c.below(path) && len(c.not) <= mostFiles && !c.gone[path] {
		c.not = append(c.not, path)
		c.gone[path] = true
	}
}

func (c *fileCollector) addAll(paths []string) error {
	for _, path := range paths {
		if _, err := c.add(path); err != nil {
			return err
		}
	}
	return nil
}

// file covers a file that a command names, and the files that it runs in turn. runs means that the file certainly runs:
// only then do parts that cannot be analysed make the hook unclear. from has the directories in which the command runs.
// read reports that the file determines which code runs: it is a script, or a program of the project.
func (c *fileCollector) file(path string, runs bool, from *finder) (read bool, err error) {
	path = filepath.Clean(path)
	if _, err := c.add(path); err != nil || !c.has[path] {
		return false, err
	}
	key := fmt.Sprintf("%q %q %q %q", path, from.dirs, from.proc.path, from.word)
	if c.ran[key] || !runs && c.ran[key+" quiet"] {
		return c.read[path], nil
	}
	c.ran[key+lo.Ternary(runs, "", " quiet")] = true
	text, err := bounded.ReadFile(c.ctx, path, mostText)
	compiled := err != nil || bytes.ContainsRune(text, 0)
	if compiled && !c.below(path) && !c.linksIn(path) {
		return false, nil // for a program outside the project, the name determines which code runs
	}
	c.read[path] = true
	if runs {
		c.code[path] = true
	}
	if compiled {
		if runs {
			c.cannotSee("the files that %s loads are not known: it is a compiled program, or too long", c.short(path))
		}
		return true, nil
	}
	s := newScope(c, path, from)
	s.quiet = !runs
	if interpreter := shebang(text); interpreter != "" {
		return true, s.call(append(strings.Fields(interpreter), s.names.zero))
	}
	s.posix = true // the kernel does not start it: a shell runs it, or a program gives it to sh
	if ext := strings.ToLower(filepath.Ext(path)); runs || shellEndings[ext] || ext == "" {
		return true, s.script(string(text))
	}
	return true, nil
}

// short returns a path in the form for messages.
func (c *fileCollector) short(path string) string {
	if rel, err := filepath.Rel(c.dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// leadsIn reports whether a path, or one of a list of paths, refers to a file of the project.
func (c *fileCollector) leadsIn(paths string) bool {
	ends := func(r rune) bool { return r == ':' || r == ' ' || r == '=' }
	if windows { // a path may contain a colon after the drive, and a blank, as in C:\Program Files
		ends = func(r rune) bool { return r == ';' || r == '=' }
	}
	for part := range strings.FieldsFuncSeq(paths, ends) {
		if path := within(c.dir, part); c.below(path) || c.linksIn(path) {
			return true
		}
	}
	return false
}

// searchPath returns PATH with links resolved, because a link may refer to the project.
func (c *fileCollector) searchPath() []string {
	if c.path == nil && c.environ["PATH"] != "" {
		for folder := range strings.SplitSeq(c.environ["PATH"], ":") {
			dir := within(c.dir, folder)
			if real, err := c.real(dir); err == nil {
				dir = real
			}
			c.path = append(c.path, dir)
		}
	}
	return c.path
}

// linksIn reports whether a path refers to a file of the project by symbolic links.
func (c *fileCollector) linksIn(path string) bool {
	real, err := c.real(path)
	return err == nil && c.below(real)
}

// shellFile covers a file that a shell reads as shell text. from is the scope of the text that names the file.
func (c *fileCollector) shellFile(path string, names scriptNames, from *shellScope) error {
	if _, err := c.add(path); err != nil || !c.has[filepath.Clean(path)] {
		return err
	}
	if !from.first(c.ran, fmt.Sprintf("%q %+v %s", path, names, from.state())) {
		return nil
	}
	if !from.quiet {
		c.code[filepath.Clean(path)] = true
	}
	text, err := bounded.ReadFile(c.ctx, path, mostText)
	if err != nil || bytes.ContainsRune(text, 0) {
		from.cannotSee("the files that %s runs are not known: it is not a text, or too long", c.short(path))
		return nil //nolint:nilerr // the hook is unclear
	}
	inner := *from
	inner.names = names
	inner.addDir(filepath.Dir(path))
	err = inner.script(string(text))
	from.dirs = inner.dirs // a sourced file may change the directory
	return err
}

// shebang returns the interpreter of a script, with its arguments; "" if its first line names none.
func shebang(text []byte) string {
	line, is := bytes.CutPrefix(text, []byte("#!"))
	if !is {
		return ""
	}
	line, _, _ = bytes.Cut(line[:min(len(line), 4096)], []byte("\n"))
	return string(line)
}

var (
	shellEndings = set(".sh .bash .zsh .ksh")
	scripts      = set(".py .pyw .js .mjs .cjs .ts .mts .cts .rb .pl .php .lua .ps1 .fish")
)
