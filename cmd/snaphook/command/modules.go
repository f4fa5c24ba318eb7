package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
)

// moduleHelp explains where hooks that are modules run, and with which rights.
const moduleHelp = `Modules of xcsh run inside snaphook, in engines of their own, and have no files, network or processes but pi.exec, ` +
	`which runs what they ask for; with --js node or bun they run in a process of it, with all that the user has. Without --module, those that xcsh would find are loaded, the project's own only if trust ` +
	`is granted or --trusted says so. What they write to the console is on stderr, what they log with --verbose. ` +
	`xcsh-extension.tool_call follows the rules of the extension runtime.`

// addModules adds the flag that names modules.
func (f *sourceFlags) addModules(to *pflag.FlagSet) {
	to.StringArrayVar(
		&f.modules,
		"module",
		nil,
		"Load the module (xcsh) in `FILE`, JavaScript or TypeScript, in place of those found; "+
			"repeatable, and loaded in this order: --module gate.ts",
	)
	f.addJS(to)
}

// addJS adds the flag that selects where modules run.
func (f *sourceFlags) addJS(to *pflag.FlagSet) {
	f.js = jsrun.Sandbox
	to.Var((*runtimeFlag)(&f.js), "js", "Where modules (xcsh) run: sandbox, node, bun, which have files, network and "+
		"packages, or auto, which takes them for modules that need them: --js auto")
}

// runtimeFlag is one of [jsrun.Runtimes].
type runtimeFlag string

func (r *runtimeFlag) String() string { return string(*r) }
func (r *runtimeFlag) Type() string   { return "RUNTIME" }

// Set implements [pflag.Value].
func (r *runtimeFlag) Set(text string) error {
	if !slices.Contains(jsrun.Runtimes, text) {
		return fmt.Errorf("there is no runtime %q; write one of %s", text, strings.Join(jsrun.Runtimes, ", "))
	}
	*r = runtimeFlag(text)
	return nil
}

// attached holds the modules of a session. Nil: its dialect has none.
type attached struct {
	*xcsh.Modules
	event   string
	failed  []*xcsh.LoadError                    // found modules that could not be loaded
	kept    []*hook.Hook                         // found modules that were not loaded: the project is not trusted
	why     string                               // why the project is not trusted
	swapped bool                                 // trust was granted for other files than those in kept
	check   func(path string, text []byte) error // checks files of the project; nil accepts all
}

// wasTrusted returns an error for a file of the project that differs from the one for which trust
// was looked up.
func (a *attached) wasTrusted(path string, text []byte) error {
	if a.check == nil {
		return nil
	}
	return a.check(path, text)
}

// attach loads the modules of a session, if its dialect has any. A named module that cannot be
// loaded is an error: it may be a guard. The caller has to close the result.
func (f *sessionFlags) attach(
	cmd *cobra.Command,
	ev pipeline.Declared,
	ses *pipeline.Session,
	host *cliHost,
) (*attached, error) {
	d, err := dialectNamed(ev.Info().Dialect)
	if err != nil || !d.modules {
		return nil, err
	}
	src, err := f.sources(d)
	if err != nil {
		return nil, err
	}
	a, err := f.openModules(cmd, src, ses, host)
	if err != nil {
		return nil, err
	}
	if len(f.modules) > 0 && len(a.failed) > 0 {
		a.close(cmd)
		return nil, errors.Join(
			lo.Map(
				a.failed,
				func(e *xcsh.LoadError, _ int) error { return fmt.Errorf("--module %w%s", e, whereThrown(e)) },
			)...)
	}
	a.event = ev.Info().Name
	return a, nil
}

// openModules loads the modules that are named, or else found.
func (f *sessionFlags) openModules(
	cmd *cobra.Command,
	src *dialectSources,
	ses *pipeline.Session,
	host *cliHost,
) (a *attached, err error) {
	a, host.js = &attached{}, f.js
	a.Modules = xcsh.New(ses, xcsh.Config{
		Extensions: src.dialect.isVariant(),
		Loaders:    []xcsh.ModuleLoader{host.loader(ses.Dir(), a.wasTrusted)},
		Session:    sessionView{ses: ses, transcript: f.transcript},
		Log:        f.log(cmd),
	})
	a.Initialize(host.host())
	if len(f.modules) > 0 {
		err = a.loadNamed(cmd.Context(), f.modules)
	} else {
		err = f.loadFound(cmd.Context(), src, a)
	}
	if err != nil {
		a.close(cmd)
		return nil, err
	}
	return a, nil
}

