package lint

import "strings"

var ruleChangeLost = Rule{
	ID: "change-lost", Severity: Warning,
	Doc: "A module changes an event where that has no effect.",
	Why: "A handler gets its own copy of the event. Changes in place count only in the `content` and `details` of a " +
		"`tool_result` and in the `messages` of a `context`; assigning a new value to a member has no effect. Only the " +
		"extension runtime reads a `systemPrompt`.",
	Mistake: `pi.on("tool_call", event => { event.input.command = safe(event.input.command) })`,
	Fix:     `pi.on("tool_call", event => ({ block: !isSafe(event.input.command), reason: "…" }))`,
}

// lostChanges lists the changes without an effect, by event and member, each with the code that has
// the intended effect.
var lostChanges = map[string]map[string]lostChange{
	"tool_call": {"input": {within: true, fix: "return {block: true, reason} where the call must not run"}},
	"tool_result": {
		"content": {fix: "return {content}, or change the list in place"},
		"details": {fix: "return {details}, or change the object in place"},
	},
	"context": {"messages": {fix: "return {messages}, or change the list in place"}},
	"before_agent_start": {
		"prompt":       {fix: "return {message}"},
		"systemPrompt": {fix: "return {message}"},
	},
}

// lostChange is a change of a member that has no effect.
type lostChange struct {
	within bool // changes of parts of the member have no effect either
	fix    string
}

// handlerOf reads a call on(EVENT, HANDLER) at i: the event's name, the name of the handler's argument, and the tokens
// of the call. ok is false for other calls, and if the handler destructures its argument.
func handlerOf(all []codeToken, i int) (event, argument string, body []codeToken, ok bool) {
	if !has(all, i, "on", "(") || i+3 >= len(all) || !all[i+2].str {
		return "", "", nil, false
	}
	end, depth := i+1, 0
	for ; end < len(all); end++ {
		if all[end].str {
			continue
		}
		if strings.Contains("([{", all[end].text) {
			depth++
		} else if strings.Contains(")]}", all[end].text) {
			if depth--; depth == 0 {
				break
			}
		}
	}
	body = all[i+3 : min(end, len(all))]
	for at, t := range body {
		if !t.str && isName(t.text) && t.text != "async" && t.text != "function" {
			if has(body, at-1, "{") { // the handler destructures its argument
				return "", "", nil, false
			}
			return all[i+2].value(), t.text, body, true
		}
	}
	return "", "", nil, false
}

// checkHandler looks for changes without an effect in the handler whose subscription begins at i.
func checkHandler(v *hookView, s *hookScript, all []codeToken, i int) {
	event, argument, body, ok := handlerOf(all, i)
	if !ok {
		return
	}
	for at := range body {
		if !has(body, at, argument, ".") || has(body, at-1, ".") || at+2 >= len(body) {
			continue
		}
		name := body[at+2].text
		lost, known := lostChanges[event][name]
		if !known || !assigned(body, at+3, lost.within) || returns(body, name) {
			continue
		}
		v.add(*v.report("change-lost", s.position(body[at].at), lost.fix,
			"the change of %q has no effect: %s reads only the handler's result", name, event))
		return
	}
	if event != "before_agent_start" || v.ModulesExtended {
		return
	}
	for at := range body {
		if isMember(body, at, "systemPrompt") {
			v.add(*v.report("change-lost", s.position(body[at].at), "return {message}, or run the module in xcsh-extension",
				"the hook runtime does not read the member %q of a result", "systemPrompt"))
			return
		}
	}
}

// assigned reports whether a value is assigned to the expression that ends before i. If within is true, an assignment
// to a part of the expression counts too.
func assigned(body []codeToken, i int, within bool) bool {
	for within && i < len(body) {
		switch {
		case has(body, i, ".") && i+1 < len(body):
			i += 2
		case has(body, i, "["):
			for i < len(body) && body[i].text != "]" {
				i++
			}
			i++
		default:
			within = false
		}
	}
	for i < len(body) && len(body[i].text) == 1 && strings.Contains("+?|&", body[i].text) { // +=, ??=
		i++
	}
	return has(body, i, "=") && !has(body, i+1, "=") && !has(body, i+1, ">")
}

// returns reports whether an object literal in the body has the member.
func returns(body []codeToken, name string) bool {
	for at := range body {
		if isMember(body, at, name) {
			return true
		}
	}
	return false
}

// isMember reports whether the token at i is the name of a member in an object.
func isMember(body []codeToken, i int, name string) bool {
	return !body[i].str && body[i].text == name && (has(body, i-1, "{") || has(body, i-1, ",")) &&
		(has(body, i+1, ":") || has(body, i+1, ",") || has(body, i+1, "}"))
}
