package command

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// checkedModule lists the registrations of a module.
type checkedModule struct {
	File      string         `json:"file"`
	Source    string         `json:"source"`
	Events    map[string]int `json:"events"` // number of handlers, by event
	Commands  []string       `json:"commands"`
	Renderers []string       `json:"renderers"`        // types of messages
	Others    []string       `json:"others,omitempty"` // such as "tool greet": registrations other than hooks, for a host

	Runtime moduleRuntime `json:"runtime"`
}

// moduleRuntime describes where a module runs.
type moduleRuntime struct {
	Name string `json:"name"` // sandbox, node, bun
	Why  string `json:"why"`
}

func (r *moduleRuntime) text() string {
	if r.Name == jsrun.Sandbox {
		return "the sandbox: " + cli.OneLine(r.Why)
	}
	return cli.OneLine(r.Name + ": " + r.Why)
}

// runtime returns where the module of a handler runs; nil for other hooks.
func (a *attached) runtime(id pipeline.HookID) *moduleRuntime {
	if a == nil || id.Type != moduleType || id.Command == nil {
		return nil
	}
	for _, info := range a.Infos() {
		if info.Path == *id.Command {
			return &moduleRuntime{Name: info.Runtime, Why: info.RuntimeReason}
		}
	}
	return nil
}

// checkModules loads the modules of a dialect, and returns their problems. No handler runs.
func checkModules(
	cmd *cobra.Command, f *sessionFlags, src *dialectSources, found *checkAnswer,
) ([]settings.Problem, error) {
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{src.load}, Log: f.log(cmd)})
	defer sys.Close()
	ses, err := sys.NewSession(cmd.Context(), pipeline.SessionConfig{Dir: src.dir})
	if err != nil {
		return nil, err
	}
	a, err := f.openModules(cmd, src, ses, newLookHost(cmd))
	if err != nil {
		return nil, err
	}
	defer a.close(cmd)
	found.addHandlers(ses.Hooks(), a)
	found.unloaded = append(found.unloaded, a.unloaded()...)
	found.modulesExtended = src.dialect.isVariant()
	found.moduleFiles = append(found.moduleFiles, a.files()...)
	problems := slices.Clone(ses.Problems())
	for _, failed := range a.failed {
		problems = append(problems, mistakes(failed)...)
	}
	for _, info := range a.Infos() {
		problems = append(problems, found.addModule(info)...)
	}
	return problems, nil
}

// files returns the modules that were found, including those that were not loaded.
func (a *attached) files() []string {
	loaded := lo.Map(a.Infos(), func(info xcsh.Info, _ int) string { return info.Resolved })
	failed := lo.Map(a.failed, func(e *xcsh.LoadError, _ int) string { return e.Path })
	kept := lo.Map(a.kept, func(h *hook.Hook, _ int) string { return h.Command })
	return lo.Uniq(slices.Concat(loaded, failed, kept))
}

// addHandlers lists the subscriptions of modules, and the modules that could not be loaded.
func (c *checkAnswer) addHandlers(handlers []*hook.Hook, a *attached) {
	for _, h := range handlers {
		c.Hooks = append(c.Hooks, checkedHook{Event: h.Dialect + "." + h.Event, describedHook: describe(h)})
		c.handlers = append(c.handlers, h)
	}
	for _, h := range a.kept {
		c.handlers = append(c.handlers, h)
		line := checkedHook{
			Event:         h.Dialect + "." + h.Event,
			describedHook: describe(h),
			Why:           lo.ToPtr(hook.Untrusted),
			Detail:        lo.ToPtr(a.keptDetail()),
		}
		c.Hooks = append(c.Hooks, line)
	}
}

// addModule lists a module, and returns a problem for each subscription to an event that is never
// fired.
func (c *checkAnswer) addModule(info xcsh.Info) (problems []settings.Problem) {
	file := cli.ShortPath(info.Resolved)
	c.Files = append(c.Files, file)
	c.Modules = append(
		c.Modules,
		checkedModule{
			File:      file,
			Source:    info.Source.String(),
			Events:    info.Events,
			Commands:  info.Commands,
			Renderers: orEmpty(info.Renderers),
			Others:    lo.Map(info.Others, func(r xcsh.Registration, _ int) string { return r.Kind + " " + r.Name }),
			Runtime:   moduleRuntime{Name: info.Runtime, Why: info.RuntimeReason},
		},
	)
	for _, name := range unheard(info) {
		problems = append(problems, settings.Problem{
			Position: hook.Position{File: file},
			Message: fmt.Sprintf(
				"nothing fires the event %q%s; `snaphook events xcsh` lists all events",
				name,
				cli.DidYouMean("", name, eventNames()),
			),
		})
	}
	return problems
}

