package shell

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// builtin runs a builtin of bash and returns its status. noFields is set if IFS is empty.
type builtin func(s *state, args []string, noFields bool) int

// builtins lists the builtins that behave as in bash, beside the compiled ones.
var builtins = map[string]builtin{
	":":      func(*state, []string, bool) int { return 0 },
	"true":   func(*state, []string, bool) int { return 0 },
	"false":  func(*state, []string, bool) int { return 1 },
	"echo":   echo,
	"printf": printf,
	"read":   read,
	"exit":   func(s *state, args []string, _ bool) int { return s.exitStatus(args) },
	"shift":  shift,
	"unset":  unset,
	"pwd":    pwd,
	"cd":     cd,
	"test":   func(s *state, args []string, _ bool) int { return truth(s.test(args)) },
	"[":      bracket,
}

// compiled lists the builtins that the compiler handles.
var compiled = set("break continue return set local export declare typeset readonly source .")

// known reports whether a name is in builtins or in compiled.
func known(name string) bool { return builtins[name] != nil || compiled[name] }

func echo(s *state, args []string, _ bool) int {
	newline, escaped := true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, option := range args[0][1:] {
			switch option {
			case 'n':
				newline = false
			default:
				escaped = option == 'e'
			}
		}
		args = args[1:]
	}
	text := s.join(args)
	if escaped {
		var ok bool
		if text, ok = escapes(text, `nt\`); !ok {
			panic(cold("this escape of echo -e"))
		}
	}
	if newline {
		text += "\n"
	}
	s.print(text)
	return 0
}

func (s *state) print(text string) {
	s.spend(len(text))
	s.out.write(text)
}

func printf(s *state, args []string, _ bool) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		panic(cold("this printf"))
	}
	format := args[0]
	args = args[1:]
	for _, arg := range args { // each is printed once
		s.spend(len(arg))
	}
	for {
		text, used := s.format(format, args)
		s.print(text)
		if args = args[min(used, len(args)):]; len(args) == 0 || used == 0 {
			return 0
		}
	}
}

// format applies a format once and returns how many arguments it took.
func (s *state) format(format string, args []string) (text string, used int) {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '\\' && format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		first := format[i]
		if i++; i == len(format) {
			panic(cold("this format of printf"))
		}
		arg := ""
		if first == '%' && format[i] != '%' {
			if used < len(args) {
				arg = args[used]
			}
			used++
		}
		switch {
		case first == '%' && format[i] == '%':
			out.WriteByte('%')
		case first == '%' && format[i] == 's':
			out.WriteString(arg)
		case first == '%' && format[i] == 'd':
			n, ok := decimal(arg)
			if !ok && used <= len(args) {
				panic(cold("a number of printf"))
			}
			out.WriteString(strconv.FormatInt(n, 10))
		case s.dash && format[i] == '"':
			panic(cold("this format of printf"))
		case first == '\\' && strings.IndexByte(`nt\"`, format[i]) >= 0:
			out.WriteString(map[byte]string{'n': "\n", 't': "\t", '\\': `\`, '"': `"`}[format[i]])
		default:
			panic(cold("this format of printf"))
		}
	}
	return out.String(), used
}

// exitStatus returns the status of exit and return.
func (s *state) exitStatus(args []string) int {
	switch len(args) {
	case 0:
		return s.status
	case 1:
		if n, ok := decimal(args[0]); ok && n >= 0 && (n < 256 || !s.dash) {
			return int(n & 255)
		}
	}
	panic(cold("this status"))
}

func shift(s *state, args []string, _ bool) int {
	n := 1
	if len(args) > 0 {
		var ok bool
		if n, ok = number(args[0]); !ok || n < 0 || len(args) > 1 {
			panic(cold("this shift"))
		}
	}
	if n > len(s.params) {
		if s.dash {
			panic(cold("a shift by more parameters than there are"))
		}
		return 1
	}
	s.params = s.params[n:]
	return 0
}

func unset(s *state, args []string, _ bool) int {
	for _, name := range args {
		if !assignable(name) || len(s.frames) > 0 || s.funcs[name] != nil {
			panic(cold("this unset"))
		}
		s.spend(64)
		if s.vars[name].readonly {
			panic(cold("a variable that is read-only"))
		}
		s.vars[name] = variable{unset: true}
	}
	return 0
}

func pwd(s *state, args []string, _ bool) int {
	if len(args) == 1 && args[0] == "-P" {
		if dir, err := filepath.EvalSymlinks(s.workDir()); err == nil && s.enter(dir) {
			s.print(dir + "\n")
			return 0
		}
	}
	if len(args) > 0 {
		panic(cold("this pwd"))
	}
	s.print(s.workDir() + "\n")
	return 0
}

// read reads a line, or the text up to another byte.
func read(s *state, args []string, noFields bool) int {
	raw, end := false, byte('\n')
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option := args[0]
		args = args[1:]
		raw = raw || option == "-r" || option == "-rd"
		switch {
		case option == "-r":
		case (option == "-d" || option == "-rd") && len(args) > 0 && len(args[0]) <= 1:
			if end = 0; args[0] != "" {
				end = args[0][0]
			}
			args = args[1:]
		default:
			panic(cold("this option of read"))
		}
	}
	line, status := s.line(end)
	if !raw && strings.IndexByte(line, '\\') >= 0 || end >= 0x80 {
		panic(cold("a backslash, read without -r"))
	}
	if len(args) == 0 {
		s.set("REPLY", line)
		return status
	}
	for i, name := range args {
		if !assignable(name) {
			panic(cold("this variable of read"))
		}
		value := line
		switch last := i == len(args)-1; {
		case noFields:
			line = ""
		case last:
			value = strings.Trim(line, " \t\n")
		default:
			value = strings.TrimLeft(line, " \t\n")
			at := strings.IndexAny(value, " \t\n")
			if at < 0 {
				at = len(value)
			}
			value, line = value[:at], value[at:]
		}
		s.set(name, value)
	}
	return status
}

// line reads from standard input up to the byte end.
func (s *state) line(end byte) (text string, status int) {
	in := s.in
	if in.reopened {
		panic(cold("standard input after /dev/stdin was opened"))
	}
	line, _, found := bytes.Cut(in.data[in.at:], []byte{end})
	s.spend(len(line))
	in.at += len(line)
	if !utf8.Valid(line) { // bash may read the next byte as a part of a character
		panic(cold("input that is not UTF-8"))
	}
	if !found {
		return string(line), 1
	}
	in.at++
	return string(line), 0
}

// number parses a plain decimal number, such as the argument of break, continue or shift.
func number(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && strconv.Itoa(n) == text
}
