package llxprt

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/internal/splice"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
)

// extensionPath matches the placeholder of an extension's directory.
var extensionPath = lazyregexp.New(`\$\{extensionPath\}`)

// projectVar matches the use of a directory variable in the syntax of a shell.
var projectVar = lazyregexp.New(`\$(?:\{(LLXPRT_PROJECT_DIR|GEMINI_PROJECT_DIR|CLAUDE_PROJECT_DIR|extensionPath)\}|` +
	`(LLXPRT_PROJECT_DIR|GEMINI_PROJECT_DIR|CLAUDE_PROJECT_DIR|extensionPath)\b)`)

// inPowerShell returns a script that reads its directories from the environment: in PowerShell, $NAME would be a
// variable of the script, and empty.
func inPowerShell(script string) string {
	return projectVar.ReplaceAllString(script, "$${env:$1$2}")
}

// inExtension returns a script in which the directory of its extension is a variable. If the
// directory would be read as code of another language, the script stays as it is.
func inExtension(script, root string) string {
	out, err := splice.Script(script, extensionPath, func(string) (splice.Var, bool) {
		return splice.Var{Name: "extensionPath", Value: root, Word: true}, true
	})
	if err != nil {
		return script
	}
	return out
}

// The variables list the members of each object that select, limit or switch hooks.
var (
	groupMembers  = []string{"matcher", "sequential"}
	entryMembers  = []string{"timeout"}
	toolsMembers  = []string{"enableHooks"}
	configMembers = []string{"enabled", "disabled", "notifications", "alwaysShell"}
)

// misplaced maps members that people put into the wrong object to the right object; elsewhere maps names that people
// write by mistake to the events of this system.
var (
	misplaced = map[string]string{"disabled": "hooksConfig", "enabled": "hooksConfig", "notifications": "hooksConfig"}
	elsewhere = map[string]string{
		"PreToolUse": "BeforeTool", "PostToolUse": "AfterTool", "UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent", "PreCompact": "PreCompress",
	}
)

// group is one group of hooks, with a common matcher.
type group struct {
	*reading
	entries.Group
	layer   settings.Layer
	pattern string
	matcher hook.Matcher
	invalid string // why none of the group's hooks can run
	broken  string // why the group's matcher matches only one literal name

	vars []string // the entry's own variables, "NAME=value", in the profile Gemini
}

func (g *group) read() {
	g.Misspelt(g.Value, groupMembers...)
	g.Ignores("LLxprt Code", groupMembers...)
	g.readMatcher(g.Value.Get("matcher"))
	sequential, _ := g.Bool(g.Value.Get("sequential"))
	label := g.layer.Source.String()
	if g.layer.Source == hook.Extension {
		label += ":" + g.layer.Name
	}
	like := hook.Hook{
		Identity: hook.Identity{Source: g.layer.Source},
		Selection: hook.Selection{
			Pattern:    g.pattern,
			Matcher:    g.matcher,
			Sequential: sequential,
			OwnOnly:    !g.at.Vouches(g.layer.Source),
		},
	}
	g.Read(label, like, func(h *hook.Hook, v settings.Value) *settings.Problem {
		wrong := g.fill(h, v)
		if wrong == nil {
			g.decide(h)
		}
		g.exclude(h)
		if g.broken != "" && (wrong != nil || h.Skip != "") {
			h.Matcher = nil // a hook that cannot run counts at every call: its matcher could have meant any tool
		}
		return wrong
	})
}

func (g *group) readMatcher(v settings.Value) {
	pattern, ok := g.Text(v)
	if !ok && v.Exists() && v.Kind() != 'n' && g.Event.Subject != "" { // an event without a subject ignores matchers
		g.invalid = "the matcher of its group is not a string"
		return
	}
	g.pattern = pattern
	if g.Event.Rules.Match == nil {
		return
	}
	var note string
	if g.matcher, note = g.Matcher(g.Event.Name, pattern, g.Event.Rules.Match); note != "" {
		g.Problem(v.Wrong("%s", note))
	}
	if _, literal := g.matcher.(match.Exact); literal && note != "" {
		g.broken = note
	}
}

// fill reads an entry (L4). It returns the problem that makes the entry invalid, or nil.
func (g *group) fill(h *hook.Hook, v settings.Value) (invalid *settings.Problem) {
	wrong := func(p settings.Problem) *settings.Problem { return &p }
	if v.Kind() != '{' {
		return wrong(v.Want("an object {\"type\": \"command\", \"command\": \"…\"}"))
	}
	g.Misspelt(v, entryMembers...)
	if kind, _ := v.Get("type").Text(); g.types[kind] == nil {
		g.Ignored("LLxprt Code", false, v, "env")
	}
	h.Name, _ = g.Text(v.Get("name"))
	h.Command, _ = v.Get("command").Text()
	h.Timeout = g.timeout(v.Get("timeout"))
	g.vars = g.ownVars(v.Get("env"))
	kind, isText := v.Get("type").Text()
	h.Type = kind
	switch {
	case !v.Get("type").Exists():
		return wrong(v.Wrong("the hook has no \"type\"; add \"type\": \"command\""))
	case !isText:
		return wrong(v.Get("type").Want("\"command\""))
	case kind != "command" && g.types[kind] != nil:
		return g.types.Read(kind, h, v)
	case kind == "plugin":
		return nil
	case kind != "command":
		return wrong(v.Get("type").Wrong("there is no hook type %q; write \"command\"", kind))
	case strings.TrimSpace(h.Command) != "":
		if err := run.CheckScript(h.Command); err != nil {
			return wrong(v.Get("command").Wrong("the command cannot be used: %v", err))
		}
		return nil
	case !v.Get("command").Exists() || v.Get("command").Kind() == '"':
		return wrong(v.Wrong("the hook has no command to run; add \"command\": \"…\""))
	}
	return wrong(v.Get("command").Want("a string"))
}

