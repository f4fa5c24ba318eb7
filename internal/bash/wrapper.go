package bash

import (
	"slices"
	"strings"
)

// Wrapper says how to find the command in the words of a program that runs it.
type Wrapper struct {
	Letters string   // short options with a value
	Names   []string // long options with a value
	Flags   string   // short options without a value
	Longs   []string // long options without a value

	Operands int    // words between the options and the command
	Without  string // short options with which the wrapper runs no command
	Bare     bool   // permission rules look through the wrapper only if it has no options
	Reads    bool   // the wrapper adds words from its input to the command
	Rules    bool   // Claude Code's permission rules look through the wrapper; if false, they see only the wrapper itself

	Assigns bool   // words NAME=value before the command set its environment
	Chdir   string // the letter of the option whose value is the directory of the command
	LongDir string // the same option's long name
	Split   string // the letter of the option whose value is split into the command's words
	Joins   bool   // the words after the options are one text for a shell
	Text    string // the letter of the option whose value is a text for a shell
	Clears  string // letters of the options that keep the environment from the command; "*" stands for every call
	Foreign bool   // the command runs elsewhere: in another root, container or machine
}

// Wrappers maps the names of programs that run the command in their arguments to their syntax.
//
// Rules is set for the ten wrappers that Claude Code's documentation names. env, sudo, doas and setsid run their
// arguments. xargs runs its arguments too, but rules look through xargs only if it has no options. watch, ssh and
// parallel run a text; su, runuser, script and flock run the text after -c.
var Wrappers = map[string]Wrapper{
	"timeout": {
		Letters: "ks", Names: []string{"kill-after", "signal"}, Flags: "vfp",
		Longs: []string{"foreground", "preserve-status", "verbose"}, Operands: 1, Rules: true,
	},
	"gtimeout": {
		Letters: "ks", Names: []string{"kill-after", "signal"}, Flags: "vfp",
		Longs: []string{"foreground", "preserve-status", "verbose"}, Operands: 1,
	},
	"time": {
		Letters: "fo", Names: []string{"format", "output"}, Flags: "pavqVl",
		Longs: []string{"portability", "append", "verbose", "quiet"}, Rules: true,
	},
	"nice":    {Letters: "n", Names: []string{"adjustment"}, Flags: "0123456789", Rules: true},
	"stdbuf":  {Letters: "ioe", Names: []string{"input", "output", "error"}, Rules: true},
	"nohup":   {Rules: true},
	"command": {Flags: "pvV", Without: "vV", Rules: true},
	"builtin": {Rules: true},
	"exec":    {Letters: "a", Flags: "cl", Clears: "c", Rules: true},
	"noglob":  {Rules: true},
	"xargs": {
		Letters: "adEIiLlnPs", Flags: "0oprtx", Bare: true, Reads: true, Rules: true,
		Names: []string{"arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"},
		Longs: []string{"null", "open-tty", "interactive", "no-run-if-empty", "verbose", "exit", "show-limits", "eof", "replace"},
	},

	"env": {
		Letters: "uCS", Names: []string{"unset", "chdir", "split-string"}, Flags: "i0v", Assigns: true,
		Longs: []string{"ignore-environment", "null", "debug"}, Chdir: "C", LongDir: "chdir", Split: "S", Clears: "iu",
	},
	"sudo": {
		Letters: "CDghpRrtTUu", Flags: "AbBEHknPS", Assigns: true, Chdir: "D", LongDir: "chdir", Clears: "*",
		Names: []string{"close-from", "chdir", "group", "host", "prompt", "chroot", "role", "type", "command-timeout", "user"},
		Longs: []string{"askpass", "background", "bell", "preserve-env", "set-home", "reset-timestamp", "non-interactive", "stdin"},
	},
	"doas":       {Letters: "Cu", Flags: "n", Clears: "*"},
	"setsid":     {Flags: "cfw", Longs: []string{"ctty", "fork", "wait"}},
	"ionice":     {Letters: "cn", Names: []string{"class", "classdata"}, Flags: "t", Longs: []string{"ignore"}},
	"chronic":    {Flags: "ve"},
	"unbuffer":   {Flags: "p"},
	"caffeinate": {Letters: "tw", Flags: "dimsu"},
	"strace": {
		Letters: "abeEIoOpPsSuUX", Flags: "cCdDfFhikntTqrvVwxyYzZ", Assigns: false,
	},
	"chroot":      {Operands: 1, Names: []string{"userspec", "groups"}, Foreign: true, Clears: "*"},
	"busybox":     {},
	"parallel":    {Joins: true, Reads: true},
	"watch":       {Letters: "n", Names: []string{"interval"}, Flags: "bcdegprtwx", Joins: true},
	"ssh":         {Operands: 1, Joins: true, Foreign: true, Clears: "*"},
	"su":          {Text: "c", Letters: "cgGsTw", Clears: "*"},
	"script":      {Text: "c", Letters: "cBEIOmoT"},
	"flock":       {Text: "c", Letters: "cEw", Names: []string{"command", "conflict-exit-code", "timeout"}, Flags: "eFnosuvx", Operands: 1, Longs: []string{"exclusive", "no-fork", "nonblock", "nb", "close", "shared", "unlock", "verbose"}},
	"runuser":     {Text: "c", Letters: "cgGsTuw", Clears: "*"},
	"nsenter":     {Foreign: true, Clears: "*"},
	"bwrap":       {Foreign: true, Clears: "*"},
	"systemd-run": {Foreign: true, Clears: "*"},
	"docker":      {Foreign: true, Clears: "*"},
	"podman":      {Foreign: true, Clears: "*"},
	"kubectl":     {Foreign: true, Clears: "*"},
	"flatpak":     {Foreign: true, Clears: "*"},
}

