package bash

import (
	"path"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// Language is a language that a program interprets.
type Language string

// The languages of [Interpreters].
const (
	Shell      Language = "shell"
	Fish       Language = "fish"
	Python     Language = "Python"
	JavaScript Language = "JavaScript"
	Perl       Language = "Perl"
	Ruby       Language = "Ruby"
	PHP        Language = "PHP"
	Lua        Language = "Lua"
	Awk        Language = "awk"
	JQ         Language = "jq"
	Sed        Language = "sed"
	PowerShell Language = "PowerShell"
	Other      Language = "another language"
)

// Interpreters maps the names of programs, without a version, to their languages; see [Interpreter]. fish is
// a language of its own: its quotes and substitutions are not those of a shell.
var Interpreters = func() map[string]Language {
	all := map[string]Language{}
	for language, names := range map[Language]string{
		Shell:      "sh bash dash zsh ksh mksh ash",
		Fish:       "fish",
		Python:     "python pypy",
		JavaScript: "node nodejs deno bun tsx ts-node",
		Perl:       "perl",
		Ruby:       "ruby",
		PHP:        "php",
		Lua:        "lua luajit",
		Awk:        "awk gawk mawk nawk",
		JQ:         "jq",
		Sed:        "sed gsed",
		PowerShell: "pwsh powershell",
		Other:      "osascript Rscript tclsh expect nu elvish",
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = language
		}
	}
	return all
}()

var version = lazyregexp.New(`(-?[0-9][0-9.]*)?(\.exe)?$`)

// Interpreter returns the language of a program, by its path or name with any version: python3.12, lua5.4,
// powershell.exe. It returns "" for a program that is not an interpreter.
func Interpreter(program string) Language {
	name := path.Base(strings.ReplaceAll(program, `\`, "/"))
	return Interpreters[version.ReplaceAllString(name, "")]
}
