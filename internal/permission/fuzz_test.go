package permission

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/wire"
)

// script makes a shell command of random bytes, and records the commands that the
// shell command runs.
type script struct {
	from   []byte
	depth  int
	runs   []string // words of the vocabulary, without quotes, joined by blanks
	unsure []string // like runs, for commands with words that only bash knows; "$" stands for these words
}

var vocabulary = []string{"rm", "ls", "x"}

// pick returns a number below n.
func (s *script) pick(n int) int {
	if len(s.from) == 0 {
		return 0
	}
	b := s.from[0]
	s.from = s.from[1:]
	return int(b) % n
}

func (s *script) list() string {
	text := s.command()
	for len(s.from) > 0 && s.pick(3) > 0 {
		separators := []string{" && ", "&&", "||", "; ", ";", " | ", "|", "|&", " & ", "\n", "\n\n", " # rm ls\n", "; \\\n", "\t&&\n "}
		text += separators[s.pick(len(separators))] + s.command()
	}
	return text
}

func (s *script) command() string {
	if s.depth++; s.depth < 4 {
		defer func() { s.depth-- }()
		switch s.pick(8) {
		case 0:
			return "( " + s.list() + "\n)" // "((" is arithmetic
		case 1:
			return "{ " + s.list() + "\n}"
		case 2:
			return "if " + s.list() + "\nthen " + s.list() + "\nfi"
		case 3:
			words, _ := s.substitution()
			return "for i in " + words + "; do " + s.list() + "\ndone"
		}
		return s.simple()
	}
	defer func() { s.depth-- }()
	return s.simple()
}

// simple writes up to three words, with text before and between them that rules do not compare.
func (s *script) simple() string {
	before := []string{"", "", "", "A=1 ", "A='ls x' B=\"rm\" ", "timeout -k 5 10s ", "nohup nice -n 5 ", ">rm ", "command -p A=1 "}
	text := before[s.pick(len(before)-1)]
	var words []string
	known, sure := true, true
	for i := range 1 + s.pick(3) {
		if i > 0 {
			text += []string{" ", "  ", "\t", " \\\n ", " >ls ", " <rm "}[s.pick(6)]
		}
		written, word := s.word(i > 0)
		text += written
		words = append(words, word)
		known = known && (word == "$" || slices.Contains(vocabulary, word))
		sure = sure && word != "$"
	}
	switch {
	case known && sure:
		s.runs = append(s.runs, strings.Join(words, " "))
	case known:
		s.unsure = append(s.unsure, strings.Join(words, " "))
	}
	return text
}

// word writes one word, and returns it as written and without quotes.
func (s *script) word(argument bool) (written, word string) {
	word = vocabulary[s.pick(len(vocabulary))]
	switch kind := s.pick(10); {
	case kind == 1:
		return "'" + word + "'", word
	case kind == 2:
		return `"` + word + `"`, word
	case kind == 3:
		return word[:1] + `''` + word[1:], word
	case kind == 4:
		return word[:1] + "\\\n" + word[1:], word
	case kind == 5:
		return "'ls && " + word + "; (rm) $(ls)'", "?"
	case kind == 6:
		return `"ls | ` + word + ` ;& \$(rm) ' "`, "?"
	case kind == 7 && argument && s.depth < 4:
		return s.substitution()
	case kind == 8:
		return `\` + word, word
	}
	return word, word
}

// substitution returns a word that runs commands, with "$" as its text; or a word that only looks as if it ran
// commands, with "?" as its text.
func (s *script) substitution() (written, word string) {
	s.depth++
	defer func() { s.depth-- }()
	forms := [][2]string{{"$( ", "\n)"}, {`"$( `, "\n)\""}, {"<( ", "\n)"}, {`"a; rm `, `"`}}
	form := forms[s.pick(len(forms))]
	if !strings.ContainsAny(form[0], "(") {
		return form[0] + form[1], "?"
	}
	return form[0] + s.list() + form[1], "$"
}

// texts lists all commands of one to three words of the vocabulary.
var texts = func() (all []string) {
	before := []string{""}
	for range 3 {
		var longer []string
		for _, text := range before {
			for _, word := range vocabulary {
				longer = append(longer, strings.TrimSpace(text+" "+word))
			}
		}
		all = append(all, longer...)
		before = longer
	}
	return all
}()

// maybe reports whether the command runs may be the text. Only the words before its "$" are known before bash runs.
func maybe(runs, text string) bool {
	known, _, unknown := strings.Cut(runs, "$")
	return unknown && strings.HasPrefix(text+" ", known)
}