// timeout reads milliseconds; 0 and invalid values mean the default.
func (g *group) timeout(v settings.Value) time.Duration {
	ms, ok := v.Number()
	switch {
	case ok && ms > 0:
		return time.Duration(min(ms*float64(Dialect.Unit), math.MaxInt64/2))
	case ok && ms < 0:
		g.WrongTimeout(v, "a timeout cannot be negative; write milliseconds", Dialect.Unit, "5000")
	case !ok && v.Exists() && v.Kind() != 'n':
		g.WrongTimeout(v, "a timeout is a number of milliseconds", Dialect.Unit, "5000")
	}
	return 0
}

// decide completes the hook of a valid entry: it sets the runner and the key, and skips the hook if its matcher is
// invalid.
func (g *group) decide(h *hook.Hook) {
	if h.Type == "command" {
		h.Key = h.Command // rule L13: hooks are compared by command alone
		script, vars, env := h.Command, projectVars, g.of(h.Source).environ
		if g.profile == Gemini {
			h.Key, h.Exits = h.Name+":"+h.Command, geminiExits
			env, h.Vars = g.gemini(env), g.vars
		}
		known := lo.SliceToMap(projectVars, func(name string) (string, string) { return name, g.at.Dir })
		if g.layer.Source == hook.Extension {
			root := filepath.Dir(filepath.Dir(g.layer.File))
			script = inExtension(script, root)
			vars, env = append([]string{"extensionPath"}, vars...), environ.WithVar(env, "extensionPath", root)
			known["extensionPath"] = root
		}
		if runtime.GOOS == "windows" {
			script = inPowerShell(script)
		}
		command := &run.Command{Argv: run.Shell(run.QuoteVars(script, vars...)), Environ: g.environOf(env)}
		if !g.of(h.Source).shell {
			command.Direct, _ = run.Direct(script, known)
		}
		h.Argv, h.Runner = command.Starts(hook.Call{Dir: g.at.Dir}), command
	}
	h.Unusable = g.broken
	if g.invalid != "" {
		h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, g.invalid, g.invalid
	}
}

// exclude sets the Exclusion of a hook that the settings disable or whose folder is not trusted. It is called for every
// entry, even for an invalid one.
func (g *group) exclude(h *hook.Hook) {
	by, isNamed := g.of(h.Source).disabled[h.Label()]
	formerly, wasNamed := g.of(h.Source).formerly[h.Name]
	switch {
	case g.of(h.Source).off != "":
		h.Exclusion = hook.Exclusion{
			Skip: hook.Disabled, SkipDetail: g.of(h.Source).off, SkippedBy: g.of(h.Source).offBy, Unusable: h.Unusable,
		}
	case isNamed:
		h.Exclusion = hook.Exclusion{
			Skip: hook.Disabled, SkippedBy: by, Unusable: h.Unusable,
			SkipDetail: fmt.Sprintf("%q is listed in hooksConfig.disabled", h.Label()),
		}
	case wasNamed && h.Name != "":
		h.Exclusion = hook.Exclusion{
			Skip: hook.Disabled, SkippedBy: formerly,
			SkipDetail: fmt.Sprintf(
				"%q is listed in hooks.disabled, the place of the list in older versions; write it in hooksConfig.disabled", h.Name,
			),
		}
	case g.at.Untrusted && h.Source == hook.Project:
		h.Skip, h.SkipDetail = hook.Untrusted, "the folder is not trusted, so its hooks do not run"
		h.Unusable = ""
	}
}

// gemini adds to env the variables that only hooks of Gemini CLI get, and the variables of the entry.
func (g *group) gemini(env []string) []string {
	env = environ.WithVar(env, "GEMINI_CWD", g.at.Dir)
	for _, entry := range g.vars {
		name, value, _ := strings.Cut(entry, "=")
		env = environ.WithVar(env, name, value)
	}
	return env
}

// environOf returns the function that makes the environment of a call.
func (g *group) environOf(env []string) func(hook.Call) []string {
	if g.profile != Gemini {
		return func(hook.Call) []string { return env }
	}
	return func(call hook.Call) []string {
		return environ.WithVar(env, "GEMINI_SESSION_ID", call.Session)
	}
}

// ownVars reads the variables of an entry, which only Gemini CLI supports.
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
