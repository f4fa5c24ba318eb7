// Package deep makes text that is nested as deep as its length allows, for the
// tests of everything that parses foreign text.
package deep

import (
	"iter"
	"strings"
)

// shell lists the forms of shell syntax that can be nested.
var shell = []string{
	"(", "$(", "{ ", "((", "$((", "$[", "a[", "${a:-", "${a[", "${a/", "${a:", "`", "\"$(", "\"${a:-", "<(", ">(", "@(", "x=@(", "a=(", "a[a]=(", "declare a=(",
	"f()", "f() (", "f() { ", "function f ", "! ", "time ", "coproc ", "if ", "elif ", "while ", "until ", "case x in a) ", "for ((;;)); do ", "for a in b; do ",
	"select a in b; do ", "[[ (", "[[ ! ", "[[ a && ", "[[ a =~ (", "let (", "let -", "let a?", "a&&", "a||", "a|", "a;", "a&", "a\n", "((-", "((a?", "((a=", "((a,",
	"((a**", "((a[", "$((a[", "<<a$(", "if a; then b; elif ", "-", "a?a:", "a,", "a=", "a**", "!", "~", "++", "$'", "\\\n", "{a,", "{",
}

// shellPrefixes lists beginnings that change how the parser reads the forms.
var shellPrefixes = []string{"", "((", "$[", "[[ ", "let ", "${a:", "if a; then ", "\"", "<<E\n"}

// code lists nested constructs of JavaScript and TypeScript.
var code = []string{
	"(", "[", "{", "!", "-", "+", "~", "a:", "`${", "${", "a=>", "(a)=>", "async a=>", "if(1);else ", "if(1)", "else ", "?.a", ".a", "()", "[0]", "new ", "typeof ", "void ",
	"await ", "yield ", "delete ", "a?", "a?b:", "a=", "a,", "a+", "a**", "a&&", "a??", "a||", "a in ", "for(;;)", "while(1)", "do ", "with(a)", "try{", "{a:", "[a=",
	"function(){", "function f(){", "class{a=", "class{[", "class extends ", "a`${", "(a,", "f(", "import(", "x as ", "<a>", "let a:", "let a:A<", "let a:[", "let a:(", "let a:{a:",
	"A|", "A[", "[]", "keyof ", "A extends B?", "@a ", "@(", "(/)/", "(\")\"", "(')'", "(`)`", "(/[)]/", "(/*)*/", "(//)\n", "a:{", "export default ", "case a:", "switch(1){case ", "=>{", "... ", "...",
}

var codePrefixes = []string{"", "x=", "let a:", "async function*f(){a"}

// Shell returns scripts of about n bytes, one for each form and beginning.
func Shell(n int) iter.Seq[string] { return all(shellPrefixes, shell, n) }

// Code returns modules of about n bytes.
func Code(n int) iter.Seq[string] { return all(codePrefixes, code, n) }

func all(prefixes, forms []string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, prefix := range prefixes {
			for _, form := range forms {
				if !yield(prefix + strings.Repeat(form, n/len(form))) {
					return
				}
			}
		}
	}
}

// ShellOf returns a script of about n bytes: a beginning, selected by the first byte of picks, and the forms selected
// by the next bytes, repeated. A fuzzer mutates picks.
func ShellOf(picks []byte, n int) string { return of(shellPrefixes, shell, picks, n) }

// CodeOf does the same as ShellOf for a module of JavaScript or TypeScript.
func CodeOf(picks []byte, n int) string { return of(codePrefixes, code, picks, n) }

func of(prefixes, forms []string, picks []byte, n int) string {
	if len(picks) < 2 {
		return ""
	}
	var unit strings.Builder
	for _, pick := range picks[1:min(len(picks), 32)] {
		unit.WriteString(forms[int(pick)%len(forms)])
	}
	return prefixes[int(picks[0])%len(prefixes)] + strings.Repeat(unit.String(), n/unit.Len())
}
