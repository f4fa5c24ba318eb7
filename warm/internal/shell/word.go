package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// text computes a word, or a part of one, that is neither split nor a pattern.
type text func(s *state) string

// wordPart is a compiled piece of a word.
type wordPart struct {
	text
	quoted bool                    // it is neither split nor a pattern
	list   func(s *state) []string // "$@", "${name[@]}"
}

// parts compiles the parts of a word. It removes the escapes of literal parts, and refuses file patterns.
func (c *compiler) parts(w *syntax.Word) (all []wordPart) {
	plainBraces := noBraces(w)
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && (strings.HasPrefix(p.Value, "~/") || p.Value == "~" && len(w.Parts) == 1) {
				rest := *p
				rest.Value = p.Value[1:]
				all = append(all, wordPart{home, true, nil}, wordPart{constant(c.literal(&rest, false, plainBraces)), true, nil})
				continue
			}
			all = append(all, wordPart{constant(c.literal(p, i == 0, plainBraces)), true, nil})
		case *syntax.SglQuoted:
			all = append(all, wordPart{constant(c.single(p)), true, nil})
		case *syntax.DblQuoted:
			if list := c.spread(p); list != nil {
				all = append(all, wordPart{nil, true, list})
				continue
			}
			all = append(all, wordPart{c.double(p), true, nil})
		default:
			all = append(all, wordPart{c.expansion(p, false), false, nil})
		}
	}
	return all
}

// home returns the value of ~.
func home(s *state) string {
	value, set := s.get("HOME")
	if !set || value == "" || strings.HasSuffix(value, "/") {
		panic(cold("a tilde without $HOME"))
	}
	return value
}

func constant(value string) text { return func(*state) string { return value } }

func isParams(p syntax.WordPart, name string) bool {
	v, ok := p.(*syntax.ParamExp)
	return ok && v.Param != nil && v.Param.Value == name && v.Exp == nil && v.Slice == nil && v.Repl == nil &&
		!v.Length && !v.Excl && v.Index == nil
}

// noBraces reports whether the braces of a word are plain text, because the word has neither a comma nor ".." for a
// list or a sequence.
func noBraces(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && (strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, "..")) {
			return false
		}
	}
	return true
}

// literal returns the text of an unquoted part.
func (c *compiler) literal(lit *syntax.Lit, first, plainBraces bool) string {
	v := lit.Value
	if first && strings.HasPrefix(v, "~") || strings.Contains(v, "=~") || strings.Contains(v, ":~") {
		c.refuse(lit, "a tilde")
	}
	var out strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' {
			if i++; i == len(v) || v[i] == '\n' {
				c.refuse(lit, "a backslash at the end of a line")
			}
		} else if strings.IndexByte("*?[", v[i]) >= 0 || v[i] == '{' && !plainBraces {
			c.refuse(lit, "a pattern for files or words (%s)", v)
		} else if v[i] == '$' { // bash does not split a word with such a $
			c.refuse(lit, "a dollar sign that begins no expansion")
		}
		out.WriteByte(v[i])
	}
	return out.String()
}

func (c *compiler) single(q *syntax.SglQuoted) string {
	if !q.Dollar {
		return q.Value
	}
	value, ok := escapes(q.Value, `ntr\'"`)
	if !ok {
		c.refuse(q, "this escape in $'…'")
	}
	return value
}

// escapes replaces the escapes in v, such as \n, that are listed in known; ok is false if v has others.
func escapes(v, known string) (text string, ok bool) {
	if strings.IndexByte(v, '\\') < 0 {
		return v, true
	}
	var out strings.Builder
	for i := 0; i < len(v); i++ {
		b := v[i]
		if b == '\\' {
			if i++; i == len(v) || strings.IndexByte(known, v[i]) < 0 {
				return "", false
			}
			switch b = v[i]; b {
			case 'n':
				b = '\n'
			case 't':
				b = '\t'
			case 'r':
				b = '\r'
			}
		}
		out.WriteByte(b)
	}
	return out.String(), true
}

func (c *compiler) double(q *syntax.DblQuoted) text {
	if q.Dollar {
		c.refuse(q, `$"…"`)
	}
	return c.quoted(q.Parts, "$`\"\\")
}

// quoted compiles the parts of double quotes, or of a here-document.
func (c *compiler) quoted(parts []syntax.WordPart, escapable string) text {
	all := make([]text, 0, len(parts))
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			all = append(all, c.expansion(p, true))
			continue
		}
		var out strings.Builder
		for i := 0; i < len(lit.Value); i++ {
			if lit.Value[i] == '\\' && i+1 < len(lit.Value) {
				if lit.Value[i+1] == '\n' {
					c.refuse(lit, "a backslash at the end of a line")
				}
				if strings.IndexByte(escapable, lit.Value[i+1]) >= 0 {
					i++
				}
			}
			out.WriteByte(lit.Value[i])
		}
		all = append(all, constant(out.String()))
	}
	return joined(all)
}

