package trust

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"
	"golang.org/x/text/unicode/norm"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// pythonLetters lists the options of Python that load nothing.
const pythonLetters = "bBdEhIOPqsSuvV"

// pythonCall is a call of Python.
type pythonCall struct{ programCall }

// files covers the files of a call with a script, a directory, a text or a module.
func (p pythonCall) files() error {
	for i := 0; i < len(p.args); i++ {
		option, known := p.args[i].option("-")
		if !known {
			p.cannotSee("the script that %s runs is not known before the hook runs", p.name)
			return nil
		}
		switch {
		case option == "-":
			return p.readStdin(p.imports)
		case option == "--version" || option == "--help":
			return nil
		case option == "-W":
			i++
			p.value(i)
		case option == "-X" && (p.arg(i+1).is("utf8") || p.arg(i+1).is("dev") || p.arg(i+1).is("utf8=1")):
			i++
		case strings.HasPrefix(option, "-W"):
		case strings.HasPrefix(option, "-"):
			letters := strings.TrimLeft(option[1:], pythonLetters)
			next := letters[min(1, len(letters)):]
			if letters == "c" || letters == "m" {
				next, _ = p.arg(i + 1).single()
			}
			switch {
			case letters == "":
			case next == "":
				p.cannotSee("the text or module that %s runs is not known before the hook runs", p.name)
				return nil
			case letters[0] == 'c':
				return p.imports(p.name+" -c", next, p.dirs)
			case letters[0] == 'm':
				if top, _, _ := strings.Cut(next, "."); pythonClear[top] && !pythonTools[next] {
					p.cannotSee("module %s, which %s runs, may run any text", next, p.name)
				}
				return p.imports(p.name+" -m", "import "+next, p.dirs)
			default:
				p.cannotSee("the option %s of %s is not known", option, p.name)
				return nil
			}
		default:
			return p.args[i].each(p.start)
		}
	}
	return p.readStdin(p.imports)
}

// start covers a script of Python, or the files __main__ of a directory that Python runs.
func (p pythonCall) start(text string) error {
	there := p.existing(text)
	p.missing(text)
	if len(there) == 0 && !slices.ContainsFunc(p.paths(text), p.c.below) {
		p.cannotSee("%s, which %s runs, is not there", text, p.name)
	}
	for _, path := range there {
		if info, err := p.c.stat(path); err == nil && info.IsDir() {
			for _, ending := range []string{".pyc", ".py"} {
				main := filepath.Join(path, "__main__"+ending)
				if _, err := p.c.stat(main); err != nil {
					p.c.absent(main, p.quiet)
				} else if err := p.file(main, []string{path}); err != nil {
					return err
				}
			}
			continue
		}
		p.notDevice(path)
		if err := p.file(path, p.c.folderOf(path)); err != nil {
			return err
		}
	}
	return nil
}

// file covers a file of Python and its imports from the searched directories.
func (p pythonCall) file(path string, dirs []string) error {
	if fresh, err := p.fresh("python\x00"+strings.Join(dirs, "\x00"), path); err != nil || !fresh {
		return err
	}
	text, known := p.code(path)
	if !known {
		return nil
	}
	return p.imports(p.c.short(path), text, dirs)
}

