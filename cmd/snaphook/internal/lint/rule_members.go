package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

var ruleMemberUnknown = Rule{
	ID: "member-unknown", Severity: Warning, look: membersUnknown,
	Doc: "A script reads a member that the input of its event never has.",
	Why: "The value is always empty, and a guard that looks at it lets everything pass. " +
		"The members come from the types that the events declare; a name that is like none of them is left alone.",
	Mistake: "command=$(jq -r '.input.command')",
	Fix:     "command=$(jq -r '.tool_input.command')",
}

// memberUse is a member of the input that a script reads.
type memberUse struct {
	name string
	at   hook.Position
}

// membersUnknown compares the members that a script reads with the members of the events whose
// hooks call it.
func membersUnknown(v *view) {
	for _, s := range v.scripts {
		var uses []memberUse
		switch {
		case s.lang == langShell && s.ast != nil:
			uses = shellMembers(s)
		case s.lang == langPython:
			uses = pythonMembers(s)
		case s.lang == langNode:
			uses = nodeMembers(s)
		}
		if len(uses) == 0 {
			continue
		}
		known, elsewhere := v.membersFor(s)
		for _, u := range uses {
			if len(known) == 0 || slices.Contains(known, u.name) {
				continue
			}
			meant := memberMeant(u.name, known)
			if meant == "" || mentionsWord(s, strings.TrimSuffix(meant, "."+u.name)) {
				continue // a name of the host's own, or a script for several systems
			}
			if slices.Contains(elsewhere, u.name) && dispatchesByEvent(s) {
				continue
			}
			v.add(*v.report("member-unknown", u.at, fmt.Sprintf("did you mean %s?", meant),
				"no input of %s has a member %q, so its value is always empty", v.where(), u.name))
		}
	}
}

// membersFor returns the members that the input of a script may have: known from the events whose
// hooks call it, elsewhere from all events of the dialect.
func (v *view) membersFor(s *script) (known, elsewhere []string) {
	add := func(to []string, event string) []string {
		info := v.events[event]
		return append(append(to, info.Base...), info.Members()...)
	}
	for _, other := range v.views[:min(len(v.views), maxFound)] {
		if other == v || slices.Contains(other.scripts, s) {
			if other.h.Dialect != v.h.Dialect || v.events[other.where()].Name == "" {
				return nil, nil // a script for several systems
			}
			known = add(known, other.where())
		}
	}
	for name, info := range v.events {
		if info.Dialect == v.h.Dialect {
			elsewhere = add(elsewhere, name)
		}
	}
	return known, elsewhere
}

// dispatchesByEvent reports whether a script acts by the event or by its arguments.
func dispatchesByEvent(s *script) bool {
	return readsArguments(s) || mentionsWord(s, "hook_event_name") || mentionsWord(s, "hookEventName")
}

func mentionsWord(s *script, word string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).Match(s.text)
}

// argumentNames are names that the arguments of tools have in all systems.
var argumentNames = []string{"command", "file_path", "filePath", "content", "old_string", "new_string", "url"}

// sameMeaning are words with which other systems name a part of a member.
var sameMeaning = map[string]string{
	"result": "response", "output": "response", "args": "input", "arguments": "input", "params": "input",
	"parameters": "input", "message": "prompt", "query": "prompt", "text": "prompt",
}

var upper = regexp.MustCompile(`[A-Z]`)

// memberMeant returns the member that a name stands for: the same words in another spelling, or
// the last word of one; "" if it stands for none.
func memberMeant(name string, known []string) string {
	snake := strings.TrimPrefix(strings.ToLower(upper.ReplaceAllString(name, "_$0")), "_")
	words := strings.Split(snake, "_")
	if same, ok := sameMeaning[words[len(words)-1]]; ok {
		words[len(words)-1] = same
	}
	for _, form := range []string{snake, strings.Join(words, "_")} {
		for _, k := range known {
			if k == form && k != name {
				return k
			}
		}
	}
	last := words[len(words)-1]
	for _, k := range known {
		if k == last || len(words) == 1 && strings.HasSuffix(k, "_"+last) && strings.HasPrefix(k, "tool_") {
			return k
		}
	}
	if slices.Contains(argumentNames, name) && slices.Contains(known, "tool_input") {
		return "tool_input." + name
	}
	if near := settings.Near(name, known); len(name) > 4 && len(near) > 0 {
		return near[0]
	}
	return ""
}

