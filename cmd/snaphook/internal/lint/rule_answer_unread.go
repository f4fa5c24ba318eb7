package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

var ruleAnswerUnread = Rule{
	ID: "answer-unread", Severity: Warning, look: answerUnread,
	Doc: "A hook of Claude Code answers with JSON that decides nothing.",
	Why: "`hookSpecificOutput` must hold `hookEventName`, and `permissionDecision` (allow, deny, ask or defer). " +
		"The top-level `decision` is block or approve. A prompt or an agent answers with `ok` and `reason`.",
	Mistake: `{"hookSpecificOutput": {"permissionDecision": "deny"}}`,
	Fix:     `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}`,
}

// These expressions match parts of an answer, in JSON and in the notations of scripts: with quotes, with escaped
// quotes, or without quotes.
var (
	specificOutput = lazyregexp.New(`hookSpecificOutput(?:\\?["']?\]?\s*[:=]\s*(?:[^=]|$)|["']\]\s*\[["']\w+["']\]\s*=[^=])`)
	eventName      = lazyregexp.New(`\bhookEventName\b`)
	// printedVerdict matches a printed verdict in a member that no system reads.
	printedVerdict = lazyregexp.New(
		`(?:JSON\.stringify\(|jq -[a-zA-Z]*n[a-zA-Z]*\s[^|;\n]*?'|dumps\(|(?:echo|printf)\s+["']|cat <<-?\s?["']?\w+["']?\n)\s*\{\s*\\?["']?(block|blocked|deny|denied)\\?["']?\s*:\s*[tT]rue\b`)
	// memberDecision and memberPermission match members that Python or JavaScript puts into an object by name.
	memberDecision   = lazyregexp.New(`\b(\w+)\[["']decision["']\]\s*=\s*["'](\w+)["']`)
	memberPermission = lazyregexp.New(`\b\w+\[["']permissionDecision["']\]\s*=\s*["'](\w+)["']`)
	literalEvent     = lazyregexp.New(`\bhookEventName\\?["']?\s*[:=]\s*\\?["'](\w+)\\?["']`)
)

// answerUnread looks for answers that decide nothing, in the scripts of commands and in the demands of prompts.
func answerUnread(v *hookView) {
	if v.h.Dialect != "claude" || v.event.Name == "" {
		return
	}
	if v.h.Type == "prompt" || v.h.Type == "agent" {
		checkPrompt(v)
		return
	}
	for _, s := range v.withNested() {
		if s.lang == langOther || s.lang == langPowerShell {
			continue
		}
		if at, name := otherEvent(v, s); name != "" {
			v.add(*v.report("answer-unread", s.position(at), fmt.Sprintf("write \"hookEventName\": %q", v.event.Name),
				"this script answers for the event %s, but the hook runs at %s, which ignores that answer", name, v.event.Name))
			continue
		}
		if at, fix, message := unreadAnswer(comment.ReplaceAllFunc(s.text, blank), v.event.Name); message != "" {
			v.add(*v.report("answer-unread", s.position(at), fix, "%s", message))
			continue
		}
		if call, text := jqAnswer(s); call != nil {
			if _, fix, message := unreadAnswer([]byte(text), v.event.Name); message != "" {
				v.add(*v.report("answer-unread", s.pos(call.Pos()), fix, "%s", message))
			}
		}
	}
}

// jqAnswer returns the first call of jq in a script that makes an object from the call's arguments. text is the call's
// text, in which values of --arg replace their names. It returns nil if the script ends with status 2 or contains
// hookEventName.
func jqAnswer(s *hookScript) (found *syntax.CallExpr, text string) {
	if s.ast == nil || endsWith2.Match(s.text) || eventName.Match(s.text) {
		return nil, ""
	}
	syntax.Walk(s.ast, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok || found != nil || name(call) != "jq" {
			return found == nil
		}
		values, filter := []string{}, ""
		for i := 1; i < len(call.Args); i++ {
			word, _ := literal(call.Args[i])
			switch {
			case (word == "--arg" || word == "--argjson") && i+2 < len(call.Args):
				variable, _ := literal(call.Args[i+1])
				if value, ok := literal(call.Args[i+2]); ok && word == "--arg" {
					values = append(values, "$"+variable, strconv.Quote(value))
				}
				i += 2
			case strings.HasPrefix(word, "{"):
				filter = word
			}
		}
		if len(values) > 0 && filter != "" {
			found, text = call, "jq -n '"+strings.NewReplacer(values...).Replace(filter)+"'"
		}
		return found == nil
	})
	return found, text
}

// otherEvent returns the last event that a script names in its answers, if no hook of a named event runs the script.
func otherEvent(v *hookView, s *hookScript) (at int, name string) {
	all := literalEvent.FindAllSubmatchIndex(s.text, maxFound)
	if len(all) == 0 || len(all) != len(eventName.FindAllIndex(s.text, maxFound)) {
		return 0, ""
	}
	for _, m := range all {
		event := string(s.text[m[2]:m[3]])
		if v.events["claude."+event].Name == "" {
			return 0, ""
		}
		for _, other := range v.views[:min(len(v.views), maxFound)] {
			if other.event.Name == event && slices.Contains(other.scripts, s) {
				return 0, ""
			}
		}
		if event == v.event.Name {
			return 0, ""
		}
		at, name = m[2], event
	}
	return at, name
}

