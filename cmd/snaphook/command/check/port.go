package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/portable"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// portFlags holds the flags of port.
type portFlags struct {
	project.SourceFlags
	cli.JSONFlag
}

// NewPort returns the verb port.
func NewPort(global *cli.Global) *cobra.Command {
	f := &portFlags{SourceFlags: project.SourceFlags{Global: global}}
	names := strings.Join(lo.Map(systems.Portable(), func(s portable.System, _ int) string { return s.Name }), ", ")
	cmd := &cobra.Command{
		Use:   "port FROM TO",
		Short: "Print a project's hooks as the settings of another system",
		Long: "Reads the hooks that the project has for the system FROM, and prints them as settings of the system TO: " +
			"the file on standard output, and on standard error the parts of each hook that TO does not support in the same way: an event that TO does not have, " +
			"an answer that has another effect in TO, a condition, a time. Scripts stay as they are, and nothing is written.\n\n" +
			"FROM and TO are: " + names + ".\n\n" +
			"Exit status: 0 every hook can be written for TO; 1 a hook cannot be written for TO, or nothing can be printed.",
		Example: `# The hooks of Claude Code, for Cursor
snaphook port claude cursor > .cursor/hooks.json
# What would a guard lose in Codex?
snaphook port claude codex > /dev/null`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("port: want two systems, FROM and TO, and not %d; write two of: %s", len(args), names)
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return strings.Split(names, ", "), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.port(cmd, args[0], args[1]) },
	}
	f.AddJSON(cmd)
	return cmd
}

// ported is the answer of port.
type ported struct {
	From     string       `json:"from"`
	To       string       `json:"to"`
	File     string       `json:"file"` // where the system TO reads the settings, below the project or the home directory
	Settings string       `json:"settings"`
	Hooks    []portedHook `json:"hooks"`
}

// portedHook is one hook of FROM.
type portedHook struct {
	Event   string   `json:"event"`
	Hook    string   `json:"hook"`
	At      string   `json:"at"`
	ToEvent *string  `json:"to_event"` // null: the hook cannot be written for TO
	Matcher string   `json:"matcher"`
	Notes   []string `json:"notes"` // each note describes a difference between the hook in FROM and in TO
}

func (f *portFlags) port(cmd *cobra.Command, fromName, toName string) error {
	from, err := systems.PortableNamed(fromName)
	if err != nil {
		return fmt.Errorf("port: %w", err)
	}
	to, err := systems.PortableNamed(toName)
	switch {
	case err != nil:
		return fmt.Errorf("port: %w", err)
	case from.Name == to.Name:
		return fmt.Errorf("port: FROM and TO are both %s; name another system as TO", from.Name)
	}
	hooks, err := f.hooksOf(cmd, from)
	if err != nil {
		return err
	}
	dir, err := f.Directory()
	if err != nil {
		return err
	}
	p := ported{From: from.Name, To: to.Name, File: lo.Ternary(to.OfUser, "~/", "") + to.File, Hooks: []portedHook{}}
	var written []portable.Hook
	for _, h := range hooks {
		one := porting{from: from, to: to, h: h}
		one.texts, one.direct = lint.Texts(cmd.Context(), dir, h)
		there, ok := one.carry()
		if ok {
			written = append(written, there)
		} else {
			f.Status = cli.Failed
		}
		p.Hooks = append(p.Hooks, portedHook{
			Event: h.Event, Hook: h.Label(), At: cli.ShortPath(h.Position.String()), Notes: append([]string{}, one.notes...),
			ToEvent: lo.Ternary(ok, &there.Event, nil), Matcher: there.Matcher,
		})
	}
	p.Settings = string(to.Settings(written))
	if f.JSON {
		return cli.SayJSON(cmd, p)
	}
	for _, h := range p.Hooks {
		for _, note := range h.Notes {
			cli.Warn(cmd, "%s: %s", h.At, note)
		}
	}
	return cli.Write(cmd.OutOrStdout(), []byte(p.Settings))
}

