// Package environ reads and sets variables of an environment, selects the engine's variables that an LLxprt
// hook may see, and removes secrets from text for logs.
package environ

import (
	"slices"
	"strings"
)

// Redaction is the setting security.environmentVariableRedaction, which withholds environment variables that
// look like secrets. Names are compared without regard to case. The first rule that knows a variable decides:
//
//   - in Allowed: kept;
//   - in Blocked: withheld;
//   - a well-known harmless name such as PATH, or a name that begins with LLXPRT_CLI_: kept;
//   - a well-known name of an account or database: withheld;
//   - GITHUB_SHA is set in the same environment, so this is a GitHub Action,
//     which may run code from strangers: withheld;
//   - TOKEN, SECRET, PASSWORD, PASSWD, KEY, AUTH, CREDENTIAL, CREDS, PRIVATE or
//     CERT in the name: withheld;
//   - a value in which [Scrub] finds a secret: withheld.
//
// The zero Redaction withholds nothing.
type Redaction struct {
	Enabled bool
	Allowed []string // names to keep, over all other rules
	Blocked []string // names to withhold, unless Allowed has them
}

// Apply returns the entries of env, "NAME=value", that a hook may see, in their order. It does not change
// env, and returns env itself if r is not enabled.
//
// An entry without "=" is tested both as a name and as a value. A name may begin with "=", as on Windows:
// "=C:=C:\dir". Values are searched in linear time.
func (r Redaction) Apply(env []string) []string {
	if !r.Enabled {
		return env
	}
	rules := redactor{upper(r.Allowed), upper(r.Blocked), slices.ContainsFunc(env, isActionMark)}
	return keep(env, rules.withholds)
}

// ApplyAll applies the settings of several levels if at least one level is enabled. A variable is withheld if at least
// one level withholds it; a level that is not enabled has only the rules of Allowed and Blocked. The Allowed of a level
// makes exceptions for that level only.
func ApplyAll(env []string, levels []Redaction) []string {
	if !slices.ContainsFunc(levels, func(r Redaction) bool { return r.Enabled }) {
		return env
	}
	strict := slices.ContainsFunc(env, isActionMark)
	for _, r := range levels {
		if r.Enabled {
			rules := redactor{upper(r.Allowed), upper(r.Blocked), strict}
			env = keep(env, rules.withholds)
			continue
		}
		allowed, blocked := upper(r.Allowed), upper(r.Blocked)
		env = keep(env, func(name, _ string) bool { return blocked[name] && !allowed[name] })
	}
	return env
}

// keep returns the entries that are not withheld.
func keep(env []string, withholds func(name, value string) bool) []string {
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		if name, value := split(entry); !withholds(strings.ToUpper(name), value) {
			kept = append(kept, entry)
		}
	}
	return kept
}

type redactor struct {
	allowed, blocked map[string]bool
	strict           bool
}

func (r redactor) withholds(name, value string) bool {
	switch {
	case r.allowed[name]:
		return false
	case r.blocked[name]:
		return true
	case harmless[name] || strings.HasPrefix(name, "LLXPRT_CLI_"):
		return false
	case sensitive[name] || r.strict:
		return true
	}
	return slices.ContainsFunc(telling[:], func(word string) bool { return strings.Contains(name, word) }) ||
		hasSecret(value)
}

func split(entry string) (name, value string) {
	if entry == "" {
		return "", ""
	}
	end := strings.IndexByte(entry[1:], '=') + 1
	if end == 0 {
		return entry, entry
	}
	return entry[:end], entry[end+1:]
}

func isActionMark(entry string) bool {
	sha, ok := strings.CutPrefix(entry, "GITHUB_SHA=")
	return ok && sha != ""
}

func upper(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[strings.ToUpper(name)] = true
	}
	return set
}
