package splice

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// language describes a language whose programs a command takes as text.
type language struct {
	name     string
	write    string             // an example that reads an environment variable in the language
	flag     *lazyregexp.Regexp // options before the program
	attached *lazyregexp.Regexp // options with the program in the same word
	file     *lazyregexp.Regexp // options before a file with the program
	values   map[string]int     // other options, with the number of words that follow them
	first    bool               // the first word that is not an option is the program
	quotes   string             // the quotes of its strings; empty: strings cannot be recognized
	comment  string             // begins a comment
	exact    bool               // the text beside a string does not change where the string ends
}

var (
	number = lazyregexp.New(`^(-?[0-9]+(\.[0-9]+)?|true|false)?$`)
	word   = lazyregexp.New(`^[A-Za-z0-9/._+:@%,-]*$`)
	mild   = lazyregexp.New(`^[\p{L}\p{N} _./+:%,~=?-]*$`)
)

var (
	arithmetic = &language{name: "arithmetic", write: "a check of $%s"}
	shell      = &language{
		name: "shell code", write: `"$%s" in single quotes`,
		flag:   lazyregexp.New(`^(-[A-Za-z]*c|--command)$`),
		values: map[string]int{"-o": 1, "-O": 1, "--rcfile": 1, "--init-file": 1, "-u": 1},
	}
	firstWord = &language{name: shell.name, write: shell.write, first: true}
	evaluated = &language{name: shell.name, write: shell.write} // every word is a part of the program
	wrapped   = &language{name: shell.name, write: shell.write, flag: shell.flag}
	python    = &language{
		name: "Python", write: `os.environ["%s"]`, quotes: `'"`, comment: "#", exact: true,
		flag: lazyregexp.New(`^-[A-Za-z]*c$`), attached: lazyregexp.New(`^-[A-Zbdiqsuvx]*c.`),
		file: lazyregexp.New(`^-m`), values: map[string]int{"-W": 1, "-X": 1},
	}
	javascript = &language{
		name: "JavaScript", write: `process.env.%s`, quotes: "'\"`", comment: "//",
		flag:     lazyregexp.New(`^(-e|-p|-pe|-ep|--eval|--print|eval)$`),
		attached: lazyregexp.New(`^--(eval|print)=`),
		values:   map[string]int{"-r": 1, "--require": 1, "--import": 1, "--loader": 1, "-C": 1, "--conditions": 1},
	}
	perl = &language{
		name: "Perl", write: `$ENV{%s}`, quotes: `'"`, comment: "#",
		flag: lazyregexp.New(`^-[A-Za-z0-9]*[eE]$`), attached: lazyregexp.New(`^-[nplawi]*[eE].`),
		values: map[string]int{"-I": 1, "-M": 1},
	}
	ruby = &language{
		name: "Ruby", write: `ENV["%s"]`, quotes: `'"`, comment: "#",
		flag: lazyregexp.New(`^-[A-Za-z]*e$`), attached: lazyregexp.New(`^-[npalw]*e.`),
		values: map[string]int{"-I": 1, "-r": 1},
	}
	php = &language{
		name: "PHP", write: `getenv("%s")`, quotes: `'"`, comment: "//",
		flag: lazyregexp.New(`^(-r|--run)$`), attached: lazyregexp.New(`^-r.`), values: map[string]int{"-d": 1, "-c": 1},
	}
	lua = &language{
		name: "Lua", write: `os.getenv("%s")`, quotes: `'"`, comment: "--",
		flag: lazyregexp.New(`^-e$`), attached: lazyregexp.New(`^-e.`), values: map[string]int{"-l": 1},
	}
	awk = &language{
		name: "awk", write: `ENVIRON["%s"]`, quotes: `"`, comment: "#", first: true,
		file: lazyregexp.New(`^(-f|--file)`), values: map[string]int{"-v": 1, "-F": 1},
	}
	jq = &language{
		name: "jq", write: `env.%s`, quotes: `"`, comment: "#", first: true,
		file:   lazyregexp.New(`^(-[a-zA-Z]*f|--from-file)$`),
		values: map[string]int{"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1, "-L": 1},
	}
	sed = &language{
		name: "sed", write: `a program that reads the variable %s`, first: true,
		flag: lazyregexp.New(`^(-[A-Za-z]*e|--expression)$`), attached: lazyregexp.New(`^--expression=`),
		file: lazyregexp.New(`^(-[nErsz]*f|--file)`), values: map[string]int{"-l": 1},
	}
	powershell = &language{
		name: "PowerShell", write: `$env:%s`,
		flag: lazyregexp.New(`(?i)^-c(ommand)?$`), values: map[string]int{"-ExecutionPolicy": 1},
	}
)

// unknown is the language of a program whose name comes from an expansion: "$SHELL" -c '…'.
var unknown = &language{
	name: "the code of a program whose name is not known", write: `the program's own way to read the variable %s`,
	flag:     lazyregexp.New(`^(-[A-Za-z]*[ceE]|--command|--eval|--print|--expression|--run|eval)$`),
	attached: lazyregexp.New(`^(--(eval|print|expression)=|-[ceE].)`),
}

// fish has its own quotes and substitutions: no part of its text is safe for a value.
var fish = &language{name: "fish code", write: `"$%s" in single quotes`, flag: shell.flag, values: shell.values}

var languages = map[bash.Language]*language{
	bash.Shell: shell, bash.Fish: fish, bash.Python: python, bash.JavaScript: javascript, bash.Perl: perl,
	bash.Ruby: ruby, bash.PHP: php, bash.Lua: lua, bash.Awk: awk, bash.JQ: jq, bash.Sed: sed,
	bash.PowerShell: powershell, bash.Other: other,
}

// other is any other language; only the usual options before a program are known.
var other = &language{name: "code", write: unknown.write, flag: unknown.flag, attached: unknown.attached}

// languageOf returns the language of the texts that a command runs, if the command is an interpreter or a wrapper.
func languageOf(name string) *language {
	if l := languages[bash.Interpreter(name)]; l != nil {
		return l
	}
	switch w := bash.Wrappers[name]; {
	case w.Joins:
		return evaluated
	case w.Text != "":
		return wrapped
	}
	return nil
}

// builtins maps the shell builtins that read code to the language of the code.
var builtins = map[string]*language{"eval": evaluated, "trap": evaluated, ".": shell, "source": shell}

// unclear returns the language for a program whose text is only partly known.
func unclear(l *language) *language { return &language{name: l.name, write: l.write} }

// scan refuses values that the language could read as code: all but numbers, and texts inside of a string.
func (s *splicer) scan(code string, l *language) {
	quote, format := "", false
	for i := 0; i < len(code); {
		rest := code[i:]
		if at := s.mark.FindStringIndex(rest); at != nil && at[0] == 0 {
			if v := s.of(rest[:at[1]]); !l.takes(v.Value, quote, format) {
				s.refuse(v, l)
			}
			i += at[1]
			continue
		}
		switch {
		case quote != "" && quote != "\n" && rest[0] == '\\':
			i++
		case quote != "" && strings.HasPrefix(rest, quote):
			i += len(quote) - 1
			quote = ""
		case quote == "" && l.comment != "" && strings.HasPrefix(rest, l.comment):
			quote, format = "\n", false // a comment ends at the end of the line
		case quote == "" && strings.IndexByte(l.quotes, rest[0]) >= 0:
			quote = rest[:1]
			if triple := strings.Repeat(quote, 3); l.exact && strings.HasPrefix(rest, triple) {
				quote = triple
			}
			format = l.exact && strings.ContainsAny(letters.FindString(code[:i]), "fFtT")
			i += len(quote) - 1
		}
		i++
	}
}

// letters matches the prefix of a quoted string, as in f"…".
var letters = lazyregexp.New(`[A-Za-z]{1,2}$`)

// takes reports whether the language reads a value as a number or, inside quotes, as text.
func (l *language) takes(value, quote string, format bool) bool {
	switch {
	case number.MatchString(value):
		return true
	case quote == "":
		return false
	case l.exact:
		return !strings.ContainsAny(value, quote[:1]+"\\\r\n\x00") && !(format && strings.ContainsAny(value, "{}"))
	}
	return mild.MatchString(value)
}