// text returns a module's line for people.
func (m checkedModule) text() string {
	var parts []string
	for _, event := range slices.Sorted(maps.Keys(m.Events)) {
		parts = append(parts, event+lo.Ternary(m.Events[event] > 1, " ×"+strconv.Itoa(m.Events[event]), ""))
	}
	parts = append(parts, lo.Map(m.Commands, func(name string, _ int) string { return "/" + name })...)
	parts = append(parts, lo.Map(m.Renderers, func(name string, _ int) string { return "renderer of " + name })...)
	parts = append(parts, lo.Map(m.Others, func(other string, _ int) string { return other + " (only its host can use it)" })...)
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	where := ""
	if m.Runtime.Name != jsrun.Sandbox {
		where = ", and runs in " + m.Runtime.text()
	}
	return fmt.Sprintf("%s: registers %s%s\n", cli.OneLine(filepath.ToSlash(m.File)), cli.OneLine(strings.Join(parts, ", ")), where)
}

// mistakes returns the problems, with their places, that keep a module from loading.
func mistakes(failed *xcsh.LoadError) []settings.Problem {
	file := cli.ShortPath(failed.Path)
	var text *jsrun.BuildError
	if errors.As(failed, &text) {
		return lo.Map(text.Mistakes, func(m jsrun.Mistake, _ int) settings.Problem {
			if m.File == "" {
				return settings.Problem{Position: hook.Position{File: file}, Message: m.Message}
			}
			at := filepath.Join(filepath.Dir(file), filepath.FromSlash(m.File))
			return settings.Problem{
				Position: hook.Position{File: at, Line: m.Line, Column: m.Column},
				Message:  m.Message,
			}
		})
	}
	at, message := hook.Position{File: file}, failed.Err.Error()
	if thrown := new(jsrun.Error); errors.As(failed, &thrown) {
		at = thrownAt(file, thrown)
	}
	if missing := new(jsrun.UnavailableError); errors.As(failed, &missing) {
		message = missing.Reason()
	}
	return []settings.Problem{{Position: at, Message: message}}
}

// frame matches the position at the end of a line of a stack.
var frame = regexp.MustCompile(`([^\s()]+):(\d+):(\d+)\)?$`)

// thrownAt returns the position where an error was thrown, if its stack has one.
func thrownAt(file string, thrown *jsrun.Error) hook.Position {
	first, _, _ := strings.Cut(thrown.Stack, "\n")
	m := frame.FindStringSubmatch(first)
	if m == nil {
		return hook.Position{File: file}
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	return hook.Position{File: filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1])), Line: line, Column: column}
}

// whereThrown returns, in parentheses, the position of an error that was thrown while a module was
// loaded. Errors in a module's text name their position themselves.
func whereThrown(failed *xcsh.LoadError) string {
	thrown := new(jsrun.Error)
	if !errors.As(failed, &thrown) {
		return ""
	}
	at := thrownAt(failed.Path, thrown)
	if at.Line == 0 {
		return ""
	}
	return " (" + at.String() + ")"
}

// keptDetail returns why modules were not loaded.
func (a *attached) keptDetail() string {
	return a.why + "; its events are known once it is loaded"
}

// skipped returns the modules that were found and take no part in a plan.
func (a *attached) skipped() (all []notRun) {
	if a == nil {
		return nil
	}
	for _, h := range a.kept {
		all = append(all, notRun{describe(h), hook.Untrusted, a.keptDetail(), governed(h)})
	}
	for _, h := range a.unloaded() {
		all = append(all, notRun{describe(h), h.Skip, h.SkipDetail, governed(h)})
	}
	return all
}

// unloaded returns, as hooks, the modules that could not be loaded.
func (a *attached) unloaded() (all []*hook.Hook) {
	for _, failed := range a.failed {
		all = append(all, &hook.Hook{
			Identity: hook.Identity{
				ID:       moduleType + "/" + failed.Path,
				Dialect:  xcshRow.Name,
				Type:     moduleType,
				Command:  failed.Path,
				Source:   failed.Source,
				Position: hook.Position{File: cli.ShortPath(failed.Path)},
			},
			Exclusion: hook.Exclusion{Skip: hook.Invalid, SkipDetail: failed.Err.Error()},
		})
	}
	return all
}
