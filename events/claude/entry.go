package claude

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/permission"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// entry is one hook of a group.
type entry struct {
	*group
	hook  *hook.Hook
	value settings.Value
	kind  kinds
}

// fill reads the entry. It returns the problem that makes the entry invalid, or nil. An invalid entry with "onFailure":
// "block" blocks in each fire, if a failure of the hook can block.
func (e *entry) fill() *settings.Problem {
	wrong := e.read()
	if wrong != nil {
		word, _ := e.value.Get("onFailure").Text()
		e.hook.FailClosed = word == "block" && e.failureBlocks()
	}
	return wrong
}

// read reads the members that every type has, and then the members of the entry's type.
func (e *entry) read() *settings.Problem {
	v, h := e.value, e.hook
	if v.Kind() != '{' {
		return lo.ToPtr(v.Want("an object {\"type\": \"command\", \"command\": \"…\"}"))
	}
	word, isText := v.Get("type").Text()
	if e.profile != nil && e.profile.untyped && !v.Get("type").Exists() {
		word = "command"
	}
	h.Type = word
	if e.kind = kindOf(word); e.kind == 0 && e.Types[word] != nil {
		e.kind = added
	}
	if e.kind == 0 {
		return e.wrongType(isText)
	}
	e.misspelt()
	h.Timeout = e.timeout(e.get("timeout"))
	h.Status = e.text("statusMessage")
	e.once(e.get("once"))
	e.misplaced()
	if wrong := e.condition(e.get("if")); wrong != nil {
		return wrong
	}
	if wrong := e.build(); wrong != nil {
		return wrong
	}
	if e.profile != nil {
		return speak(e)
	}
	if e.traits.neverWaits && h.Background == hook.Foreground {
		h.Background = hook.Async
	}
	e.failure(e.get("onFailure"))
	if e.traits.baseText && e.Level == Docs {
		h.Text = hook.TextIgnored
	}
	return nil
}

// get returns a member of the entry. In a profile, members that the system does not read are absent.
func (e *entry) get(name string) settings.Value {
	if p := e.profile; p != nil && name != p.failure.name && !slices.Contains(p.members, name) {
		return settings.Value{}
	}
	return e.value.Get(name)
}

// misspelt reports members that nothing reads, and members that only other systems read.
func (e *entry) misspelt() {
	read, known := entryMembers, entryMembers
	if e.profile != nil {
		read = append(slices.Clone(e.profile.members), e.profile.failure.name)
		known = slices.Concat(read, entryMembers)
	}
	e.Misspelt(e.value, known...)
	if e.kind != added { // a type that the program defines has members of its own
		e.Ignored(e.system(), false, e.value, read...)
	}
}

// runs returns the types of hooks that run at the event.
func (e *entry) runs() kinds {
	if e.profile != nil {
		return e.profile.kinds
	}
	return e.traits.runs(e.Level)
}

func (e *entry) wrongType(isText bool) *settings.Problem {
	at := e.get("type")
	switch {
	case !at.Exists():
		return lo.ToPtr(e.value.Wrong("the hook has no \"type\"; add \"type\": \"command\""))
	case !isText:
		return lo.ToPtr(at.Want("one of " + all.String()))
	}
	return lo.ToPtr(at.Wrong("there is no hook type %q; write one of %s", e.hook.Type, all))
}

// text reads an optional string.
func (e *entry) text(name string) string {
	text, _ := e.Text(e.get(name))
	return text
}

// needText reads a string that has to be there.
func (e *entry) needText(name, example string) (string, *settings.Problem) {
	v := e.get(name)
	text, ok := v.Text()
	switch {
	case ok && strings.TrimSpace(text) != "":
		return text, nil
	case !v.Exists() || ok:
		return "", lo.ToPtr(e.value.Wrong("the hook has no %q; add %q: %q", name, name, example))
	}
	return "", lo.ToPtr(v.Want("a string"))
}

// timeout reads seconds; an invalid value is the default.
func (e *entry) timeout(v settings.Value) time.Duration {
	if e.profile != nil {
		return profileTimeout(e, v)
	}
	seconds, ok := v.Number()
	if ok && seconds > 0 {
		return max(1, time.Duration(min(seconds*float64(Dialect.Unit), math.MaxInt64/2)))
	}
	if v.Exists() && v.Kind() != 'n' {
		e.WrongTimeout(v, "a timeout is a number of seconds above 0", Dialect.Unit, "30 or 0.5")
	}
	if e.kind&outside != 0 && e.Level == Docs {
		return e.traits.timeout
	}
	// The defaults are those of release 2.1.239; 0 means the event's default.
	return map[kinds]time.Duration{prompts: 30 * time.Second, agents: time.Minute}[e.kind]
}

