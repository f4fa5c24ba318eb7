package lint

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var ruleShellBashSyntax = Rule{
	ID: "shell-bash-syntax", Severity: Warning, look: bashSyntax, Fixable: true,
	Doc: "A script that `/bin/sh` runs uses syntax of bash.",
	Why: "Where `/bin/sh` is bash it works; where it is dash, as on Debian and Ubuntu, " +
		"it fails or means something else. The commands of Claude Code themselves run in bash.",
	Mistake: "#!/bin/sh\nif [[ $(cat) == *rm* ]]; then exit 2; fi",
	Fix:     "#!/usr/bin/env bash\nif [[ $(cat) == *rm* ]]; then exit 2; fi",
}

// bashSyntax looks for syntax of bash in texts that /bin/sh runs.
func bashSyntax(v *hookView) {
	for _, s := range v.scripts {
		if !s.posix || s.ast == nil || len(s.text) == 0 {
			continue
		}
		for _, b := range bashOnly(s.ast) {
			at, fix := s.pos(b.at), "begin the script with #!/usr/bin/env bash"
			f := v.report("shell-bash-syntax", at, fix, "%s, and /bin/sh runs this", b.what)
			if shIsBash() {
				f.Severity = Note
				f.Message += "; on this machine that is bash, on others it is not"
			}
			switch {
			case startsSh(v, s):
				f.Fix = "run it with bash"
			case s.shebang != "":
				end := strings.IndexByte(string(s.text), '\n')
				if end > 0 && len(strings.Fields(s.shebang)) == 1 {
					f.edit = fileEdit{{file: s.path, seen: s.text, end: end, with: "#!/usr/bin/env bash"}}
				}
			}
			v.add(*f)
			break // one finding is enough
		}
	}
}

// startsSh reports whether the command itself runs a script with sh.
func startsSh(v *hookView, s *hookScript) bool {
	for _, c := range v.calls {
		if _, _, _, ok := c.interpreted(); ok && c.file() == s.path {
			return true
		}
	}
	return false
}

// shIsBash reports whether /bin/sh of this machine is bash or zsh, and therefore accepts bash's syntax.
func shIsBash() bool {
	// On macOS /bin/sh is a separate program, which starts the shell to which this link leads.
	target, err := filepath.EvalSymlinks("/private/var/select/sh")
	if err != nil {
		target, err = filepath.EvalSymlinks("/bin/sh")
	}
	name := filepath.Base(target)
	return err == nil && (strings.Contains(name, "bash") || name == "zsh")
}

// bashism is syntax of bash that a POSIX shell does not have.
type bashism struct {
	at   syntax.Pos
	what string
}

// bashOnly finds syntax and builtins of bash in a script.
func bashOnly(file *syntax.File) (found []bashism) {
	add := func(node syntax.Node, what string) {
		found = append(found, bashism{node.Pos(), what + " is syntax of bash"})
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.TestClause:
			add(n, "[[ … ]]")
		case *syntax.ArithmCmd:
			add(n, "(( … ))")
		case *syntax.LetClause:
			add(n, "let")
		case *syntax.CoprocClause:
			add(n, "coproc")
		case *syntax.ProcSubst:
			add(n, "<( … )")
		case *syntax.ExtGlob:
			add(n, "an extended pattern")
		case *syntax.ArrayExpr:
			add(n, "an array")
		case *syntax.FuncDecl:
			if n.RsrvWord {
				add(n, "the word function")
			}
		case *syntax.DeclClause:
			if slices.Contains([]string{"declare", "typeset", "nameref"}, n.Variant.Value) {
				add(n, n.Variant.Value)
			}
		case *syntax.Assign:
			if n.Append {
				add(n, "+=")
			}
		case *syntax.Redirect:
			switch n.Op {
			case syntax.WordHdoc:
				add(n, "<<<")
			case syntax.RdrAll, syntax.AppAll:
				add(n, n.Op.String())
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.PipeAll {
				add(n, "|&")
			}
		case *syntax.ForClause:
			if _, ok := n.Loop.(*syntax.CStyleLoop); ok {
				add(n, "for (( … ))")
			}
			if n.Select {
				add(n, "select")
			}
		case *syntax.SglQuoted:
			if n.Dollar {
				add(n, "$'…'")
			}
		case *syntax.ParamExp:
			if what := bashParam(n); what != "" {
				add(n, what)
			}
		case *syntax.CallExpr:
			if what := bashCall(n); what != "" {
				add(n, what)
			}
		}
		return true
	})
	return found
}

func bashParam(p *syntax.ParamExp) string {
	switch {
	case p.Index != nil:
		return "an array"
	case p.Slice != nil:
		return "${x:1:2}"
	case p.Repl != nil:
		return "${x/a/b}"
	case p.Excl:
		return "${!x}"
	case p.Exp != nil && slices.Contains([]syntax.ParExpOperator{
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll, syntax.OtherParamOps,
	}, p.Exp.Op):
		return "${x^^}"
	case p.Param != nil && slices.Contains([]string{"BASH_SOURCE", "FUNCNAME", "PIPESTATUS", "BASH_REMATCH"}, p.Param.Value):
		return "$" + p.Param.Value
	}
	return ""
}

// bashCall returns a name for the builtin that a call uses, or for its form, if only bash has it.
func bashCall(c *syntax.CallExpr) string {
	var words []string
	for _, w := range c.Args {
		text, _ := literal(w)
		words = append(words, text)
	}
	switch {
	case len(words) == 0:
	case slices.Contains([]string{"source", "mapfile", "readarray", "shopt", "pushd", "popd", "disown", "compgen"}, words[0]):
		return words[0]
	case words[0] == "[" || words[0] == "test":
		if slices.Contains(words[1:], "==") {
			return "[ a == b ]"
		}
	case words[0] == "set" && slices.Contains(words, "pipefail"):
		return "set -o pipefail"
	case words[0] == "read":
		for _, word := range words[1:] {
			if len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "r") != "" && strings.Trim(word[1:], "radnNpstu") == "" {
				return "read " + word
			}
		}
	}
	return ""
}