// hooksOf returns the project's hooks for a system, or the user's if the system has no files in projects. It returns an
// error if a file cannot be read or no hook is found.
func (f *portFlags) hooksOf(cmd *cobra.Command, s *portable.System) ([]*hook.Hook, error) {
	d, err := systems.Named(s.Dialect)
	if err != nil {
		return nil, err
	}
	src, err := f.SourcesGiven(d, systems.Given{Profile: s.Profile})
	if err != nil {
		return nil, err
	}
	loaded, err := src.Load(cmd.Context(), pipeline.Workspace{Dir: src.Dir})
	if err != nil {
		return nil, fmt.Errorf("port: %w", err)
	}
	wanted := []hook.Source{hook.Project, hook.Local, hook.Plugin}
	if s.OfUser {
		wanted = []hook.Source{hook.User}
	}
	inProject := func(h *hook.Hook) bool {
		foreign := d.Borrows != nil && d.Borrows(settings.Layer{File: h.Position.File, Name: layerOfHook(src.Layers, h)})
		return slices.Contains(wanted, h.Source) && !foreign
	}
	hooks := lo.Filter(loaded.Hooks, func(h *hook.Hook, _ int) bool { return inProject(h) })
	for _, p := range loaded.Problems {
		lost := func(h *hook.Hook) bool { return h.Type == pipeline.LostGuard && h.Position.File == p.Position.File }
		if slices.ContainsFunc(hooks, lost) {
			return nil, fmt.Errorf("port: %w", p)
		}
		cli.Warn(cmd, "%s", p)
	}
	if len(hooks) == 0 {
		return nil, fmt.Errorf("port: the project has no hooks of %s; port looks for them in %s", s.Title, s.File)
	}
	return hooks, nil
}

// layerOfHook returns the name of the layer whose file has the hook.
func layerOfHook(layers []settings.Layer, h *hook.Hook) string {
	l, _ := lo.Find(layers, func(l settings.Layer) bool { return l.File == h.Position.File })
	return l.Name
}

// porting is the conversion of one hook.
type porting struct {
	from, to *portable.System
	h        *hook.Hook
	texts    []string // texts of the command and its scripts; nil: unknown
	direct   bool     // the entry names a program and its arguments, and no line for a shell
	notes    []string
}

func (p *porting) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// carry returns the hook in the form of the other system; ok is false if that system cannot have the hook.
func (p *porting) carry() (there portable.Hook, ok bool) {
	h := p.h
	name, known := p.from.Event(h.Event)
	event := p.to.Events[name]
	switch {
	case h.Skip == hook.Invalid || h.Type == pipeline.LostGuard:
		p.note("the hook is left out: its entry cannot be used in %s", p.from.Title)
		return there, false
	case !known || event == "":
		p.note("the hook is left out: %s has no event like %s", p.to.Title, h.Event)
		return there, false
	case h.Type != "command":
		p.note("the hook is left out: its type is %s, and port writes only commands", h.Type)
		return there, false
	}
	if h.Skip == hook.Disabled {
		p.note("the hook is switched off in %s; in the printed settings it runs", p.from.Title)
	}
	there = portable.Hook{Event: event, Command: p.command()}
	there.Matcher = p.matcher(name, event)
	there.Timeout = p.timeout()
	there.Closed = p.closed(name)
	p.rest(name, there.Closed)
	return there, true
}

// command returns the command with the project's directory in a variable that the other system sets.
func (p *porting) command() string {
	h := p.h
	text := h.Command
	if p.direct {
		text = strings.Join(lo.Map(h.Argv, func(arg string, _ int) string { return quoted(arg) }), " ")
		p.note("the command is started without a shell in %s; in the printed settings it is a shell command", p.from.Title)
	}
	instead := "."
	if len(p.to.Vars) > 0 {
		instead = "$" + p.to.Vars[0]
	}
	for _, name := range p.from.Vars {
		if !slices.Contains(p.to.Vars, name) && (strings.Contains(text, "$"+name) || strings.Contains(text, "${"+name+"}")) {
			text = strings.NewReplacer("${"+name+"}", instead, "$"+name, instead).Replace(text)
			if instead == "." {
				p.note("%s sets no variable for the project's directory: the command depends on its working directory", p.to.Title)
			}
		}
	}
	for _, entry := range slices.Backward(h.Vars) {
		name, value, _ := strings.Cut(entry, "=")
		text = "export " + name + "=" + quoted(value) + "; " + text
	}
	return text
}