// loadNamed loads modules by paths relative to the current directory, in the forms of xcsh:
// ~/gate.ts, @/tmp/gate.ts, file:///tmp/gate.ts.
func (a *attached) loadNamed(ctx context.Context, files []string) error {
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
	a.failed = a.Load(ctx, files, wd)
	return nil
}

// wantModule returns an error for a name that cannot be a module's.
func wantModule(file, wd, home string) error {
	path := file
	if file != "" {
		path = discover.Resolve(file, wd, home)
	}
	if err := cli.WantFile(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("this is a directory; name a file in it")
	}
	if !isModule(path) {
		return fmt.Errorf(
			"a module is a file of JavaScript or TypeScript, whose name ends in %s",
			strings.Join(modules.Extensions, ", "),
		)
	}
	return nil
}

// warn reports modules that take no part in a fire. safe is true if nothing goes ahead because of
// that.
func (a *attached) warn(cmd *cobra.Command, safe bool) {
	if a == nil {
		return
	}
	a.warnKept(cmd)
	for _, err := range a.failed {
		cli.Warn(cmd, "%v%s%s", err, whereThrown(err), lo.Ternary(safe || err.Closed, "", "; the action that it guards goes ahead"))
	}
	for _, info := range a.Infos() {
		for _, name := range unheard(info) { // other names are for runtimes with more events
			if near := cli.DidYouMean("", name, eventNames()); near != "" {
				cli.Warn(cmd, "%s: there is no event %q%s", info.Path, name, near)
			}
		}
	}
}

// warnKept reports modules of the project that were not loaded.
func (a *attached) warnKept(cmd *cobra.Command) {
	switch n := len(a.kept); {
	case n > 0:
		cli.Warn(
			cmd,
			"%s of this project did not run: %s; `snaphook trust` shows them, `snaphook trust grant` allows them",
			cli.Count(n, moduleType),
			a.why,
		)
	case a.swapped:
		cli.Warn(cmd, "%s; the actions that they guard are blocked until `snaphook trust grant`", modulesGone)
	}
}

// modulesGone is the message that none of the modules exists for which trust was granted.
const modulesGone = "the trusted modules of this project no longer exist"

// conclude applies the dialect's rules to the result of a fire: a handler's error is a refusal with
// the text that the agent sees, and an event without a result has an empty one.
func (a *attached) conclude(fired *pipeline.JSONResult, err error) error {
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
		err, fired.Effects = failed.Err, struct{}{} // the earlier answers are lost
	}
	refusal := a.Verdict(&result, err)
	if refusal == nil && a.swapped && len(a.kept) == 0 {
		refusal = errors.New(modulesGone)
	} else if refusal == nil && a.swapped {
		refusal = fmt.Errorf("%s of this project did not run: %s", cli.Count(len(a.kept), moduleType), a.why)
	}
	if refusal != nil {
		fired.Blocked, fired.Reason = true, lo.ToPtr(refusal.Error())
	}
	return nil
}

// close ends the modules.
func (a *attached) close(cmd *cobra.Command) {
	if a == nil {
		return
	}
	if err := a.Close(); err != nil {
		cli.Warn(cmd, "%v", err)
	}
}

// unheard returns the names to which a module subscribes and which nothing fires.
func unheard(info xcsh.Info) []string {
	return lo.Reject(slices.Sorted(maps.Keys(info.Events)), func(name string, _ int) bool {
		_, known := xcsh.Lookup(name)
		return known
	})
}

func eventNames() []string {
	return lo.Map(xcsh.Events(), func(e xcsh.Dynamic, _ int) string { return e.Name() })
}

// isModule reports whether a file is a module, by its name.
func isModule(file string) bool { return (&modules.Loader{}).Match(file) }
