package llxprt

import (
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/settings"
)

// geminiExits is how Gemini CLI reads the end of a hook: a JSON answer counts
// whatever the status, and plain text denies after every status but 0 and 1.
var geminiExits = hook.Exits{0: hook.ReadAny, 1: hook.WarnAny, hook.OtherStatus: hook.DenyAny}

// gemini adds the variables that hooks of Gemini CLI have besides the project's,
// and those of the entry.
func (g *group) gemini(env []string) []string {
	env = environ.WithVar(env, "GEMINI_CWD", g.at.Dir)
	for _, entry := range g.vars {
		name, value, _ := strings.Cut(entry, "=")
		env = environ.WithVar(env, name, value)
	}
	return env
}

// environOf returns the environment of a call.
func (g *group) environOf(env []string) func(hook.Call) []string {
	if g.profile != Gemini {
		return func(hook.Call) []string { return env }
	}
	return func(call hook.Call) []string {
		return environ.WithVar(env, "GEMINI_SESSION_ID", call.Session)
	}
}

// ownVars reads the variables of an entry, which Gemini CLI alone knows.
func (g *group) ownVars(v settings.Value) (vars []string) {
	if g.profile != Gemini || !v.Exists() || v.Kind() == 'n' {
		return nil
	}
	if v.Kind() != '{' {
		g.Problem(v.Want("an object of variables, such as {\"MODE\": \"strict\"}"))
		return nil
	}
	for name, value := range v.Members() {
		if text, ok := g.Text(value); ok {
			vars = append(vars, name+"="+text)
		}
	}
	return vars
}
