package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
)

// ModuleHelp explains where hooks that are modules run, and with which rights.
const ModuleHelp = `Modules of xcsh run inside snaphook, in engines of their own. They have no files or network, and only pi.exec, ` +
	`which runs any program. With --js node or bun they run in a process of Node.js or Bun, with the rights of the user. Without --module, the modules that xcsh would find are loaded, the project's own only if trust ` +
	`is granted or --trusted is given. Their console output goes to stderr; their log is shown with --verbose. ` +
	`xcsh-extension.tool_call follows the rules of the extension runtime.`

// Attached holds the modules of a session. It is nil if the session's dialect has no modules.
type Attached struct {
	*xcsh.Modules
	event   string
	Failed  []*xcsh.LoadError                    // modules that could not be loaded
	Kept    []*hook.Hook                         // modules found and not loaded: the project is not trusted
	why     string                               // why the project is not trusted
	Swapped bool                                 // the modules differ from those that trust was granted for
	Check   func(path string, text []byte) error // checks files of the project; nil accepts all
}

// wasTrusted returns an error for a file of the project that is not the same as when trust was looked up.
func (a *Attached) wasTrusted(path string, text []byte) error {
	if a.Check == nil {
		return nil
	}
	return a.Check(path, text)
}

// loadNamed loads modules by paths relative to the current directory, in the forms of xcsh:
// ~/gate.ts, @/tmp/gate.ts, file:///tmp/gate.ts.
func (a *Attached) loadNamed(ctx context.Context, files []string) error {
	wd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the current directory: %w", err)
	}
	home, err := environ.Home()
	if err != nil {
		home = "~" // without a home the path stays as it is
	}
	for _, file := range files {
		if err := wantModule(file, wd, home); err != nil {
			return fmt.Errorf("--module %s: %w", file, err)
		}
	}
	a.Failed = a.Load(ctx, files, wd)
	return nil
}

// loadFound loads the modules that discovery finds.
func (a *Attached) loadFound(ctx context.Context, src *Sources, trust *TrustFlags) error {
	place, err := discover.Here(src.Dir)
	if err != nil {
		return nil // the list of modules reports the error
	}
	if err := trust.KeepBack(ctx, src, a); err != nil {
		return err
	}
	registry := discover.Standard()
	if len(a.Kept) > 0 { // the project's modules do not replace the user's
		registry = registry.Without(func(item discover.Item) bool {
			return systems.IsProjects(xcsh.SourceOf(item.Source.Level))
		})
	}
	_, a.Failed = a.DiscoverAndLoad(ctx, xcsh.Discovery{Registry: registry, Place: place}, nil)
	return nil
}

// wantModule returns an error for a file that cannot be a module.
func wantModule(file, wd, home string) error {
	path := file
	if file != "" {
		path = discover.Resolve(file, wd, home)
	}
	if err := cli.WantFile(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("this is a directory; name a file in the directory")
	}
	if !IsModule(path) {
		return fmt.Errorf(
			"a module is a file of JavaScript or TypeScript, whose name ends in %s",
			strings.Join(modules.Extensions, ", "),
		)
	}
	return nil
}

// Warn reports modules that take no part in a fire, and misspelt event names. safe means that missing modules let no
// action pass.
func (a *Attached) Warn(cmd *cobra.Command, safe bool) {
	if a == nil {
		return
	}
	a.WarnKept(cmd)
	for _, err := range a.Failed {
		cli.Warn(cmd, "%v%s%s", err, WhereThrown(err), lo.Ternary(safe || err.Closed, "", "; the action that it guards goes ahead"))
	}
	for _, info := range a.Infos() {
		for _, name := range Unheard(info) { // a name that resembles no known event may be an event of another runtime
			if near := cli.DidYouMean("", name, ModuleEvents()); near != "" {
				cli.Warn(cmd, "%s: there is no event %q%s", info.Path, name, near)
			}
		}
	}
}

// WarnKept reports modules of the project that were not loaded, or that trust was granted for and that no longer exist.
func (a *Attached) WarnKept(cmd *cobra.Command) {
	switch n := len(a.Kept); {
	case n > 0:
		cli.Warn(
			cmd,
			"%s of this project did not run: %s; `snaphook trust` shows them, `snaphook trust grant` allows them",
			cli.Count(n, systems.ModuleType),
			a.why,
		)
	case a.Swapped:
		cli.Warn(cmd, "%s; the actions that they guard are blocked until `snaphook trust grant`", modulesGone)
	}
}

// modulesGone is the message that all modules for which trust was granted are missing.
const modulesGone = "the trusted modules of this project no longer exist"

// Conclude applies the dialect's rules to the result of a fire: an event without a result gets an empty result. At
// tool_call, a handler's error becomes a refusal with the text that the agent sees, and modules that were changed or
// removed since trust was granted refuse the call.
func (a *Attached) Conclude(fired *pipeline.JSONResult, err error) error {
	if a == nil || fired == nil {
		return err
	}
	result, _ := fired.Effects.(xcsh.ToolCallResult)
	if fired.Effects == nil {
		fired.Effects = struct{}{}
	}
	if a.event != xcsh.ToolCall.Name() {
		return err
	}
	failed := new(hook.Error)
	if errors.As(err, &failed) {
		err, fired.Effects = failed.Err, struct{}{} // the error replaces the answers of earlier handlers
	}
	refusal := a.Verdict(&result, err)
	if refusal == nil && a.Swapped && len(a.Kept) == 0 {
		refusal = errors.New(modulesGone)
	} else if refusal == nil && a.Swapped {
		refusal = fmt.Errorf("%s of this project did not run: %s", cli.Count(len(a.Kept), systems.ModuleType), a.why)
	}
	if refusal != nil {
		fired.Blocked, fired.Reason = true, lo.ToPtr(refusal.Error())
	}
	return nil
}

