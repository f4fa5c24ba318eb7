package lint

import "mvdan.cc/sh/v3/syntax"

var ruleEchoEscapes = Rule{
	ID: "echo-escapes", Severity: Warning, look: echoEscapes,
	Doc: "A script of `/bin/sh` prints the hook's input with echo.",
	Why: "Where `/bin/sh` is dash, as on Debian and Ubuntu, echo makes line ends of the `\\n` in JSON: jq fails, and a guard " +
		"lets every command of several lines pass.",
	Mistake: "#!/bin/sh\n" +
		"input=$(cat)\n" +
		"command=$(echo \"$input\" | jq -r .tool_input.command)",
	Fix: "#!/bin/sh\n" +
		"input=$(cat)\n" +
		"command=$(printf '%s' \"$input\" | jq -r .tool_input.command)",
}

func echoEscapes(v *hookView) {
	for _, s := range v.withNested() {
		if s.ast == nil {
			continue
		}
		inputs := inputVariables(s.ast)
		found := false
		syntax.Walk(s.ast, func(node syntax.Node) bool {
			call, ok := node.(*syntax.CallExpr)
			if !ok || found || !s.posix && !isFormat(call) || name(call) != "echo" && !isFormat(call) || !printsVariable(call, inputs) {
				return !found
			}
			found = true
			f := v.report("echo-escapes", s.pos(call.Pos()), `write printf '%s' "$input", or begin the script with #!/usr/bin/env bash`,
				`echo of /bin/sh may turn the \n in the JSON into a line end, and then the JSON cannot be read`)
			if isFormat(call) {
				f.Fix, f.Message = `write printf '%s' "$input"`, `printf takes the JSON for its format and turns the \n in it into a line end, and then the JSON cannot be read`
			} else if shIsBash() {
				f.Severity = Note
			}
			v.add(*f)
			return false
		})
	}
}

// isFormat reports whether a call of printf has only a format.
func isFormat(call *syntax.CallExpr) bool { return name(call) == "printf" && len(call.Args) == 2 }
