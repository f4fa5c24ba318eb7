package shell

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"
)

// redirect changes the input or an output of a state.
type redirect func(s *state)

func redirected(list []redirect, a action) action {
	if len(list) == 0 {
		return a
	}
	return func(s *state) flow {
		in, out, err := s.in, s.out, s.err
		for _, r := range list {
			r(s)
		}
		f := a(s)
		s.in, s.out, s.err = in, out, err
		return f
	}
}

func (c *compiler) redirects(list []*syntax.Redirect) (all []redirect) {
	for _, r := range list {
		all = append(all, c.redirect(r))
	}
	return all
}

func (c *compiler) redirect(r *syntax.Redirect) redirect {
	if c.dash {
		c.plainTarget(r)
	}
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	switch r.Op {
	case syntax.RdrIn, syntax.WordHdoc, syntax.Hdoc:
		if n == "" || n == "0" {
			return c.reads(r)
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.DplOut:
		if n == "" || n == "1" || n == "2" {
			return c.writes(r, n == "2")
		}
	case syntax.RdrAll, syntax.AppAll:
		if r.Word.Lit() == "/dev/null" {
			return func(s *state) { s.out, s.err = &output{lost: true}, &output{lost: true} }
		}
	}
	c.refuse(r, "this redirection (%s)", r.Op)
	return nil
}

// plainTarget refuses a redirection that dash does not have, or whose target it does not split as bash does.
func (c *compiler) plainTarget(r *syntax.Redirect) {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.DplOut, syntax.Hdoc:
	default:
		c.refuse(r, "this redirection (%s)", r.Op)
	}
	for _, p := range r.Word.Parts {
		switch p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			c.refuse(r, "a redirection to a value without quotes")
		}
	}
}

func (c *compiler) writes(r *syntax.Redirect, errors bool) redirect {
	into := func(s *state, o *output) {
		if errors {
			s.err = o
		} else {
			s.out = o
		}
	}
	target := r.Word.Lit()
	switch {
	case r.Op == syntax.DplOut && target == "1", r.Op != syntax.DplOut && target == "/dev/stdout":
		return func(s *state) { into(s, s.out) }
	case r.Op == syntax.DplOut && target == "2", r.Op != syntax.DplOut && target == "/dev/stderr":
		return func(s *state) { into(s, s.err) }
	case r.Op != syntax.DplOut && target == "/dev/null":
		return func(s *state) { into(s, &output{lost: true}) }
	}
	if r.Op == syntax.DplOut {
		c.refuse(r, "this redirection")
	}
	path, more := c.fields([]*syntax.Word{r.Word}), r.Op == syntax.AppOut
	return func(s *state) {
		names := path(s, nil)
		if len(names) != 1 {
			panic(cold("an ambiguous redirection"))
		}
		into(s, s.create(names[0], more))
	}
}

func (c *compiler) reads(r *syntax.Redirect) redirect {
	switch r.Op {
	case syntax.WordHdoc:
		t := c.text(r.Word)
		return func(s *state) { s.in = &input{data: []byte(t(s) + "\n"), outer: s.in} }
	case syntax.Hdoc:
		return c.hereDocument(r)
	}
	if len(r.Word.Parts) == 1 {
		if of, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok && of.Op == syntax.CmdIn {
			return c.output(of)
		}
	}
	path := c.fields([]*syntax.Word{r.Word})
	return func(s *state) {
		names := path(s, nil)
		if len(names) != 1 {
			panic(cold("an ambiguous redirection"))
		}
		in := s.open(names[0])
		in.outer, s.in = s.in, in
	}
}

// output compiles < <(commands). The commands run first here; bash runs them in parallel with the reader of their
// output.
func (c *compiler) output(of *syntax.ProcSubst) redirect {
	var body action
	c.apart(func() {
		c.unnumbered = true
		body = c.list(of.Stmts)
	})
	return func(s *state) {
		sub, wrote, at := s.sub(), s.written(), s.in.at
		sub.out, sub.piped = &output{}, true
		f := next
		sub.whole(func(sub *state) flow { f = body(sub); return f })
		if f == exits && s.errexit || s.written() > wrote {
			panic(cold("a process substitution with effects"))
		}
		if s.in.at != at {
			s.in.reopened = true // it is not certain when the commands read this input
		}
		s.in = &input{data: sub.out.data, outer: s.in}
	}
}

func (c *compiler) hereDocument(r *syntax.Redirect) redirect {
	delimiter := r.Word.Lit()
	if delimiter == "" || strings.Contains(delimiter, `\`) {
		delimiter = "" // quoted: the text is literal
	}
	if r.Hdoc == nil {
		return func(s *state) { s.in = &input{outer: s.in} }
	}
	if delimiter != "" {
		t := c.quoted(r.Hdoc.Parts, "$`\\")
		return func(s *state) { s.in = &input{data: []byte(t(s)), outer: s.in} }
	}
	var all strings.Builder
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			c.refuse(r, "this here-document")
		}
		all.WriteString(lit.Value)
	}
	return func(s *state) { s.in = &input{data: []byte(all.String()), outer: s.in} }
}

// open reads a regular file, /dev/null or /dev/stdin as an input. It gives the run up for any other file.
func (s *state) open(name string) *input {
	switch name {
	case "":
		panic(cold("a file without a name"))
	case "/dev/null":
		return &input{}
	case "/dev/stdin":
		if s.in.at > 0 || s.in.reopened {
			panic(cold("/dev/stdin after standard input was read or opened"))
		}
		s.in.reopened = true
		return &input{data: s.in.data}
	}
	path := s.path(name)
	own(path)
	s.unwritten(path)
	if info, err := statFile(path, true); err != nil || !info.Mode().IsRegular() {
		panic(cold("a file that is not a regular one")) // opening a pipe would wake its writer
	}
	f, err := openFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY)
	if err != nil {
		panic(cold("a file that is not there"))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		panic(cold("a file that is not a regular one"))
	}
	if info.Size() > mostFile {
		panic(cold("a file that is too long"))
	}
	data := make([]byte, info.Size()+1)
	n, _ := f.Read(data)
	if int64(n) != info.Size() || hasAny(string(data[:n]), "\x00\x01\x7f") {
		panic(cold("this file"))
	}
	s.spend(n)
	if s.piped {
		s.piping = append(s.piping, path)
	}
	return &input{data: data[:n], path: path}
}

// own gives the run up for a path to a device or to files of a process, which would be different files for bash.
// A symbolic link to such a file is found when the file is opened.
func own(path string) {
	path = filepath.Clean(path)
	for _, dir := range [...]string{"/dev", "/proc", "/sys"} {
		if rest, in := strings.CutPrefix(path, dir); in && (rest == "" || rest[0] == '/') {
			panic(cold("a file of this process, or a device"))
		}
	}
}

func (s *state) path(name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case strings.HasPrefix(name, "/"): // on Windows the file depends on the installation of bash
		panic(cold(name + ", a path without a drive"))
	case s.dir == "":
		return name
	}
	return s.dir + "/" + name
}