// imports covers the imports of a text of Python.
func (p pythonCall) imports(what, text string, dirs []string) error {
	if p.c.looks += len(text) / 32; p.c.looks > mostLooks {
		return errSpent
	}
	imports, why := pythonImports(text)
	if why != "" {
		p.cannotSee("%s %s, and can therefore run any file", what, why)
	}
	local := map[string]bool{}
	for _, name := range imports {
		found := false
		for _, dir := range dirs {
			is, err := p.module(dir, name)
			if err != nil {
				return err
			}
			found = found || is
		}
		if local[name] = found; !found && !pythonClear[name] {
			p.cannotSee("%s imports %s, an unknown module", what, name)
		}
	}
	for _, dir := range dirs { // the standard library itself imports from the script's directory first
		for _, name := range p.c.watch(dir, "python "+strings.Join(imports, " "), func(name string) bool {
			stem := stemOf(name)
			return isLibrary(stem) || slices.Contains(imports, stem)
		}) {
			if stem := stemOf(name); isLibrary(stem) && !local[stem] && p.c.leadsIn(dir) {
				if _, err := p.module(dir, stem); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// isLibrary reports whether a module of the library has, or may have, a name. Names of its modules in C begin with an
// underscore.
func isLibrary(name string) bool {
	return pythonLibrary[name] || strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "__")
}

// stemOf returns the module name that a file or a directory may have.
func stemOf(name string) string { stem, _, _ := strings.Cut(name, "."); return stem }

var pythonEndings = set(".py .pyc .pyo .pyd .so")

// module covers the module of a name in a directory, if there is one.
func (p pythonCall) module(dir, name string) (found bool, err error) {
	names, err := namesIn(dir)
	if err != nil {
		return false, nil //nolint:nilerr // nothing is found there
	}
	for _, file := range names {
		path := filepath.Join(dir, file)
		info, err := p.c.stat(path)
		switch {
		case stemOf(file) != name || err != nil:
		case info.IsDir() && file == name && isPackage(path, name):
			found = true
			if err := p.modules(path, dir); err != nil {
				return found, err
			}
		case !info.IsDir() && pythonEndings[filepath.Ext(file)]:
			found = true
			if err := p.file(path, []string{dir}); err != nil {
				return found, err
			}
		}
	}
	if !found || !p.c.below(dir) {
		return found, nil
	}
	p.c.python = true
	cache := filepath.Join(dir, "__pycache__")
	for _, file := range p.c.watch(cache, "python cache of "+name, func(file string) bool { return stemOf(file) == name }) {
		if stemOf(file) == name {
			if _, err := p.c.add(filepath.Join(cache, file)); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// isPackage reports whether a directory is a package; without __init__ a module of the library has precedence.
func isPackage(path, name string) bool {
	if !pythonLibrary[name] {
		return true
	}
	names, _ := namesIn(path)
	return slices.ContainsFunc(names, func(file string) bool { return stemOf(file) == "__init__" })
}

// modules covers all files of a package.
func (p pythonCall) modules(path, dir string) error {
	return p.c.walk(path, func(file string) error {
		switch {
		case !pythonEndings[filepath.Ext(file)]:
			return nil
		case filepath.Base(filepath.Dir(file)) == "__pycache__":
			_, err := p.c.add(file)
			return err
		}
		return p.file(file, []string{dir})
	})
}

var (
	pythonString = lazyregexp.New(`(?s)^(?:"""(?:[^\\]|\\.)*?"""|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`)
	pythonWord   = lazyregexp.New(`^[\pL\p{Nl}\p{Pc}][\pL\pM\pN\p{Pc}]*`)
	pythonCoding = lazyregexp.New(`^(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)`)
	pythonUTF8   = lazyregexp.New(`(?i)^(?:utf[-_]?8(?:[-_]sig)?|u8|(?:us-)?ascii)$`)
)

// pythonTokens cuts a text of Python into words, signs and line ends, without comments. A string becomes the token "",
// two quotes; the tokens inside an f-string come before it. ok is false if a string does not end.
func pythonTokens(text string, depth int) (tokens []string, ok bool) {
	for len(text) > 0 {
		switch c := text[0]; {
		case c == '#':
			if end := strings.IndexByte(text, '\n'); end >= 0 {
				text = text[end:]
			} else {
				text = ""
			}
		case c == '\\' && len(text) > 1 && text[1] == '\n':
			text = text[2:]
		case c == '"' || c == '\'':
			whole := pythonString.FindString(text)
			if whole == "" {
				return nil, false
			}
			text = text[len(whole):]
			tokens = append(tokens, `""`)
		case c == '\n':
			tokens, text = append(tokens, "\n"), text[1:]
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			text = text[1:]
		default:
			word := pythonWord.FindString(text)
			if word == "" {
				tokens, text = append(tokens, text[:1]), text[1:]
				continue
			}
			text = text[len(word):]
			if len(text) > 0 && (text[0] == '"' || text[0] == '\'') && len(word) < 3 { // such as r"", f"", rb""
				whole := pythonString.FindString(text)
				if whole == "" {
					return nil, false
				}
				text = text[len(whole):]
				if strings.ContainsAny(word, "fFtT") && strings.Contains(whole, "{") {
					if depth > 3 {
						return nil, false
					}
					for _, field := range pythonFields(whole) {
						inner, ok := pythonTokens(field, depth+1)
						if !ok {
							return nil, false
						}
						tokens = append(tokens, inner...)
					}
				}
				tokens = append(tokens, `""`)
				continue
			}
			tokens = append(tokens, norm.NFKC.String(word)) // Python compares names in this form: ｅｖａｌ is eval
		}
	}
	return tokens, true
}

// pythonFields returns the code in an f-string: the expressions in braces. Two braces stand for one, outside a field.
func pythonFields(text string) (fields []string) {
	// A comment needs a field of several lines. spec counts the fields that are open and in their format, after the
	// colon, where quotes are letters.
	comments, spec := strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''"), 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '}' && spec > 0:
			spec--
		case text[i] != '{':
		case spec == 0 && strings.HasPrefix(text[i:], "{{"):
			i++
		default:
			end, whole := pythonExpression(text[i+1:], comments)
			fields = append(fields, text[i+1:i+1+end])
			if !whole {
				return fields
			}
			if i += 1 + end; text[i] == ':' {
				spec++
			}
		}
	}
	return fields
}

// pythonExpression returns the length of the expression with which a field of an f-string begins. whole is false if the
// text ends first, which is then the beginning of a string in the field, or if the text may have a comment.
func pythonExpression(text string, comments bool) (end int, whole bool) {
	depth := 0
	for end < len(text) {
		switch c := text[end]; {
		case c == '#' && comments:
			return len(text), false
		case depth == 0 && (c == '}' || c == ':'):
			return end, true
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == '"' || c == '\'':
			end += max(len(pythonString.FindString(text[end:]))-1, 0)
		}
		end++
	}
	return len(text), false
}

var (
	pythonDoors = set(`
		load_extension dictConfig fileConfig CGIHTTPRequestHandler _getframe f_globals f_builtins f_locals tb_frame
		gi_frame cr_frame attrgetter methodcaller
		exec eval compile breakpoint globals locals vars getattr setattr delattr importlib runpy imp pkgutil
		zipimport ctypes cffi subprocess multiprocessing popen Popen system startfile execv execve execvp execvpe
		execl execle execlp execlpe spawnv spawnve spawnvp spawnvpe spawnl spawnle spawnlp spawnlpe posix_spawn
		posix_spawnp fork forkpty add_dll_directory modules meta_path path_hooks path_importer_cache addaudithook
		settrace setprofile pty create_subprocess_exec create_subprocess_shell pickle marshal shelve
		environ putenv chdir fchdir get_type_hints get_annotations eval_str ForwardRef subprocess_shell subprocess_exec
		make_parser breakpointhook DictConfigurator BaseConfigurator dictConfigClass _main singledispatch
		singledispatchmethod default_parser_list well_known_implementations registerDOMImplementation _execvpe
		_spawnvef _get_command_stdout _setoption`)
	pythonDunder = set(`
		__name__ __file__ __main__ __init__ __doc__ __future__ __all__ __version__ __author__ __str__ __repr__
		__eq__ __hash__ __lt__ __le__ __gt__ __ge__ __ne__ __len__ __iter__ __next__ __enter__ __exit__ __call__
		__contains__ __getitem__ __setitem__ __bool__ __post_init__ __slots__ __new__ __del__ __add__ __or__
		__and__ __sub__ __aenter__ __aexit__ __annotations__`)
	// environReads lists the methods that read environ without changing it.
	environReads = set(`get items keys values copy`)
)

// pythonImports returns the modules that a text imports, by the first part of their names. why is the reason why the
// text may import other modules, and empty if there is none.
func pythonImports(text string) (imports []string, why string) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	tokens, ok := pythonTokens(text, 0)
	if !ok || strings.Contains(text, "\r") {
		return nil, "cannot be read"
	}
	if coding := pythonCoding.FindStringSubmatch(text); coding != nil && !pythonUTF8.MatchString(coding[1]) {
		return nil, "is written in " + coding[1]
	}
	at := func(i int) string {
		if i >= 0 && i < len(tokens) {
			return tokens[i]
		}
		return "\n"
	}
	add := func(name string) {
		if !slices.Contains(imports, name) {
			imports = append(imports, name)
		}
	}
	for i, token := range tokens {
		begins := slices.Contains([]string{"\n", ";", ":"}, at(i-1))
		switch {
		case token == "from" && begins:
			if at(i+1) != "." { // a relative import stays in the package, which is covered
				add(at(i + 1))
			}
			if at(i+1) == "sys" || at(i+1) == "os" {
				for j, last := i+2, lo.Ternary(at(i+3) == "(", ")", "\n"); j < len(tokens) && at(j) != last; j++ {
					if j > i+mostNamed {
						return imports, "imports too many names of " + at(i+1)
					}
					if (at(j) == "path" || at(j) == "modules") && at(i+1) == "sys" || at(j) == "*" {
						return imports, "takes " + at(i+1) + "." + at(j)
					}
				}
			}
		case token == "import" && begins:
			for j := i + 1; ; j++ {
				add(at(j))
				for at(j) != "," && at(j) != "\n" && at(j) != ";" && j < len(tokens) {
					j++
				}
				if at(j) != "," {
					break
				}
			}
		case token == "environ":
			aliased := slices.Contains([]string{"\n", ";", "|"}, at(i+1)) && at(i-3) != "in"
			if aliased || assignsElement(tokens, i) || at(i+1) == "." && !environReads[at(i+2)] {
				why = "changes os.environ"
			}
		case token == "help" && at(i+1) == "(" && at(i-1) != ".":
			return imports, "uses help"
		case token == "sys" && at(i+1) != "." && (at(i+1) == ")" || at(i+1) == "]" || at(i+1) == "as" ||
			!slices.Contains([]string{"import", "from", ","}, at(i-1))):
			return imports, "uses sys by another name"
		case token == "path" && at(i-1) == "." && at(i-2) == "sys":
			return imports, "uses sys.path"
		case token[0] == '_' && at(i-1) == "." && pythonLibrary[at(i-2)]:
			return imports, "uses " + at(i-2) + "." + token
		case token == "compile" && at(i-1) == "." && at(i-2) == "re":
		case token == "system" && at(i-1) == "." && at(i-2) == "platform":
		case token == "modules" && at(i-1) != ".": // an ordinary name
		case pythonDoors[token]:
			return imports, "uses " + token
		case strings.HasPrefix(token, "__") && strings.HasSuffix(token, "__") && !pythonDunder[token]:
			return imports, "uses " + token
		}
	}
	return imports, why
}

// mostSubscript limits the tokens that are read of a subscript, and mostNamed those of the names in parentheses that a
// text imports.
const (
	mostSubscript = 100
	mostNamed     = 1000
)

// assignsElement reports whether the name at a place is followed by brackets, and the element in them may get a value:
// alone, in a list of targets, in for or after as.
func assignsElement(tokens []string, name int) bool {
	at := func(i int) string {
		if i >= 0 && i < len(tokens) {
			return tokens[i]
		}
		return "\n"
	}
	end := name + 1
	if at(end) != "[" {
		return false
	}
	for depth := 0; ; end++ {
		if end == len(tokens) || end > name+mostSubscript {
			return true
		}
		switch at(end) {
		case "[":
			depth++
		case "]":
			depth--
		}
		if depth == 0 {
			break
		}
	}
	begin := name
	if at(name-1) == "." {
		begin -= 2 // os.environ
	}
	switch at(begin - 1) {
	case "for", "as":
		return true
	case "\n", ";", ":", "[", ",", "*":
		if at(end+1) == "," && !(at(begin-1) == ":" && at(begin-2) == `""`) { // {'key': os.environ['NAME'], …}
			return true
		}
	case "(":
		if at(end+1) == "," && !pythonWord.MatchString(at(begin-2)) {
			return true
		}
	}
	if at(end+1) == "=" {
		return at(end+2) != "="
	}
	compares := at(end+1) == "!" || at(end+1) == "<" && at(end+2) == "=" || at(end+1) == ">" && at(end+2) == "="
	return !compares && (at(end+2) == "=" || at(end+3) == "=" && at(end+1) == at(end+2)) // += and //=
}

var (
	// pythonClear lists modules of Python's library that by themselves load no code and start no program. pythonDoors
	// lists their members that do.
	pythonClear = set(`
		__future__ abc argparse array ast atexit base64 binascii bisect bz2 calendar cmath collections colorsys
		configparser contextlib copy csv dataclasses datetime decimal difflib email enum errno fcntl filecmp
		fnmatch fractions functools getopt getpass glob grp gzip hashlib heapq hmac html http io ipaddress
		itertools json keyword linecache locale logging lzma math mimetypes ntpath numbers operator optparse os
		pathlib platform plistlib posixpath pprint pwd queue quopri random re reprlib secrets select shlex shutil
		signal socket sqlite3 ssl stat statistics string stringprep struct sys syslog tarfile tempfile termios
		textwrap threading time tokenize token tomllib traceback types typing unicodedata urllib uuid warnings
		weakref xml zipfile zlib zoneinfo asyncio concurrent typing_extensions inspect`)

	// pythonTools lists modules of the library that run no text or file if they are run by -m.
	pythonTools = set("json.tool json platform base64 calendar tokenize ast")

	// pythonLibrary lists all module names of the library, in any version: a file with such a name has precedence over
	// the library.
	pythonLibrary = set(`
		__future__ _aix_support _bootsubprocess _collections_abc _compat_pickle _compression _markupbase
		_osx_support _py_abc _pydecimal _pyio _sitebuiltins _strptime _threading_local _weakrefset _bisect _bz2
		_csv _ctypes _datetime _decimal _elementtree _hashlib _heapq _json _lzma _opcode _pickle _posixshmem
		_posixsubprocess _queue _random _socket _sqlite3 _ssl _statistics _struct _uuid _zoneinfo abc aifc
		argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2
		cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall
		compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
		dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno
		faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass
		gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io
		ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal math mimetypes
		mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode
		operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib
		posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pyexpat queue quopri random re
		readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal
		site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat
		statistics string string_templatelib stringprep struct subprocess sunau symtable sys sysconfig syslog
		tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit token tokenize tomllib trace
		traceback tracemalloc tty types typing unicodedata unittest urllib uu uuid venv warnings wave weakref
		webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo annotationlib
		pathlib sitecustomize usercustomize`)
)
