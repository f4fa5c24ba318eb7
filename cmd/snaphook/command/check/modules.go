package check

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
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

	Runtime project.ModuleRuntime `json:"runtime"`
}

// checkModules loads the modules of a dialect, and returns their problems. No handler runs.
func checkModules(
	cmd *cobra.Command, f *project.SessionFlags, src *project.Sources, found *Answer,
) ([]settings.Problem, error) {
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{src.Load}, Log: f.Log(cmd)})
	defer sys.Close()
	ses, err := sys.NewSession(cmd.Context(), pipeline.SessionConfig{Dir: src.Dir})
	if err != nil {
		return nil, err
	}
	a, err := f.OpenModules(cmd, src, ses, project.NewLookHost(cmd))
	if err != nil {
		return nil, err
	}
	defer a.End(cmd)
	addHandlers(found, ses.Hooks(), a)
	found.unloaded = append(found.unloaded, a.Unloaded()...)
	found.modulesExtended = src.Dialect.IsVariant()
	found.moduleFiles = append(found.moduleFiles, a.Files()...)
	problems := slices.Clone(ses.Problems())
	for _, failed := range a.Failed {
		problems = append(problems, mistakes(failed)...)
	}
	for _, info := range a.Infos() {
		problems = append(problems, addModule(found, info)...)
	}
	return problems, nil
}

// addHandlers lists the subscriptions of modules, and the modules that were not loaded for lack of trust.
func addHandlers(c *Answer, handlers []*hook.Hook, a *project.Attached) {
	for _, h := range handlers {
		c.Hooks = append(c.Hooks, CheckedHook{Event: h.Dialect + "." + h.Event, DescribedHook: project.Describe(h)})
		c.handlers = append(c.handlers, h)
	}
	for _, h := range a.Kept {
		c.handlers = append(c.handlers, h)
		line := CheckedHook{
			Event:         h.Dialect + "." + h.Event,
			DescribedHook: project.Describe(h),
			Why:           lo.ToPtr(hook.Untrusted),
			Detail:        lo.ToPtr(a.KeptDetail()),
		}
		c.Hooks = append(c.Hooks, line)
	}
}

// addModule lists a module, and returns a problem for each subscription to an event that is never
// fired.
func addModule(c *Answer, info xcsh.Info) (problems []settings.Problem) {
	file := cli.ShortPath(info.Resolved)
	c.Files = append(c.Files, file)
	c.Modules = append(
		c.Modules,
		checkedModule{
			File:      file,
			Source:    info.Source.String(),
			Events:    info.Events,
			Commands:  info.Commands,
			Renderers: cli.OrEmpty(info.Renderers),
			Others:    lo.Map(info.Others, func(r xcsh.Registration, _ int) string { return r.Kind + " " + r.Name }),
			Runtime:   project.ModuleRuntime{Name: info.Runtime, Why: info.RuntimeReason},
		},
	)
	for _, name := range project.Unheard(info) {
		problems = append(problems, settings.Problem{
			Position: hook.Position{File: file},
			Message: fmt.Sprintf(
				"nothing fires the event %q%s; `snaphook events xcsh` lists all events",
				name,
				cli.DidYouMean("", name, project.ModuleEvents()),
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
		where = ", and runs in " + m.Runtime.Text()
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
		at = project.ThrownAt(file, thrown)
	}
	if missing := new(jsrun.UnavailableError); errors.As(failed, &missing) {
		message = missing.Reason()
	}
	return []settings.Problem{{Position: at, Message: message}}
}