func joined(all []text) text {
	if len(all) == 1 {
		return all[0]
	}
	return func(s *state) string {
		var out []byte
		for _, t := range all {
			part := t(s)
			s.spend(len(part))
			out = append(out, part...)
		}
		return string(out)
	}
}

// text compiles a word that is not split.
func (c *compiler) text(w *syntax.Word) text {
	if w == nil {
		return constant("")
	}
	all := make([]text, 0, len(w.Parts))
	for _, p := range c.parts(w) {
		if p.list != nil {
			c.refuse(w, "a list of words here")
		}
		all = append(all, p.text)
	}
	return joined(all)
}

// value compiles the value of an assignment.
func (c *compiler) value(a *syntax.Assign) text {
	if a.Value != nil && len(a.Value.Parts) == 1 {
		if q, ok := a.Value.Parts[0].(*syntax.DblQuoted); ok {
			if list := c.spread(q); list != nil {
				return func(s *state) string { return s.join(list(s)) }
			}
		}
	}
	return c.text(a.Value)
}

// words appends the fields that words expand to.
type words func(s *state, into []string) []string

func (c *compiler) fields(list []*syntax.Word) words {
	all := make([]words, len(list))
	for i, w := range list {
		all[i] = c.field(w)
	}
	return func(s *state, into []string) []string {
		for _, w := range all {
			into = w(s, into)
		}
		return into
	}
}

func (c *compiler) field(w *syntax.Word) words {
	parts := c.parts(w)
	switch {
	case len(parts) == 1 && parts[0].list != nil:
		return func(s *state, into []string) []string { return append(into, s.take(parts[0].list(s))...) }
	case slices.ContainsFunc(parts, func(p wordPart) bool { return p.list != nil }):
		c.refuse(w, `"$@" with something beside it`)
	case !slices.ContainsFunc(parts, func(p wordPart) bool { return !p.quoted }):
		t := c.text(w)
		return func(s *state, into []string) []string {
			s.spend(16)
			return append(into, t(s))
		}
	}
	return func(s *state, into []string) []string { return split(s, parts, into) }
}

// split appends the fields of a word that has unquoted parts.
func split(s *state, parts []wordPart, into []string) []string {
	var field []byte
	there := false
	end := func() {
		if there {
			into = append(into, string(field))
		}
		field, there = nil, false
	}
	for _, p := range parts {
		value := p.text(s)
		s.spend(len(value))
		if p.quoted {
			field, there = append(field, value...), true
			continue
		}
		if hasAny(value, `*?[\`) {
			panic(cold("an unquoted value that is a pattern for files"))
		}
		for i := range len(value) {
			if isBlank(value[i]) {
				end()
				continue
			}
			field, there = append(field, value[i]), true
		}
	}
	end()
	return into
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// expansion compiles a part that begins with a dollar.
func (c *compiler) expansion(p syntax.WordPart, quoted bool) text {
	switch p := p.(type) {
	case *syntax.ParamExp:
		return c.param(p, quoted)
	case *syntax.CmdSubst:
		return c.substitution(p)
	case *syntax.ArithmExp:
		if p.Bracket || p.Unsigned || p.X == nil {
			c.refuse(p, "this arithmetic")
		}
		x := c.arithmetic(p.X)
		return func(s *state) string { return strconv.FormatInt(x(s), 10) }
	}
	c.refuse(p, "this expansion")
	return nil
}

func (c *compiler) substitution(p *syntax.CmdSubst) text {
	if p.Backquotes || p.TempFile || p.ReplyVar || len(p.Stmts) == 0 {
		c.refuse(p, "this command substitution")
	}
	if only := p.Stmts[0]; len(p.Stmts) == 1 && only.Cmd == nil {
		if c.dash || len(only.Redirs) != 1 || only.Redirs[0].Op != syntax.RdrIn || only.Negated || only.Background {
			c.refuse(p, "this command substitution")
		}
		file := c.redirect(only.Redirs[0])
		return func(s *state) string {
			sub := *s
			file(&sub)
			rest := sub.in.data[sub.in.at:]
			s.spend(len(rest))
			sub.in.at = len(sub.in.data)
			s.subst, s.status = 0, 0
			return s.substituted(rest)
		}
	}
	var body action
	c.apart(func() {
		c.unnumbered = c.unnumbered || p.Pos().Line() != p.End().Line()
		body = c.list(p.Stmts)
	})
	return func(s *state) string {
		sub := s.sub()
		sub.out = &output{}
		if s.dash { // in dash errexit stays in effect, even in a condition, and $? does not change
			sub.cond = 0
			sub.whole(body)
			s.subst = sub.status
			return s.substituted(sub.out.data)
		}
		sub.errexit = false
		sub.whole(body)
		s.subst, s.status = sub.status, sub.status
		return s.substituted(sub.out.data)
	}
}

func (s *state) substituted(out []byte) string {
	text := strings.TrimRight(string(out), "\n")
	if hasAny(text, "\x00\x01\x7f") {
		panic(cold("a byte that bash leaves out"))
	}
	s.unmarked(text)
	return text
}
