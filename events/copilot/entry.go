package copilot

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
)

// file is one file whose hooks are read.
type file struct {
	*reading
	layer  settings.Layer
	off    settings.Value // disableAllHooks of the file itself
	pascal bool           // the event being read is spelled in PascalCase
}

// spelled returns the camelCase name of an event that is given in either spelling, and sets
// f.pascal.
func (f *file) spelled(name string) string {
	f.pascal = false
	for event, t := range table {
		if t.pascal == name {
			f.pascal = true
			return event
		}
	}
	return name
}

// entryMembers lists the members that select, limit or change a hook.
var entryMembers = []string{
	"type", "command", "bash", "powershell", "exec", "args", "cwd", "env", "timeoutSec", "timeout", "matcher", "url", "headers",
	"allowedEnvVars", "prompt", "windows", "linux", "osx",
}

// entry is one hook.
type entry struct {
	*file
	t       *traits
	hook    *hook.Hook
	value   settings.Value
	matcher hook.Matcher
}

// group reads a group of hooks, or a hook outside of a group.
func (f *file) group(g entries.Group) {
	t := table[g.Event.Name]
	g.Ignores("Copilot")
	m, note := f.matcher(t, g.Value.Get("matcher"))
	pattern, _ := g.Value.Get("matcher").Text()
	like := hook.Hook{
		Identity:  hook.Identity{Source: f.layer.Source},
		Selection: hook.Selection{Pattern: pattern, Matcher: m, OwnOnly: !f.at.Vouches(f.layer.Source)},
	}
	if t.closed {
		like.Matcher = callMatcher{m}
	}
	g.Read(f.label(f.layer), like, func(h *hook.Hook, v settings.Value) *settings.Problem {
		e := entry{file: f, t: t, hook: h, value: v, matcher: m}
		wrong := e.fill()
		if wrong == nil && note != "" {
			wrong = lo.ToPtr(g.Value.Get("matcher").Wrong("%s", note))
		}
		if wrong == nil {
			e.limit()
		} else {
			h.Matcher, h.FailClosed = nil, false // the invalid hook matches every call, and only a policy can make it block
		}
		if why := f.exclusion(h.Source, f.off); why.Skip != "" {
			h.Exclusion = why
		}
		return wrong
	})
}

// matcher compiles a matcher by the rules of the event and its spelling (G10, G11, G13).
func (f *file) matcher(t *traits, v settings.Value) (m hook.Matcher, note string) {
	pattern, isText := v.Text()
	switch {
	case f.Profile == VSCode || !t.native:
		return nil, ""
	case !isText && v.Exists() && v.Kind() != 'n':
		return match.Names(nil), "the matcher is not a text: its hook never runs; write one like bash|edit"
	case f.pascal && t.tool:
		return f.Matcher("pascal", pattern, matchClaude)
	}
	return f.Matcher("camel", pattern, matchNative)
}

// fill completes the hook from its entry. It returns the problem that makes the entry invalid, or nil.
func (e *entry) fill() *settings.Problem {
	v, h := e.value, e.hook
	if v.Kind() != '{' {
		return lo.ToPtr(v.Want("an object {\"type\": \"command\", \"bash\": \"…\"}"))
	}
	h.Type = "command"
	if at := v.Get("type"); at.Exists() && at.Kind() != 'n' {
		word, isText := at.Text()
		if !isText {
			return lo.ToPtr(at.Want("one of command, http, prompt"))
		}
		h.Type = word
	}
	e.Misspelt(v, entryMembers...)
	if e.Types[h.Type] == nil {
		e.Ignored("Copilot", kindOf(e.layer.File) == foreign, v, entryMembers...)
	}
	if h.Timeout = e.timeout("timeoutSec"); h.Timeout == 0 {
		h.Timeout = e.timeout("timeout")
	}
	switch {
	case h.Type == "command":
		return e.command()
	case h.Type == "http":
		return e.request()
	case h.Type == "prompt":
		return e.prompt()
	case e.Types[h.Type] != nil:
		return e.Types.Read(h.Type, h, v)
	}
	return lo.ToPtr(v.Get("type").Wrong("there is no hook type %q; write one of command, http, prompt", h.Type))
}

// limit excludes a hook that the surface never runs.
func (e *entry) limit() {
	why := ""
	switch {
	case e.Profile == Cloud && e.t.console:
		why = "the cloud agent does not fire " + e.hook.Event
	case e.Profile == VSCode && !e.t.local:
		why = "the chat of VS Code does not fire " + e.hook.Event
	case e.Profile == Cloud && e.value.Get("exec").Exists():
		why = "the cloud agent does not run \"exec\"; write \"bash\""
	}
	if why != "" {
		e.hook.Skip, e.hook.SkipDetail = hook.UnsupportedType, why
	}
}