// jqMember matches a path of jq that begins at the input.
var jqMember = regexp.MustCompile(`(?:^|[\s(,{:/])\.(?:\[")?([A-Za-z_]\w*)`)

// shellMembers returns the members that calls of jq read from the hook's input.
func shellMembers(s *script) (uses []memberUse) {
	inputs := inputVariables(s.ast)
	add := func(call *syntax.CallExpr) {
		program, ok := jqProgram(call)
		if !ok || len(uses) >= maxFound {
			return
		}
		head, _, _ := strings.Cut(strings.ReplaceAll(program, "//", ","), "|")
		for _, m := range jqMember.FindAllStringSubmatch(head, maxFound) {
			uses = append(uses, memberUse{m[1], s.pos(call.Pos())})
		}
	}
	syntax.Walk(s.ast, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.BinaryCmd:
			if left := callOf(n.X); n.Op == syntax.Pipe && printsVariable(left, inputs) {
				add(callOf(n.Y))
			}
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				if r.Op == syntax.WordHdoc && isVariable(r.Word, inputs) {
					add(callOf(n))
				}
			}
		case *syntax.CmdSubst: // $(jq …) alone reads the standard input of the script
			if len(n.Stmts) == 1 && len(n.Stmts[0].Redirs) == 0 && len(inputs) == 0 {
				add(callOf(n.Stmts[0]))
			}
		}
		return true
	})
	return uses
}

// jqProgram returns the program of a call of jq that reads its standard input.
func jqProgram(call *syntax.CallExpr) (program string, ok bool) {
	if name(call) != "jq" {
		return "", false
	}
	for i := 1; i < len(call.Args); i++ {
		text, ok := literal(call.Args[i])
		switch {
		case !ok:
			return "", false
		case text == "--arg" || text == "--argjson":
			i += 2
		case strings.HasPrefix(text, "--slurp"), strings.HasPrefix(text, "--from"), isFlags(text, 'n'), isFlags(text, 'f'),
			text == "--null-input":
			return "", false
		case !strings.HasPrefix(text, "-"):
			return text, i == len(call.Args)-1 && !strings.Contains(text, `\(`)
		}
	}
	return "", false
}

// inputVariables returns the variables that hold the standard input of a script and nothing else.
func inputVariables(file *syntax.File) map[string]bool {
	inputs := map[string]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name == nil || n.Value == nil {
				return true
			}
			is := readsAll(n.Value)
			if before, seen := inputs[n.Name.Value]; seen {
				is = is && before
			}
			inputs[n.Name.Value] = is
		case *syntax.CallExpr:
			if name(n) == "read" && len(n.Args) > 1 {
				if variable, ok := literal(n.Args[len(n.Args)-1]); ok {
					inputs[variable] = false
				}
			}
		}
		return true
	})
	for variable, is := range inputs {
		if !is {
			delete(inputs, variable)
		}
	}
	return inputs
}

// readsAll reports whether a word is $(cat) or $(</dev/stdin).
func readsAll(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if quoted, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = quoted.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	subst, ok := parts[0].(*syntax.CmdSubst)
	if !ok || len(subst.Stmts) != 1 {
		return false
	}
	s := subst.Stmts[0]
	if s.Cmd == nil && len(s.Redirs) == 1 {
		target, _ := literal(s.Redirs[0].Word)
		return isStdin(target)
	}
	c := callOf(s)
	if name(c) != "cat" {
		return false
	}
	for _, w := range c.Args[1:] {
		if text, _ := literal(w); text != "-" && !isStdin(text) {
			return false
		}
	}
	return len(s.Redirs) == 0 || len(c.Args) == 1 && s.Redirs[0].Op != syntax.RdrIn
}