// once reads "once": the hook runs one time in a session.
func (e *entry) once(v settings.Value) {
	on, _ := e.Bool(v)
	e.hook.Once = on && (e.Level == Base || e.hook.Source == hook.FrontMatter)
	if on && !e.hook.Once {
		e.Problem(v.Wrong("\"once\" counts only in the front matter of skills: the hook runs every time"))
	}
}

// only lists members that have an effect only on some types of hooks.
var only = []struct {
	member string
	kinds  kinds
}{
	{"args", commands}, {"shell", commands}, {"async", commands}, {"asyncRewake", commands},
	{"rewakeMessage", commands}, {"rewakeSummary", commands},
	{"headers", requests}, {"allowedEnvVars", requests},
}

// misplaced reports the members that have no effect on this type of hook.
func (e *entry) misplaced() {
	for _, m := range only {
		if v := e.get(m.member); v.Exists() && m.kinds&e.kind == 0 && e.kind != added {
			e.Problem(v.Wrong("%q has no effect on hooks of type %q; it is for %s", m.member, e.hook.Type, m.kinds))
		}
	}
}

// condition reads "if" (C19), which is only for tool events. At other events a hook with "if" never runs.
func (e *entry) condition(v settings.Value) *settings.Problem {
	if !v.Exists() || v.Kind() == 'n' {
		return nil
	}
	text, ok := v.Text()
	if !ok {
		return lo.ToPtr(v.Want("a permission rule such as \"Bash(git *)\""))
	}
	if e.hook.If = text; !e.traits.conditions {
		wrong := v.Wrong(
			"\"if\" works only on tool events, and %s is not one: the hook never runs; remove the \"if\"",
			e.Event.Name,
		)
		e.Problem(wrong)
		e.hook.Skip, e.hook.SkipDetail, e.hook.Unusable = hook.ConditionFalse, wrong.Message, wrong.Message
		return nil
	}
	rule, err := permission.Parse(text, permission.Origin{Root: e.root, Home: e.home})
	if err != nil {
		return lo.ToPtr(v.Wrong("the hook never runs: %v", err))
	}
	e.hook.Condition = ifRule{rule}
	return nil
}

// failure reads "onFailure" (release 2.1.295): "block" makes a failure act like exit status 2, if failureBlocks returns
// true.
func (e *entry) failure(v settings.Value) {
	if !v.Exists() || v.Kind() == 'n' {
		return
	}
	word, _ := v.Text()
	if !slices.Contains([]string{"block", "continue"}, word) {
		e.Problem(v.Wrong("onFailure has to be \"block\" or \"continue\"; until it is, the action goes ahead when the hook fails"))
		return
	}
	if word != "block" {
		return
	}
	if !e.failureBlocks() {
		e.Problem(
			v.Wrong(
				"onFailure has no effect on this hook of %s, which lets the action go ahead when it fails",
				e.Event.Name,
			),
		)
		return
	}
	e.hook.FailClosed = true
}

// failureBlocks reports whether a failure of the hook can block. A hook of an unknown type counts as a command.
func (e *entry) failureBlocks() bool {
	async := e.hook.Background != hook.Foreground
	if e.kind == 0 || e.kind == commands { // the members of an invalid entry have not been read before
		for _, member := range [...]string{"async", "asyncRewake"} {
			on, _ := e.value.Get(member).Bool()
			async = async || on
		}
	}
	return (e.kind == 0 || e.kind&outside != 0) && !async && !e.traits.stopFrees && e.traits.exitTwoDenies
}

// exclude sets the reason why the settings exclude the hook, if they do. It checks every entry, even an invalid one. It
// skips hooks of front matter, which each Reload checks, and the program's hooks, which settings never exclude.
func (e *entry) exclude() {
	h, id := e.hook, ""
	if e.plugin != nil {
		id = e.plugin.id()
	}
	why := e.policy.judge(h.Source, id)
	if why.Skip == "" || h.Source == hook.FrontMatter || h.Source == hook.Host {
		return
	}
	if why.Skip == hook.Disabled {
		why.Unusable = h.Unusable // a lock in the machine's policy can overrule disableAllHooks
	}
	h.Exclusion = why
}

// decide sets the reason why a valid entry does not run, if there is one.
func (e *entry) decide() {
	h := e.hook
	switch {
	case h.Skip != "":
	case e.invalid != "":
		h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, e.invalid, e.invalid
	case e.runs()&e.kind == 0 && e.kind != added:
		h.Skip, h.SkipDetail = hook.UnsupportedType, fmt.Sprintf(
			"%s runs no hooks of type %q; write one of %s",
			h.Event,
			h.Type,
			e.runs(),
		)
		h.Unusable = h.SkipDetail
		e.Problem(e.get("type").Wrong("%s", h.SkipDetail))
	default:
		h.Unusable = e.broken
	}
}