func unreadAnswer(text []byte, event string) (at int, fix, message string) {
	specific := specificOutput.FindIndex(text)
	if specific != nil && !eventName.Match(text) {
		return specific[0], fmt.Sprintf("write \"hookEventName\": %q in hookSpecificOutput", event),
			"the answer of this script has no hookEventName, so it decides nothing"
	}
	permissions := permissionWord.FindAllSubmatchIndex(text, maxFound)
	for _, m := range append(permissions, memberPermission.FindAllSubmatchIndex(text, maxFound)...) {
		word := string(text[m[2]:m[3]])
		if specific == nil && !strings.Contains(string(text), "hookSpecificOutput") {
			return m[0], fmt.Sprintf("write {\"hookSpecificOutput\": {\"hookEventName\": %q, \"permissionDecision\": %q}}", event, word),
				"permissionDecision stands outside of hookSpecificOutput, where nothing reads it"
		}
		if specific != nil && !slices.Contains([]string{"allow", "deny", "ask", "defer"}, word) {
			return m[0], "write allow, deny or ask", fmt.Sprintf("%q is not a permissionDecision, so the answer decides nothing", word)
		}
	}
	if specific != nil || endsWith2.Match(text) {
		return 0, "", "" // the script refuses in a way that has an effect
	}
	if m := printedVerdict.FindSubmatchIndex(text); m != nil && !decisionWord.Match(text) {
		return m[2], "write {\"decision\": \"block\", \"reason\": \"why\"}", fmt.Sprintf("%q is not a member of an answer, so this answer decides nothing", text[m[2]:m[3]])
	}
	written := decisionWord.FindAllSubmatchIndex(text, maxFound)
	for _, m := range append(written, printedDecision.FindAllSubmatchIndex(text, maxFound)...) {
		if word := string(text[m[2]:m[3]]); word != "block" && word != "approve" {
			fix := "print nothing to let the action go ahead; write \"block\" to refuse"
			return m[0], fix, fmt.Sprintf("\"decision\": %q is not a word of %s, which reads block alone", word, event)
		}
	}
	for _, m := range memberDecision.FindAllSubmatchIndex(text, maxFound) {
		word, object := string(text[m[4]:m[5]]), string(text[m[2]:m[3]])
		if word != "block" && word != "approve" && printsObject(string(text), object) {
			return m[0], "print nothing to let the action go ahead; write \"block\" to refuse",
				fmt.Sprintf("\"decision\": %q is not a word of %s, which reads block alone", word, event)
		}
	}
	return 0, "", ""
}

// printsObject reports whether a program in Python or JavaScript prints an object as JSON.
func printsObject(text, object string) bool {
	return regexp.MustCompile(`(?:print\(json\.dumps\(` + object + `\b[^()\n]*\)\)|json\.dump\(` + object + `, ?sys\.stdout|` +
		`sys\.stdout\.write\(json\.dumps\(` + object + `\b|(?:console\.log|process\.stdout\.write)\(JSON\.stringify\(` + object + `\b)`).MatchString(text)
}

// sampleMember matches the members of a JSON object that a prompt shows.
var sampleMember = lazyregexp.New(`[{,]\s*\\?["'](\w+)\\?["']\s*:`)

// plainAnswer matches a prompt that asks in plain words for an answer of one word, or for a decision.
var plainAnswer = lazyregexp.New(
	`(?i:\b(?:respond|reply|answer|return|output|print|say)\b)[^.;:\n]{0,30}?(?:\b(BLOCK|DENY|ALLOW|APPROVE|REJECT|YES|NO|SAFE|UNSAFE|PASS|FAIL)\b|` +
		`["'\x60](block|deny|allow|approve|reject|yes|no|safe|unsafe|pass|fail)["'\x60]|` +
		`\b(?:decision|permissionDecision)\s*[:=]\s*["'\x60]?(block|deny|allow|approve|ask)\b)`)

// verdictMembers lists names that people give to a verdict.
var verdictMembers = strings.Fields("decision permissionDecision hookSpecificOutput continue block blocked allow allowed approve approved deny safe verdict result status")

// checkPrompt looks at the answer that a prompt asks its model for.
func checkPrompt(v *hookView) {
	members := []string{}
	for _, m := range sampleMember.FindAllStringSubmatch(v.h.Command, maxFound) {
		members = append(members, m[1])
	}
	if slices.Contains(members, "ok") || okMember.MatchString(v.h.Command) {
		return
	}
	for _, member := range members {
		if slices.Contains(verdictMembers, member) {
			v.add(*v.report("answer-unread", v.at("prompt"), `ask for {"ok": true} or {"ok": false, "reason": "why"}`,
				"the prompt asks for %q, which is ignored: a %s hook answers with ok and reason", member, v.h.Type))
			return
		}
	}
	if m := plainAnswer.FindStringSubmatch(v.h.Command); m != nil {
		v.add(*v.report("answer-unread", v.at("prompt"), `ask for {"ok": true} or {"ok": false, "reason": "why"}`,
			"the prompt asks for %q, which is ignored: a %s hook answers with ok and reason", strings.Join(m[1:], ""), v.h.Type))
	}
}

// okMember matches the member ok in the words of a prompt.
var okMember = lazyregexp.New(`["'\x60]ok["'\x60]|\bok\s*[:=]`)
