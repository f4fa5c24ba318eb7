package trust

import (
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// nodeFlags are options of Node that load nothing.
var nodeFlags = lazyregexp.New(`^--(no-warnings|no-deprecation|trace-[a-z-]+|enable-source-maps|experimental-strip-types|input-type=[a-z]+|max-old-space-size=[0-9]+|stack-size=[0-9]+|throw-deprecation|unhandled-rejections=[a-z-]+|no-addons|disable-warning=[A-Za-z]+|use-strict)$`)

// nodeCall is a call of Node.
type nodeCall struct{ programCall }

// files covers the files of a call with a script or a text.
func (n nodeCall) files() error {
	for i, a := range n.args {
		option, known := a.option("-")
		if !known {
			n.cannotSee("the script that %s runs is not known before the hook runs", n.name)
			return nil
		}
		switch {
		case option == "--version" || option == "-v":
			return nil
		case nodeFlags.MatchString(option):
		case option == "-e" || option == "-p" || option == "-pe" || option == "--eval" || option == "--print":
			text, known := n.arg(i + 1).single()
			if !known {
				n.cannotSee("the text that %s runs is not known before the hook runs", n.name)
				return nil
			}
			return n.requires(n.name+" "+option, text, n.dirs)
		case option == "-":
			return n.readStdin(n.requires)
		case strings.HasPrefix(option, "-"):
			n.cannotSee("the option %s of %s is not known", option, n.name)
			return nil
		default:
			return a.each(n.start)
		}
	}
	return n.readStdin(n.requires)
}

// start covers the script of a call.
func (n nodeCall) start(text string) error {
	there := false
	for _, path := range n.paths(text) {
		n.notDevice(path)
		is, err := n.find(path)
		if err != nil {
			return err
		}
		there = there || is || n.c.below(path)
	}
	if !there {
		n.cannotSee("%s, which %s runs, is not there", text, n.name)
	}
	return nil
}

// find covers the file that Node finds for a path: the path itself, with an extension, or the index of a directory.
// The candidates before it must stay missing.
func (n nodeCall) find(path string) (found bool, err error) {
	for _, ending := range []string{"", ".js", ".json", ".node", ".mjs", ".cjs", ".ts", "/package.json", "/index.js", "/index.json", "/index.node"} {
		file := path + ending
		info, err := n.c.stat(file)
		switch {
		case err != nil && strings.HasPrefix(ending, "/") && !n.c.isDir(path):
		case err != nil:
			n.c.absent(file, n.quiet)
		case info.IsDir():
		case ending == "/package.json":
			n.cannotSee("the package.json of %s decides which file Node loads", n.c.short(path))
			if _, err := n.c.add(file); err != nil {
				return true, err
			}
			found = true
		default:
			return true, n.file(file)
		}
	}
	return found, nil
}

// file covers a module of Node, the modules that it loads, and the package.json files that determine how Node reads
// the module.
func (n nodeCall) file(path string) error {
	if fresh, err := n.fresh("node", path); err != nil || !fresh {
		return err
	}
	dirs := n.c.folderOf(path)
	for _, dir := range dirs {
		for ; n.c.below(dir); dir = filepath.Dir(dir) {
			file := filepath.Join(dir, "package.json")
			if _, err := n.c.stat(file); err != nil {
				n.c.absent(file, n.quiet)
			} else if _, err := n.c.add(file); err != nil {
				return err
			}
		}
	}
	if filepath.Ext(path) == ".json" {
		return nil
	}
	text, known := n.code(path)
	if !known {
		return nil
	}
	return n.requires(n.c.short(path), text, dirs)
}

// requires covers the modules that a text of JavaScript loads.
func (n nodeCall) requires(what, text string, dirs []string) error {
	if n.c.looks += len(text) / 32; n.c.looks > mostLooks {
		return errSpent
	}
	loads, why := nodeLoads(text)
	if why != "" {
		n.cannotSee("%s %s, and can therefore run any file", what, why)
	}
	for _, name := range loads {
		switch {
		case strings.ContainsAny(name, "%?#"):
			n.cannotSee("%s loads %s, a path with signs that Node may read as those of a URL", what, name)
		case strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || name == "." || name == ".." || filepath.IsAbs(name):
			found := false
			for _, dir := range dirs {
				is, err := n.find(within(dir, name))
				if err != nil {
					return err
				}
				found = found || is
			}
			if !found {
				n.cannotSee("%s loads %s, which is not there", what, name)
			}
		case !nodeClear[strings.TrimPrefix(name, "node:")]:
			n.cannotSee("%s loads %s, an unknown module", what, name)
		}
	}
	return nil
}

// nodeClear are the modules of Node that load no code and start no program.
var nodeClear = set(`
		fs path os url util crypto readline assert buffer events stream string_decoder querystring timers console
		constants dns net http https http2 tls zlib perf_hooks punycode tty async_hooks diagnostics_channel process
		assert/strict dns/promises fs/promises path/posix path/win32 readline/promises stream/consumers stream/promises
		stream/web timers/promises util/types`)

// nodeDoors lists the names by which JavaScript runs text or loads files, except require and import with a literal
// name.
var nodeDoors = set(`
		eval Function constructor globalThis global createRequire binding dlopen mainModule Worker WebAssembly
		_load _compile getBuiltinModule child_process vm worker_threads cluster module_ inspector execArgv
		register registerHooks loadEnvFile Reflect`)

var (
	jsWord   = lazyregexp.New(`^[\pL_$][\pL\pN_$]*`)
	jsBlank  = lazyregexp.New(`^[\s\v\pZ\x{feff}]+`)
	jsString = lazyregexp.New(`(?s)^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`)
)

// jsTokens splits a text of JavaScript into words, signs and strings, without comments. Template literals
// and regular expressions are split like code.
func jsTokens(text string) (tokens []string) {
	for len(text) > 0 {
		switch {
		case strings.HasPrefix(text, "//") && !endsValue(tokens):
			if end := strings.IndexAny(text, "\n\r\u2028\u2029"); end >= 0 {
				text = text[end:]
			} else {
				text = ""
			}
		case strings.HasPrefix(text, "/*"):
			if end := strings.Index(text[2:], "*/"); end >= 0 {
				text = text[end+4:]
			} else {
				text = text[2:]
			}
		case text[0] == '"' || text[0] == '\'':
			whole := jsString.FindString(text)
			if whole == "" {
				whole = text[:1]
			}
			tokens, text = append(tokens, whole), text[len(whole):]
		case jsBlank.MatchString(text):
			blanks := jsBlank.FindString(text)
			if strings.ContainsAny(blanks, "\n\r\u2028\u2029") && (len(tokens) == 0 || tokens[len(tokens)-1] != "\n") {
				tokens = append(tokens, "\n")
			}
			text = text[len(blanks):]
		default:
			word := jsWord.FindString(text)
			if word == "" {
				word = text[:1]
			}
			tokens, text = append(tokens, word), text[len(word):]
		}
	}
	return tokens
}

// endsValue reports whether // after the tokens does not start a comment: after a backslash it is a part of a regular
// expression.
func endsValue(tokens []string) bool { return len(tokens) > 0 && tokens[len(tokens)-1] == `\` }

// jsWords and jsUses match the raw text, because a regular expression may contain the start of a string or comment, and
// thereby hide code from jsTokens.
var (
	jsWords = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)
	jsAlias = lazyregexp.New(`\b(?:arguments|process)\b`)
	jsUses  = lazyregexp.New("\\b(?:require|import|module)\\s*[(\"'`.\\[]|\\bprocess\\s*\\[|\\bfrom\\s*[\"'`]")
)

// comparesMain reports whether a text compares require.main at a place with a module, or takes its name.
func comparesMain(at func(i int) string, require int) bool {
	switch at(require + 3) {
	case "=", "!":
		return true
	case ".":
		return at(require+4) == "filename"
	}
	return at(require-1) == "=" && (at(require-2) == "=" || at(require-2) == "!")
}

// mostMembers limits the tokens of a pattern such as {env, argv} that are read.
const mostMembers = 100

// usesMembers reports whether a text takes members of the object at a place by their names, as in process.env and in
// const {env} = process. Otherwise the object may get another name.
func usesMembers(at func(i int) string, object int) bool {
	next := object + 1
	if at(next) == "\n" {
		next++
	}
	switch at(next) {
	case ".", "from":
		return true
	case "?":
		return at(next+1) != "." || jsWord.MatchString(at(next+2))
	}
	if at(object-1) == "typeof" {
		return true
	}
	if at(object-1) != "=" || at(object-2) != "}" {
		return false
	}
	for i := object - 3; i > object-mostMembers; i-- {
		switch at(i) {
		case "{":
			return true
		case "[", "`", ".", "":
			return false
		}
	}
	return false
}

// nodeLoads returns the names that a text loads by require and import. why is the reason why the text may load other
// names, and empty if there is none.
func nodeLoads(text string) (names []string, why string) {
	tokens := jsTokens(strings.TrimPrefix(text, "#!"))
	at := func(i int) string {
		if i >= 0 && i < len(tokens) {
			return tokens[i]
		}
		return ""
	}
	literal := func(i int) (string, bool) {
		token := at(i)
		if len(token) < 2 || token[0] != '"' && token[0] != '\'' || strings.Contains(token, `\`) {
			return "", false
		}
		return token[1 : len(token)-1], true
	}
	for _, word := range jsWords.FindAllString(text, -1) {
		if nodeDoors[word] && word != "global" {
			return nil, "uses " + word
		}
	}
	seen := make([]string, len(tokens))
	for i, token := range tokens {
		if seen[i] = token; token[0] == '"' || token[0] == '\'' {
			seen[i] = token[:1]
		}
	}
	if len(jsUses.FindAllString(text, -1)) > len(jsUses.FindAllString(strings.Join(seen, " "), -1)) {
		return nil, "has a text or comment that contains require or import"
	}
	if strings.Contains(text, "[//") && len(jsAlias.FindAllString(text, -1)) > len(jsAlias.FindAllString(strings.Join(seen, " "), -1)) {
		return nil, "has a regular expression that looks like a comment"
	}
	for i, token := range tokens {
		switch {
		case token == "import" && at(i+1) == "\n" && at(i+2) == "(":
			return names, "uses import with a name that is known only at run time"
		case token == "require" || token == "import" && at(i+1) == "(":
			name, ok := literal(i + 2)
			if at(i+1) != "(" || !ok || at(i+3) != ")" {
				if token == "require" && at(i+1) == "." && at(i+2) == "main" && comparesMain(at, i) {
					continue
				}
				return names, "uses " + token + " with a name that is known only at run time"
			}
			names = append(names, name)
		case token == "import" && at(i+1) == "." && at(i+2) == "meta":
		case token == "import" || token == "from":
			next := i + 1
			if at(next) == "\n" {
				next++
			}
			if name, ok := literal(next); ok {
				names = append(names, name)
			} else if strings.HasPrefix(at(next), "'") || strings.HasPrefix(at(next), `"`) {
				return names, "uses " + token + " with a name that has escapes"
			}
		case token == "require" && (at(i-1) == "." || at(i-1) == "?"):
			return names, "uses the member require"
		case token == "process" && at(i-1) != "function" && !usesMembers(at, i):
			return names, "uses process by another name"
		case token == "arguments" && at(i-1) != "." && at(i+1) != ":" && !(at(i+1) == "." && at(i+2) == "length"): // those of a module have require
			return names, "uses arguments"
		case token == "[" && (strings.HasPrefix(at(i+1), "'") || strings.HasPrefix(at(i+1), `"`)) && at(i+2) == "+":
			return names, "uses a member with a computed name"
		case token == "module" && at(i+1) != "." && at(i+1) != ":" && at(i-1) != "." && at(i-1) != "=" && at(i+1) != "=":
			return names, "uses module by another name"
		case token == "module" && (at(i+1) == "[" || at(i-1) == "=" && at(i-2) != "=" && at(i+1) != "."):
			return names, "uses module by another name"
		case token == "module" && at(i+1) == "." && at(i+2) != "exports":
			return names, "uses module." + at(i+2)
		case token == "env" && at(i-2) == "process" && at(i+1) == "." && at(i+3) == "=" && at(i+4) != "=":
			return names, "changes its environment"
		case nodeDoors[token]:
			if token == "global" && at(i+1) != "." && at(i+1) != "[" {
				continue
			}
			return names, "uses " + token
		case len(token) > 2 && (token[0] == '"' || token[0] == '\'') && (strings.Contains(token, "constructor") || at(i-1) == "[" && strings.Contains(token, `\`)):
			return names, "uses a constructor"
		case token == `\` && strings.HasPrefix(at(i+1), "u") && (len(at(i+1)) != len("u001b") || jsWord.MatchString(at(i-1))):
			return names, "has names with escapes" // a single letter is no such name, and may be a part of an expression
		}
	}
	return names, ""
}