// timeout reads seconds; 0 is the default.
func (e *entry) timeout(name string) time.Duration {
	v := e.value.Get(name)
	if n, ok := v.Number(); ok && n > 0 {
		return max(1, time.Duration(min(n*float64(time.Second), math.MaxInt64/2)))
	}
	if v.Exists() && v.Kind() != 'n' {
		e.WrongTimeout(v, name+" is a number of seconds above 0", time.Second, "30")
	}
	return 0
}

// shells lists the members that may contain the command on an operating system, by precedence (G50).
var shells = map[string][]string{
	"windows": {"powershell", "command"}, "": {"bash", "command"},
}

// editors maps an operating system to the member that the chat of VS Code reads first.
var editors = map[string]string{"windows": "windows", "darwin": "osx", "linux": "linux"}

// script returns the command for this machine. where is the name of the member that contains the command; it is empty
// if the entry has a command only for other systems.
func (e *entry) script() (script, where string, wrong *settings.Problem) {
	names, ok := shells[runtime.GOOS]
	if !ok {
		names = shells[""]
	}
	if e.Profile == VSCode {
		names = append([]string{editors[runtime.GOOS]}, names...)
	}
	any := false
	for _, name := range []string{"bash", "powershell", "command"} {
		v := e.value.Get(name)
		if _, isText := v.Text(); v.Exists() && v.Kind() != 'n' && !isText {
			return "", "", lo.ToPtr(v.Want("a string"))
		}
		any = any || v.Exists()
	}
	for _, name := range names {
		if text, _ := e.value.Get(name).Text(); strings.TrimSpace(text) != "" {
			return text, name, nil
		}
	}
	if !any {
		return "", "", lo.ToPtr(e.value.Wrong("the hook has no command; add \"bash\": \"./check.sh\""))
	}
	return "", "", nil
}

// command reads a hook that is a command.
func (e *entry) command() *settings.Problem {
	h := e.hook
	argv, wrong := e.exec()
	if wrong != nil {
		return wrong
	}
	c := &run.Command{Argv: argv, NoTerminal: true}
	if argv == nil {
		script, where, wrong := e.script()
		if wrong != nil {
			return wrong
		}
		if where == "" {
			h.Command, _ = e.value.Get("powershell").Text()
			h.Skip, h.SkipDetail = hook.UnsupportedType, "the hook has no command for this system"
			return nil
		}
		if err := run.CheckScript(script); err != nil {
			return lo.ToPtr(e.value.Get(where).Wrong("the command cannot be used: %v", err))
		}
		h.Command = script
		if c.Argv = run.Bash(script); runtime.GOOS == "windows" {
			c.Argv = run.PowerShell(script)
		} else {
			c.Direct, _ = run.Direct(script, nil)
		}
	}
	env, wrong := e.variables()
	if wrong != nil {
		return wrong
	}
	c.Environ = func(hook.Call) []string { return env }
	dir := e.at.Dir
	if cwd, ok := e.Text(e.value.Get("cwd")); ok && cwd != "" {
		if dir = cwd; !filepath.IsAbs(dir) {
			dir = filepath.Join(e.at.Dir, cwd)
		}
		e.speak(c, dir)
	} else {
		e.speak(c, "")
	}
	h.Argv = c.Starts(hook.Call{Hook: h, Dir: dir})
	h.FailClosed = e.t.closed && e.Profile != VSCode
	return nil
}

// exec reads a program that is started without a shell; nil if the entry has none.
func (e *entry) exec() (argv []string, wrong *settings.Problem) {
	v := e.value.Get("exec")
	if !v.Exists() || v.Kind() == 'n' {
		return nil, nil
	}
	program, isText := v.Text()
	if !isText || program == "" {
		return nil, lo.ToPtr(v.Want("the path of a program"))
	}
	for _, name := range []string{"bash", "powershell", "command"} {
		if other := e.value.Get(name); other.Exists() {
			return nil, lo.ToPtr(other.Wrong("%q and \"exec\" exclude each other; remove one of them", name))
		}
	}
	argv = []string{program}
	e.hook.Command = program
	args := e.value.Get("args")
	if args.Exists() && args.Kind() != '[' && args.Kind() != 'n' {
		return nil, lo.ToPtr(args.Want("an array of strings"))
	}
	for _, a := range args.Elements() {
		text, isText := a.Text()
		if !isText {
			return nil, lo.ToPtr(a.Want("a string"))
		}
		argv = append(argv, text)
	}
	return argv, nil
}