// printsVariable reports whether a call prints one of the variables and nothing else.
func printsVariable(call *syntax.CallExpr, variables map[string]bool) bool {
	if n := name(call); n != "echo" && n != "printf" {
		return false
	}
	return isVariable(call.Args[len(call.Args)-1], variables)
}

func isVariable(w *syntax.Word, variables map[string]bool) bool {
	if w == nil || len(w.Parts) != 1 {
		return false
	}
	part := w.Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	return variables[plainVar(part)]
}

// pythonMembers returns the members that a script in Python reads from json.load(sys.stdin).
func pythonMembers(s *script) (uses []memberUse) {
	all := tokens(string(s.text), langPython)
	inputs := map[string]bool{}
	for i := range all {
		if i > 1 && all[i-1].text == "=" && all[i-2].text != "=" && !all[i-2].str {
			is := has(all, i, "json", ".", "load", "(", "sys", ".", "stdin", ")") ||
				has(all, i, "json", ".", "loads", "(", "sys", ".", "stdin", ".", "read", "(", ")", ")")
			before, seen := inputs[all[i-2].text]
			inputs[all[i-2].text] = is && (before || !seen)
		}
		if has(all, i, "def") { // a parameter of the same name holds another value
			for j := i + 2; j < len(all) && all[j].text != ")"; j++ {
				inputs[all[j].text] = false
			}
		}
		if has(all, i, "for") && i+1 < len(all) {
			inputs[all[i+1].text] = false
		}
	}
	for i, t := range all {
		if t.str || !inputs[t.text] || i > 0 && all[i-1].text == "." {
			continue
		}
		at := -1
		switch {
		case has(all, i+1, ".", "get", "("):
			at = i + 4
		case has(all, i+1, "[") && !(has(all, i+3, "]", "=") && !has(all, i+3, "]", "=", "=")):
			at = i + 2
		}
		if at > 0 && at+1 < len(all) && all[at].str && (all[at+1].text == "," || all[at+1].text == ")" || all[at+1].text == "]") {
			uses = append(uses, memberUse{all[at].value(), s.position(all[at].at)})
		}
	}
	return uses[:min(len(uses), maxFound)]
}

// nodeMembers returns the members that a script in JavaScript reads from the only text that it
// parses, where it reads standard input.
func nodeMembers(s *script) (uses []memberUse) {
	text := string(s.text)
	if strings.Count(text, "JSON.parse(") != 1 || !strings.Contains(text, "stdin") && !strings.Contains(text, "readFileSync(0") {
		return nil
	}
	all := tokens(text, langNode)
	input := ""
	for i := range all {
		if has(all, i, "JSON", ".", "parse", "(") && i > 2 && all[i-1].text == "=" && !all[i-2].str && isWord(all[i-2].text[0]) {
			input = all[i-2].text
		}
	}
	if input == "" {
		return nil
	}
	declared := 0
	for i, t := range all {
		if t.str || t.text != input || i == 0 {
			continue
		}
		if before := all[i-1].text; before == "const" || before == "let" || before == "var" {
			declared++
		} else if before == "(" && i > 1 && (all[i-2].text == "function" || has(all, i+1, ")", "=", ">")) ||
			before == "." || before == "," {
			continue
		}
		at := i + 1
		if at < len(all) && all[at].text == "?" {
			at++
		}
		if has(all, at, ".") && at+1 < len(all) && !has(all, at+2, "(") &&
			(!has(all, at+2, "=") || has(all, at+2, "=", "=")) && isWord(all[at+1].text[0]) && !all[at+1].str {
			uses = append(uses, memberUse{all[at+1].text, s.position(all[at+1].at)})
		}
	}
	if declared > 1 {
		return nil // names of several values
	}
	return uses[:min(len(uses), maxFound)]
}