func (p *porting) matcher(name, event string) string {
	pattern := p.h.Pattern
	if pattern == "" || pattern == "*" {
		return ""
	}
	if slices.Contains(p.to.Unmatched, event) {
		p.note("the matcher %s is left out: %s has no matchers at %s, therefore the hook runs each time", pattern, p.to.Title, event)
		return ""
	}
	if !strings.Contains(name, "ToolUse") && name != "PermissionRequest" {
		p.note("the matcher %s stays as it is: check that %s has these names at %s", pattern, p.to.Title, event)
		return pattern
	}
	matcher, note := portable.Matcher(p.from, p.to, pattern)
	if note != "" {
		p.note("%s", note)
	}
	return matcher
}

// timeout returns the timeout to write; 0 to write none.
func (p *porting) timeout() time.Duration {
	set := p.h.Timeout
	if set <= 0 {
		if set = p.from.Default; p.to.Default >= set {
			return 0
		}
		p.note("the default timeout is %v in %s and %v in %s: the timeout is written out", set, p.from.Title, p.to.Default, p.to.Title)
	}
	fits := p.to.Fit(set)
	switch {
	case fits != set:
		p.note("a timeout of %v becomes %v, the nearest that %s allows", set, fits, p.to.Title)
	case p.from.Unit != p.to.Unit && p.h.Timeout > 0:
		p.note("a timeout of %s is written as %s in %s, whose unit is %v", p.from.Time(set), p.to.Time(fits), p.to.Title, p.to.Unit)
	}
	return fits
}

// closed reports whether the entry for the other system has to say that a failure blocks. It adds a note if a failure
// blocks in one system and not in the other.
func (p *porting) closed(name string) bool {
	blocks := p.h.FailClosed || p.from.Closed && name == "PreToolUse"
	there := p.to.Closed && name == "PreToolUse"
	switch {
	case blocks && !there && p.to.Closing == "":
		p.note("a failure of the hook blocks in %s, and not in %s; under snaphook an overlay with onFailure closed blocks there too", p.from.Title, p.to.Title)
	case !blocks && there:
		p.note("a failure of the hook blocks in %s, and not in %s", p.to.Title, p.from.Title)
	}
	return blocks && !there
}

// rest adds notes about the parts of an entry that the other system does not have, and about answers that the other
// system reads differently. closed is true if the entry written for the other system says that a failure blocks.
func (p *porting) rest(name string, closed bool) {
	if p.h.If != "" {
		p.note("the condition %s is left out: the hook runs for every call that its matcher selects", p.h.If)
	}
	if p.h.Background != hook.Foreground {
		p.note("the hook runs in the background in %s; %s waits for it", p.from.Title, p.to.Title)
	}
	if p.h.Once {
		p.note("the hook runs once in a session in %s; in %s each time", p.from.Title, p.to.Title)
	}
	was, now := portable.Side{System: p.from, Closed: p.h.FailClosed}, portable.Side{System: p.to, Closed: closed}
	for _, d := range portable.Differences(was, now, name, p.texts) {
		p.note("an answer: %s %s in %s, and %s in %s", d.Answer.Says, d.Was, p.from.Title, d.Now, p.to.Title)
	}
	p.words()
}

// words adds a note for each member in scripts that the other system lacks or names differently, and for each tool that
// it names differently.
func (p *porting) words() {
	members := lo.Uniq(append(lo.Keys(p.to.Members), lo.Keys(p.from.Members)...))
	slices.Sort(members)
	for _, member := range members {
		was, now := lo.ValueOr(p.from.Members, member, member), lo.ValueOr(p.to.Members, member, member)
		if was != now && was != "" && slices.ContainsFunc(p.texts, func(text string) bool { return strings.Contains(text, was) }) {
			p.note("the script of the hook reads the member %s of the input, which %s in %s", was, lo.Ternary(now == "", "does not exist", "is "+now), p.to.Title)
		}
	}
	tools := lo.Uniq(append(lo.Keys(p.to.Tools), lo.Keys(p.from.Tools)...))
	slices.Sort(tools)
	for _, tool := range tools {
		was := lo.CoalesceOrEmpty(p.from.Tools[tool], tool)
		now := lo.CoalesceOrEmpty(p.to.Tools[tool], tool)
		named := slices.ContainsFunc(p.texts, func(text string) bool {
			return strings.Contains(text, `"`+was+`"`) || strings.Contains(text, `'`+was+`'`)
		})
		if was != now && named {
			p.note("the script of the hook names the tool %s, which is %s in %s", was, now, p.to.Title)
		}
	}
}

// quoted writes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