// variables returns the environment of the command: the engine's variables and the entry's variables. The entry's
// values can refer to the engine's variables (G51).
func (e *entry) variables() (env []string, wrong *settings.Problem) {
	env = e.env
	v := e.value.Get("env")
	if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
		return nil, lo.ToPtr(v.Want("an object whose members are variables"))
	}
	for name, value := range v.Members() {
		text, isText := value.Text()
		if !isText {
			return nil, lo.ToPtr(value.Want("a string"))
		}
		text = os.Expand(text, func(name string) string { return environ.Getenv(e.Environ, name) })
		e.hook.Vars = append(e.hook.Vars, name+"="+text)
		env = environ.WithVar(env, name, text)
	}
	return env, nil
}

// speak wraps the runner of a hook, so that the hook gets the payload in its spelling. For VS Code it also sets the
// effects of exit statuses.
func (e *entry) speak(r hook.Runner, dir string) {
	s := speaking{Runner: r, t: e.t, event: e.hook.Event, spell: camel, matcher: e.matcher, dir: dir}
	switch {
	case e.Profile == VSCode:
		s.spell = vscode
		if e.t.closed || e.t.resumes {
			e.hook.Exits = hook.Exits{0: hook.ParseAnswer, 2: hook.DenyWithReason, hook.OtherStatus: hook.Fail}
		}
	case e.pascal:
		s.spell = pascal
	}
	e.hook.Runner = s
}

// request reads a hook that is a request (G52).
func (e *entry) request() *settings.Problem {
	address, isText := e.value.Get("url").Text()
	if !isText {
		return lo.ToPtr(e.value.Wrong("the hook has no \"url\"; add \"url\": \"https://…\""))
	}
	e.hook.Command = environ.MaskURL(address)
	headers := map[string]string{}
	for name, value := range e.value.Get("headers").Members() {
		text, isText := value.Text()
		if !isText {
			return lo.ToPtr(value.Want("a string"))
		}
		headers[name] = text
	}
	var vars []string
	for _, name := range e.value.Get("allowedEnvVars").Elements() {
		if text, isText := name.Text(); isText {
			vars = append(vars, text)
		} else {
			return lo.ToPtr(name.Want("the name of a variable"))
		}
	}
	if why := e.insecure(address, len(vars) > 0); why != "" {
		return lo.ToPtr(e.value.Get("url").Wrong("%s", why))
	}
	r := &request.HTTP{URL: address, Headers: headers, Vars: vars, Getenv: func(name string) (string, bool) {
		value := environ.Getenv(e.Environ, name)
		return value, value != ""
	}}
	notes, err := r.Check()
	for _, note := range notes {
		e.Problem(e.value.Get("headers").Wrong("%s", note))
	}
	if err != nil {
		return lo.ToPtr(e.value.Get("url").Wrong("%v", err))
	}
	e.speak(r, "")
	return nil
}

// insecure returns the reason why an unencrypted request is refused. It returns "" for an encrypted request, and for a
// request to this machine if the user allows that and neither a denial nor a secret depends on the request.
func (e *entry) insecure(address string, secrets bool) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return ""
	}
	local := lo.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	switch {
	case !local || environ.Getenv(e.Environ, "COPILOT_HOOK_ALLOW_LOCALHOST") != "1":
		return "the request is not encrypted; write https://, or set COPILOT_HOOK_ALLOW_LOCALHOST=1 for this machine"
	case e.t.denies || secrets:
		return fmt.Sprintf("a request of %s, or with allowedEnvVars, has to be encrypted on this machine too; write https://", e.hook.Event)
	}
	return ""
}

// prompt reads a hook whose text is the agent's first prompt.
func (e *entry) prompt() *settings.Problem {
	text, isText := e.value.Get("prompt").Text()
	switch {
	case e.hook.Event != SessionStart.Info().Name:
		return lo.ToPtr(e.value.Get("type").Wrong("a hook of the type \"prompt\" belongs to sessionStart, and does nothing on %s", e.hook.Event))
	case !isText || strings.TrimSpace(text) == "":
		return lo.ToPtr(e.value.Wrong("the hook has no \"prompt\"; add \"prompt\": \"/status\""))
	}
	e.hook.Command = text
	if !e.at.Interactive {
		e.hook.Skip, e.hook.SkipDetail = hook.Disabled, "a prompt needs a new session with a user"
	}
	e.hook.Runner = promptRunner(text)
	return nil
}