func FuzzCommandsAreSplitAsBashSplitsThem(f *testing.F) {
	f.Add([]byte{7, 0, 2, 1, 1, 0, 7, 1, 0, 1, 2, 0})
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f rm $(ls) && zz 0123456789"))
	f.Fuzz(func(t *testing.T, random []byte) {
		if len(random) > 200 {
			return
		}
		s := script{from: random}
		command := s.list()
		file := parseShell(command)
		if file == nil {
			t.Fatalf("%q does not parse", command)
		}
		for _, text := range texts {
			rule := newBash(text).(*bash)
			rule.head = "" // with an empty head, couldBecome is always false
			search := search{rule: rule, command: command, whole: command}
			switch search.in(file); {
			case !search.found && slices.Contains(s.runs, text):
				t.Errorf("%q runs %q, but no such command is found", command, text)
			case search.found && !slices.Contains(s.runs, text) &&
				!slices.ContainsFunc(s.unsure, func(run string) bool { return maybe(run, text) }):
				t.Errorf("%q does not run %q, and yet it is found", command, text)
			}
		}
	})
}

func FuzzNothingPanicsAndWhatDoesNotParseRuns(f *testing.F) {
	for _, s := range [...][2]string{
		{"git *", "git push"}, {"rm -rf *", "$(("}, {"a|b", "a|b<<x"}, {`\*`, "\xff\x00"}, {"", ""}, {"src/**", "/a/../src/b"}, {"/{a,b}/[!x]", "~/x"},
		{"domain:*.a", "http://[::1"}, {"x:5", "5"}, {"0", "~?/|<x"}, {"0", "~=~/ ~a:=~?b/c ~=~ ~:~/=~*"}, {"rm *", `~*a?/ ~\a\b/ x=~\?/: >~*/ declare a=~??/`}, {"* > *", ">&2 2>>a <<-E\n\tE\n"}, {"a", "case a in (b|c) d;; esac"}, {"a", "$'\\'' ${!x} ${x@Q} !(a)"},
		{"x", "a=([1]=b c) declare -a d=(e) let f++ [[ a =~ (b) ]] coproc g { h; }"}, {`C:\a`, `\\?\UNC\`}, {"**/**/**/x", "a/a/a/a/a/b"}, {"{{a,b},{c}}", "c"},
	} {
		f.Add(s[0], s[1])
	}
	tools := []string{"Bash", "PowerShell", "Edit", "Glob", "WebFetch", "Agent", "Skill", "mcp__a"}
	f.Fuzz(func(t *testing.T, inside, value string) {
		if len(inside) > 100 || len(value) > 1000 {
			return
		}
		if _, err := Parse(inside, origin); err != nil && !strings.Contains(err.Error(), "permission rule") {
			t.Errorf("Parse(%q): %v", inside, err)
		}
		quoted := string(wire.Quote(value))
		input := wire.Object(`{"command":` + quoted + `,"file_path":` + quoted + `,"url":` + quoted + `,"subagent_type":` + quoted + `,"x":` + quoted + `}`)
		checkHoles(t, value)
		for _, tool := range tools {
			r, err := Parse(tool+"("+inside+")", origin)
			if err != nil {
				continue
			}
			start := time.Now()
			got := r.Match(Call{Tool: tool, Input: input, Dir: "/repo/app"})
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%s took %v for %q", r, took, value)
			}
			if text, _ := wire.Text(input.Get("command")); tool == "Bash" && !got && !parses(text) {
				t.Errorf("%s does not match %q, which does not parse", r, value)
			}
		}
	})
}

// checkHoles checks the invariants of a command's words that their readers rely on.
func checkHoles(t *testing.T, command string) {
	file := parseShell(command)
	if file == nil {
		return
	}
	r := pieceReader{command: command, tilde: true}
	check := func(p piece) {
		at := 0
		for _, h := range p.holes {
			if h.from < at || h.to < h.from || h.to > len(p.plain) {
				t.Fatalf("%q in %q has the holes %v", p.source, command, p.holes)
			}
			at = h.to
		}
		if min(p.fixed, p.literal) < 0 || max(p.fixed, p.literal) > len(p.plain) {
			t.Fatalf("%q in %q is known up to %d and %d of %d", p.source, command, p.fixed, p.literal, len(p.plain))
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Word:
			check(r.word(node))
		case *syntax.Assign:
			check(r.assign(node))
		case *syntax.Redirect:
			if p := r.redirect(node); p.source != "" {
				check(p)
				check(p.after("&>"))
			}
		}
		return true
	})
}

func parses(command string) (ok bool) {
	defer func() { _ = recover() }()
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	return err == nil
}