// End closes the modules, and warns if that fails.
func (a *Attached) End(cmd *cobra.Command) {
	if a == nil {
		return
	}
	if err := a.Close(); err != nil {
		cli.Warn(cmd, "%v", err)
	}
}

// Unheard returns the event names to which a module subscribes, but which xcsh does not have.
func Unheard(info xcsh.Info) []string {
	return lo.Reject(slices.Sorted(maps.Keys(info.Events)), func(name string, _ int) bool {
		_, known := xcsh.Lookup(name)
		return known
	})
}

// ModuleEvents returns the names of the events to which modules can subscribe.
func ModuleEvents() []string {
	return lo.Map(xcsh.Events(), func(e xcsh.Dynamic, _ int) string { return e.Name() })
}

// IsModule reports whether a file has the name of a module.
func IsModule(file string) bool { return (&modules.Loader{}).Match(file) }

// ModuleRuntime describes where a module runs.
type ModuleRuntime struct {
	Name string `json:"name"` // sandbox, node, bun
	Why  string `json:"why"`
}

// Text returns the name of the runtime, with the reason why it was chosen.
func (r *ModuleRuntime) Text() string {
	if r.Name == jsrun.Sandbox {
		return "the sandbox: " + cli.OneLine(r.Why)
	}
	return cli.OneLine(r.Name + ": " + r.Why)
}

// RuntimeOf returns the runtime of the module that has a handler; nil for hooks that are not handlers.
func (a *Attached) RuntimeOf(id pipeline.HookID) *ModuleRuntime {
	if a == nil || id.Type != systems.ModuleType || id.Command == nil {
		return nil
	}
	for _, info := range a.Infos() {
		if info.Path == *id.Command {
			return &ModuleRuntime{Name: info.Runtime, Why: info.RuntimeReason}
		}
	}
	return nil
}

// Files returns the modules that were found, including those that were not loaded.
func (a *Attached) Files() []string {
	loaded := lo.Map(a.Infos(), func(info xcsh.Info, _ int) string { return info.Resolved })
	failed := lo.Map(a.Failed, func(e *xcsh.LoadError, _ int) string { return e.Path })
	kept := lo.Map(a.Kept, func(h *hook.Hook, _ int) string { return h.Command })
	return lo.Uniq(slices.Concat(loaded, failed, kept))
}

// frame matches the position at the end of a line of a stack.
var frame = lazyregexp.New(`([^\s()]+):(\d+):(\d+)\)?$`)

// ThrownAt returns the position where an error was thrown, if its stack has one.
func ThrownAt(file string, thrown *jsrun.Error) hook.Position {
	first, _, _ := strings.Cut(thrown.Stack, "\n")
	m := frame.FindStringSubmatch(first)
	if m == nil {
		return hook.Position{File: file}
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	return hook.Position{File: filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1])), Line: line, Column: column}
}

// WhereThrown returns, in parentheses, the position of an error that was thrown while a module was
// loaded. Errors in a module's text name their position themselves.
func WhereThrown(failed *xcsh.LoadError) string {
	thrown := new(jsrun.Error)
	if !errors.As(failed, &thrown) {
		return ""
	}
	at := ThrownAt(failed.Path, thrown)
	if at.Line == 0 {
		return ""
	}
	return " (" + at.String() + ")"
}

// KeptDetail returns the reason why modules were not loaded.
func (a *Attached) KeptDetail() string {
	return a.why + "; the events of a module are not known until the module is loaded"
}

// Skipped returns the modules that were found and take no part in a plan.
func (a *Attached) Skipped() (all []NotRun) {
	if a == nil {
		return nil
	}
	for _, h := range a.Kept {
		all = append(all, NotRun{Describe(h), hook.Untrusted, a.KeptDetail(), Governed(h)})
	}
	for _, h := range a.Unloaded() {
		all = append(all, NotRun{Describe(h), h.Skip, h.SkipDetail, Governed(h)})
	}
	return all
}

// Unloaded returns, as hooks, the modules that could not be loaded.
func (a *Attached) Unloaded() (all []*hook.Hook) {
	for _, failed := range a.Failed {
		all = append(all, &hook.Hook{
			Identity: hook.Identity{
				ID:       systems.ModuleType + "/" + failed.Path,
				Dialect:  systems.Xcsh.Name,
				Type:     systems.ModuleType,
				Command:  failed.Path,
				Source:   failed.Source,
				Position: hook.Position{File: cli.ShortPath(failed.Path)},
			},
			Exclusion: hook.Exclusion{Skip: hook.Invalid, SkipDetail: failed.Err.Error()},
		})
	}
	return all
}

// For prepares the attached modules for an event.
func (a *Attached) For(event pipeline.Declared) *Attached {
	if a == nil {
		return nil
	}
	own := *a
	own.event = event.Info().Name
	return &own
}
