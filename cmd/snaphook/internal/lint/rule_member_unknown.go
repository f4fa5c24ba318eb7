package lint

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/settings"
)

var ruleMemberUnknown = Rule{
	ID: "member-unknown", Severity: Warning, look: membersUnknown,
	Doc: "A script reads a member that the input of its event never has.",
	Why: "The value is always empty, and a guard that looks at it lets everything pass. " +
		"The members come from the types that the events declare; a name unlike all of them is not reported.",
	Mistake: "command=$(jq -r '.input.command')",
	Fix:     "command=$(jq -r '.tool_input.command')",
}

// memberUse is a member of the input that a script reads.
type memberUse struct {
	name string
	at   hook.Position
}

// membersUnknown compares the members that a script reads with the members of the events whose
// hooks run it.
func membersUnknown(v *hookView) {
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
		known, elsewhere := membersFor(v, s)
		for _, u := range uses {
			if len(known) == 0 || slices.Contains(known, u.name) {
				continue
			}
			meant := memberMeant(u.name, known)
			if meant == "" || mentionsWord(s, strings.TrimSuffix(meant, "."+u.name)) {
				continue // only the host may know the name, or the script is for several systems
			}
			if slices.Contains(elsewhere, u.name) && dispatchesByEvent(s) {
				continue
			}
			v.add(*v.report("member-unknown", u.at, fmt.Sprintf("did you mean %s?", meant),
				"no input of %s has a member %q, so its value is always empty", v.where(), u.name))
		}
	}
}

// membersFor returns the possible members of a script's input: known has the members at the events whose hooks run the
// script, and elsewhere has the members at any event of the dialect.
func membersFor(v *hookView, s *hookScript) (known, elsewhere []string) {
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

// argumentNames lists names that arguments of tools have in all systems.
var argumentNames = []string{"command", "file_path", "filePath", "content", "old_string", "new_string", "url"}

// sameMeaning maps words that other systems use in the names of members to the words of claude and llxprt.
var sameMeaning = map[string]string{
	"result": "response", "output": "response", "args": "input", "arguments": "input", "params": "input",
	"parameters": "input", "message": "prompt", "query": "prompt", "text": "prompt",
}

var upper = lazyregexp.New(`[A-Z]`)

// memberMeant returns the member that a name probably means: its words in another spelling or with a
// synonym, its last word alone, an argument of the tool, or a similar name; "" if there is no such member.
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
var jqMember = lazyregexp.New(`(?:^|[\s(,{:/])\.(?:\[")?([A-Za-z_]\w*)`)

// shellMembers returns the members that calls of jq, and texts of python3 -c and node -e, read from the hook's input.
func shellMembers(s *hookScript) (uses []memberUse) {
	inputs, own := inputVariables(s.ast), ownInput(s.ast)
	add := func(call *syntax.CallExpr) {
		if l, text := inlineProgram(call); text != "" && len(uses) < maxFound {
			inner := &hookScript{text: []byte(text), lang: l, inline: true, at: s.pos(call.Pos())}
			if l == langPython {
				uses = append(uses, pythonMembers(inner)...)
			} else {
				uses = append(uses, nodeMembers(inner)...)
			}
		}
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
			left := callOf(n.X)
			prints := printsVariable(left, inputs) || own[n.X] && name(left) == "cat" && len(left.Args) == 1
			if right := n.Y; n.Op == syntax.Pipe && prints {
				for b, ok := right.Cmd.(*syntax.BinaryCmd); ok; b, ok = right.Cmd.(*syntax.BinaryCmd) {
					right = b.X
				}
				add(callOf(right))
			}
		case *syntax.Stmt:
			if own[n] && len(inputs) == 0 {
				add(callOf(n))
			}
			for _, r := range n.Redirs {
				if r.Op == syntax.WordHdoc && isVariable(r.Word, inputs) {
					add(callOf(n))
				}
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

// pythonMembers returns the members that a script in Python reads from json.load(sys.stdin) or
// json.loads(sys.stdin.read()).
func pythonMembers(s *hookScript) (uses []memberUse) {
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
		end := i + 1
		switch {
		case has(all, i, "json", ".", "load", "(", "sys", ".", "stdin", ")"):
			end = i + 8
		case has(all, i, "json", ".", "loads", "(", "sys", ".", "stdin", ".", "read", "(", ")", ")"):
			end = i + 12
		case t.str || !inputs[t.text] || i > 0 && all[i-1].text == ".":
			continue
		}
		at := -1
		switch {
		case has(all, end, ".", "get", "("):
			at = end + 3
		case has(all, end, "[") && !(has(all, end+2, "]", "=") && !has(all, end+2, "]", "=", "=")):
			at = end + 1
		}
		if at > 0 && at+1 < len(all) && all[at].str && (all[at+1].text == "," || all[at+1].text == ")" || all[at+1].text == "]") {
			uses = append(uses, memberUse{all[at].value(), s.position(all[at].at)})
		}
	}
	return uses[:min(len(uses), maxFound)]
}

// nodeMembers returns the members that a script in JavaScript reads from its JSON input. It returns nil unless the
// script reads standard input and parses exactly one text.
func nodeMembers(s *hookScript) (uses []memberUse) {
	text := string(s.text)
	if strings.Count(text, "JSON.parse(") != 1 || !strings.Contains(text, "stdin") && !strings.Contains(text, "readFileSync(0") {
		return nil
	}
	all := tokens(text, langNode)
	input := ""
	for i := range all {
		if has(all, i, "JSON", ".", "parse", "(") && has(all, i-2, "}", "=") {
			for _, t := range destructured(all, i-2) {
				uses = append(uses, memberUse{t.text, s.position(t.at)})
			}
		}
		if has(all, i, "JSON", ".", "parse", "(") && i > 2 && all[i-1].text == "=" && !all[i-2].str && isWord(all[i-2].text[0]) {
			input = all[i-2].text
		}
	}
	if input == "" {
		return uses[:min(len(uses), maxFound)]
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
		if has(all, i-2, "}", "=") && !has(all, i+1, ".") && !has(all, i+1, "[") && !has(all, i+1, "?") {
			for _, t := range destructured(all, i-2) {
				uses = append(uses, memberUse{t.text, s.position(t.at)})
			}
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
		return nil // the script declares the name several times, for different values
	}
	return uses[:min(len(uses), maxFound)]
}

// destructured returns the members that a destructuring pattern of JavaScript names; its last brace
// is at end.
func destructured(all []codeToken, end int) (members []codeToken) {
	depth := 0
	for i := end; i > 0 && len(members) < maxFound; i-- {
		switch all[i].text {
		case "}", "]", ")":
			depth++
		case "{", "[", "(":
			if depth--; depth == 0 {
				return members
			}
		default:
			if depth == 1 && !all[i].str && isWord(all[i].text[0]) && (all[i-1].text == "," || all[i-1].text == "{") {
				members = append(members, all[i])
			}
		}
	}
	return nil
}