// build makes the runner of an entry, and its key. It returns the problem that makes the entry
// unusable, or nil.
func (e *entry) build() *settings.Problem {
	switch e.kind {
	case commands:
		return e.buildCommand()
	case requests:
		return e.buildHTTP()
	case tools:
		return e.buildTool()
	case prompts, agents:
		return e.buildJudge()
	}
	return e.buildAdded()
}

// setKey sets the key by which duplicates are found: hooks have equal keys if they do the same for
// the same calls (C18).
func (e *entry) setKey(payload ...string) {
	e.hook.Key = e.space + "\x00" + e.hook.Type + "\x00" + e.hook.If + "\x00" + strings.Join(payload, "\x00")
}

// buildAdded reads a hook of a type that the program defines.
func (e *entry) buildAdded() *settings.Problem {
	wrong := e.Types.Read(e.hook.Type, e.hook, e.value)
	if e.hook.Key != "" {
		e.setKey(e.hook.Key)
	}
	return wrong
}

// buildCommand reads a hook that is a command (C4, C92).
func (e *entry) buildCommand() *settings.Problem {
	text, wrong := e.needText("command", "./check.sh")
	if wrong != nil {
		return wrong
	}
	e.hook.Command = text
	shell := e.text("shell")
	if shell != "" && shell != "bash" && shell != "powershell" {
		return lo.ToPtr(e.get("shell").Wrong("there is no shell %q; write \"bash\" or \"powershell\"", shell))
	}
	if on, _ := e.Bool(e.get("async")); on {
		e.hook.Background = hook.Async
	}
	if on, _ := e.Bool(e.get("asyncRewake")); on {
		e.hook.Background = hook.Rewake
		if wake := (hook.Wake{Message: e.text("rewakeMessage"), Summary: e.text("rewakeSummary")}); wake != (hook.Wake{}) {
			e.hook.Wake = &wake
		}
	}
	args, exec, wrong := e.args(e.get("args"))
	if wrong != nil {
		return wrong
	}
	e.setKey(text, shell, string(e.get("args").JSON()))
	c := &run.Command{Environ: environFor(text, e.env), NoTerminal: true, Fallback: e.fallback}
	if e.Event.Rules.Budget {
		c.Grace = exitGrace
	}
	if e.plugin != nil {
		c.Needs = []string{e.plugin.Root}
	}
	if err := run.CheckScript(text); err != nil && !exec {
		return lo.ToPtr(e.get("command").Wrong("the command cannot be used: %v", err))
	}
	var refused error
	switch {
	case exec:
		c.Argv = lo.Map(append([]string{text}, args...), func(arg string, _ int) string { return e.plainly(arg) })
	case shell == "powershell":
		e.hook.NoEnvFile = true
		var script string
		script, refused = e.inPowerShell(text)
		c.Argv = run.PowerShell(script)
	default:
		refused = e.shell(c, text)
	}
	if !exec && shell != "powershell" {
		posixPaths(c)
	}
	e.hook.Argv, e.hook.Runner = c.Starts(hook.Call{Hook: e.hook, Dir: e.at.Dir}), c
	if e.Level == Docs && !exec && userConfig.MatchString(text) {
		refused = errPasted
	}
	e.wrap(refused, exec)
	if argumentsVar.MatchString(text) {
		e.hook.Runner = argumentsNote{e.hook.Runner}
	}
	return nil
}

// args reads the arguments of a command that runs without a shell. An element that is not a string is an error, because
// the command without this element would be another command.
func (e *entry) args(v settings.Value) (args []string, exec bool, wrong *settings.Problem) {
	if !v.Exists() || v.Kind() == 'n' {
		return nil, false, nil
	}
	if v.Kind() != '[' {
		return nil, false, lo.ToPtr(v.Want("an array of strings"))
	}
	for _, element := range v.Elements() {
		text, ok := element.Text()
		if !ok {
			return nil, false, lo.ToPtr(element.Want("a string"))
		}
		args = append(args, text)
	}
	return args, true, nil
}

// wrap adds the wrappers that some commands need; exec means that the command runs without a shell. A hook whose
// command was refused always fails, and the refusal is also a problem of the settings.
func (e *entry) wrap(refused error, exec bool) {
	h := e.hook
	if refused != nil {
		e.Problem(e.get("command").Wrong("the hook fails each time: %v", refused))
		h.Runner = failingRunner{refused}
		return
	}
	if argv := h.Argv; len(argv) > 0 && argv[0] == "/bin/sh" && !exec {
		h.Runner = withoutBash{h.Runner}
	}
	if e.plugin != nil && e.profile == nil {
		h.Runner = furnished{h.Runner, e.plugin.data(e.reading)}
	}
	if e.traits.lastLine {
		h.Runner = worktreePath{h.Runner}
	}
}