// Skip returns how many words after the wrapper's name belong to the wrapper: its options, their values and its
// operands. ok is false if there is no command among the words, as for command -v. opens reports whether word i has an
// expansion, after which the position of the command is uncertain: Skip stops after the first option with an expansion.
//
// A long option may be abbreviated. An option that is not in the table counts as an option without a value;
// [Wrapper.Knows] reports whether it is in the table.
func (w Wrapper) Skip(words []string, opens func(i int) bool) (own int, ok bool) {
	at := 0
	for at < len(words) {
		option := words[at]
		if option == "--" {
			at++
			break
		}
		if len(option) < 2 || option[0] != '-' {
			break
		}
		if opens(at) {
			return at + 1, true
		}
		if option[1] != '-' && strings.ContainsAny(option, w.Without) {
			return at, false
		}
		at = min(at+w.Width(option), len(words))
	}
	return min(at+w.Operands, len(words)), true
}

// Width returns how many words an option takes, its value among them.
func (w Wrapper) Width(option string) int {
	if long, ok := strings.CutPrefix(option, "--"); ok {
		abbreviates := func(name string) bool { return strings.HasPrefix(name, long) }
		if slices.ContainsFunc(w.Names, abbreviates) { // false for --name=value, whose value is in the same word
			return 2
		}
		return 1
	}
	if i := strings.IndexAny(option[1:], w.Letters); i >= 0 && i == len(option)-2 {
		return 2
	}
	return 1
}

// Knows reports whether the table has every letter of a short option, or a long option by its whole name.
func (w Wrapper) Knows(option string) bool {
	if long, ok := strings.CutPrefix(option, "--"); ok {
		name, _, _ := strings.Cut(long, "=")
		return name == "" || slices.Contains(w.Names, name) || slices.Contains(w.Longs, name)
	}
	for i := 1; i < len(option); i++ {
		if strings.IndexByte(w.Letters, option[i]) >= 0 {
			return true // the rest of the word is the option's value
		}
		if strings.IndexByte(w.Flags, option[i]) < 0 {
			return false
		}
	}
	return true
}

// Value searches a wrapper's own words for the option with this letter or long name, and returns its value.
func (w Wrapper) Value(own []string, letter, long string) (value string, ok bool) {
	for i := 0; i < len(own); i++ {
		option := own[i]
		next := ""
		if i+1 < len(own) {
			next = own[i+1]
		}
		if name, is := strings.CutPrefix(option, "--"); is && long != "" {
			name, value, with := strings.Cut(name, "=")
			if name != "" && strings.HasPrefix(long, name) {
				if with {
					return value, true
				}
				return next, true
			}
		}
		if letter != "" && len(option) > 1 && option[0] == '-' && option[1] != '-' {
			at := strings.IndexAny(option[1:], w.Letters)
			if at >= 0 && option[at+1:at+2] == letter {
				if rest := option[at+2:]; rest != "" {
					return rest, true
				}
				return next, true
			}
		}
		i += w.Width(option) - 1
	}
	return "", false
}