// shell sets the process of a command that needs a shell: bash, or /bin/sh on a machine without bash. If the
// environment has a prefix, the shell passes the script to the prefix. It returns an error for a command in which a
// value would be read as code.
func (e *entry) shell(c *run.Command, text string) error {
	script, err := e.inShell(text)
	if err != nil {
		c.Argv = run.Bash(text)
		return err
	}
	if prefix := environ.Getenv(e.Environ, "CLAUDE_CODE_SHELL_PREFIX"); prefix != "" {
		c.Argv = run.PrefixShell(prefix, script)
		return nil
	}
	c.Argv = run.Bash(script)
	c.Direct, _ = run.Direct(script, e.paths().words)
	return nil
}

// buildHTTP reads a hook that is a request (C43).
func (e *entry) buildHTTP() *settings.Problem {
	url, wrong := e.needText("url", "https://…")
	if wrong != nil {
		return wrong
	}
	e.hook.Command = environ.MaskURL(url)
	e.setKey(url, string(e.get("headers").JSON()), string(e.get("allowedEnvVars").JSON()))
	r := &request.HTTP{
		URL: url, Headers: e.headers(e.get("headers")), PublicOnly: e.PublicOnly,
		Vars: e.policy.allowsVars(e.hook.Source, e.addTexts([]string{}, e.get("allowedEnvVars"))),
		Getenv: func(name string) (string, bool) {
			value := environ.Getenv(e.Environ, name)
			return value, value != ""
		},
	}
	notes, err := r.Check()
	for _, note := range notes {
		e.Problem(e.get("headers").Wrong("%s", note))
	}
	if err != nil {
		return lo.ToPtr(e.get("url").Wrong("%v", err))
	}
	e.hook.Runner = r
	if !e.policy.allowsURL(e.hook.Source, url) {
		const why = "allowedHttpHookUrls has no pattern for this URL"
		e.hook.Skip, e.hook.SkipDetail, e.hook.Unusable = hook.Policy, why, why
	}
	return nil
}

func (e *entry) headers(v settings.Value) map[string]string {
	if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
		e.Problem(v.Want("an object whose members are headers"))
	}
	headers := map[string]string{}
	for name, value := range v.Members() {
		if text, ok := value.Text(); ok {
			headers[name] = text
		} else {
			e.Problem(value.Want("a string"))
		}
	}
	return headers
}

// buildTool reads a hook that is a tool of an MCP server (release 2.1.239).
func (e *entry) buildTool() *settings.Problem {
	server, wrong := e.needText("server", "memory")
	if wrong != nil {
		return wrong
	}
	tool, wrong := e.needText("tool", "check")
	if wrong != nil {
		return wrong
	}
	in := e.get("input")
	if in.Exists() && in.Kind() != '{' && in.Kind() != 'n' {
		return lo.ToPtr(in.Want("an object"))
	}
	var arguments wire.Object
	if in.Kind() == '{' {
		arguments = wire.Object(in.JSON())
	}
	e.hook.Command = server + "/" + tool
	e.setKey(server, tool, string(arguments))
	e.hook.Runner = &request.Tool{Caller: e.Tools, Server: server, Name: tool, Input: arguments}
	return nil
}

// buildJudge reads a hook that asks a model or runs an agent (C49). An agent's refusal never ends the turn.
func (e *entry) buildJudge() *settings.Problem {
	prompt, wrong := e.needText("prompt", "Is this safe? $ARGUMENTS")
	if wrong != nil {
		return wrong
	}
	gently, _ := e.Bool(e.get("continueOnBlock"))
	name := e.text("model")
	e.hook.Command = prompt
	e.setKey(prompt, name)
	asks := &judge.Judge{Model: e.Model, Name: name, Prompt: prompt}
	if e.kind == agents {
		asks.Model, asks.Agent, gently = nil, e.Agent, true
	}
	does := e.traits.verdict
	if does == nothing && e.traits.kinds&prompts == 0 && e.traits.exitTwoDenies {
		does = block // like a command that exits with status 2
	}
	canStop := e.traits.contextHold
	asks.Answer = func(v judge.Verdict) hook.Reply {
		if v.OK || v.Impossible && canStop {
			return hook.Reply{}
		}
		return does.reply(v.Reason, gently)
	}
	e.hook.Runner = asks
	return nil
}
