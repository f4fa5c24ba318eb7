package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Answer is the answer of check.
type Answer struct {
	Files    []string      `json:"files"` // files that were read, dialect by dialect, and overlays after them
	Hooks    []CheckedHook `json:"hooks"`
	Problems []problem     `json:"problems"`
	Findings []finding     `json:"findings"`
	Fixed    []finding     `json:"fixed,omitempty"` // fixed by --fix, and no longer in Findings
	Diff     *string       `json:"diff,omitzero"`   // the changes that --fix would make; set with --diff

	Modules []checkedModule `json:"modules,omitempty"` // modules with their registrations

	LookedAt   []string           `json:"looked_at,omitempty"`   // files looked for; set if there is no hook
	NearMisses []project.NearMiss `json:"near_misses,omitempty"` // files that are not read

	undecided bool // trust in the project is denied or undecided: its overlay applies only to its own hooks

	notes    bool           // the output for people includes notes
	loaded   []*hook.Hook   // the hooks that Hooks lists, in the same order, without hooks of modules
	handlers []*hook.Hook   // the loaded hooks of modules
	unloaded []*hook.Hook   // modules that could not be loaded; Problems has them too
	linted   []lint.Finding // Findings in the form of package lint

	settingsFiles   []string // settings files that were read, without modules
	modulesExtended bool     // Modules run in the extension runtime
	moduleFiles     []string // files of Modules, and of modules that could not be loaded
}

// CheckedHook is a configured hook; Why and Detail are null if it can run.
type CheckedHook struct {
	Event string `json:"event"`
	project.DescribedHook
	Why    *hook.SkipReason   `json:"why"`
	Detail *string            `json:"detail"`
	Policy *project.Effective `json:"policy"`
}

// problem is a [settings.Problem] in the form for programs.
type problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Fatal   bool   `json:"fatal"`
}

func (c *Answer) add(loaded pipeline.Loaded) {
	c.Files, c.settingsFiles = append(c.Files, loaded.Files...), append(c.settingsFiles, loaded.Files...)
	for _, h := range loaded.Hooks {
		line := CheckedHook{
			Event:         h.Dialect + "." + h.Event,
			DescribedHook: project.Describe(h),
			Why:           lo.EmptyableToPtr(h.Skip),
			Detail:        lo.EmptyableToPtr(h.SkipDetail),
		}
		if h.Skip == "" && !project.Runnable(h) {
			line.Why, line.Detail = lo.ToPtr(hook.UnsupportedType), lo.ToPtr(project.Unsupported(h))
		}
		c.Hooks = append(c.Hooks, line)
		c.loaded = append(c.loaded, h)
	}
}

// exclude sets, for the hooks from index first on, the reasons why they do not run under the present
// trust in the project. Findings assume that the project is trusted.
func (c *Answer) exclude(first int, seen pipeline.Loaded) {
	now := lo.KeyBy(seen.Hooks, func(h *hook.Hook) string { return h.Dialect + "/" + h.Event + "/" + h.ID })
	for i := first; i < len(c.Hooks); i++ {
		h := c.loaded[i]
		if is := now[h.Dialect+"/"+h.Event+"/"+h.ID]; is != nil && is.Skip != h.Skip {
			c.Hooks[i].Why, c.Hooks[i].Detail = lo.EmptyableToPtr(is.Skip), lo.EmptyableToPtr(is.SkipDetail)
		}
	}
}

func (c *Answer) addProblems(problems []settings.Problem) {
	for _, p := range problems {
		at := p.Position
		c.Problems = append(c.Problems, problem{at.File, at.Line, at.Column, p.Path, p.Message, p.Fatal})
	}
}

// shown returns the findings that the text of check shows.
func (c Answer) shown() []lint.Finding {
	return lo.Filter(c.linted, func(g lint.Finding, _ int) bool { return g.Severity != isNote || c.notes })
}

func (c Answer) text(problems []settings.Problem) string {
	var b strings.Builder
	for _, file := range c.Files {
		fmt.Fprintf(&b, "%s: read\n", cli.Strong.Render(cli.OneLine(filepath.ToSlash(file))))
	}
	if len(c.Files)+len(c.Hooks)+len(c.moduleFiles) == 0 && project.Unreadable(problems) == nil {
		b.WriteString("no settings file was read\n")
	}
	if len(c.LookedAt) > 0 {
		b.WriteString(project.LookedAtText(c.LookedAt))
	}
	for _, miss := range c.NearMisses {
		fmt.Fprintf(&b, "%s\n", cli.Odd.Render(cli.Visible(filepath.ToSlash(miss.File)+": "+miss.Message)))
	}
	for _, m := range c.Modules {
		b.WriteString(m.text())
	}
	for _, h := range c.Hooks {
		fmt.Fprintf(
			&b,
			"%s: %s  %s%s\n",
			cli.OneLine(cli.ShortPath(lo.FromPtrOr(h.File, h.Source))),
			h.Event,
			project.Label(h.HookID),
			h.notRun(),
		)
		b.WriteString(h.Policy.Text(4))
	}
	for _, g := range c.Fixed {
		fmt.Fprintln(&b, cli.Good.Render(cli.Visible(g.fixed())))
	}
	for _, g := range c.Findings {
		if g.counts() || c.notes {
			b.WriteString(g.Text())
		}
	}
	for _, p := range problems {
		fmt.Fprintln(&b, cli.Bad.Render(cli.Visible(p.String())))
	}
	b.WriteString(cli.Count(len(c.Hooks), "hook"))
	if len(problems) > 0 || !slices.ContainsFunc(c.Findings, finding.counts) { // "0 problems, 1 error" would contradict itself
		b.WriteString(", " + cli.Count(len(problems), "problem"))
	}
	b.WriteString(c.counted() + "\n")
	return b.String()
}

// counted returns the numbers of errors and of warnings, for the end of a line; it returns the empty text if there is
// neither.
func (c Answer) counted() string {
	var parts []string
	for _, s := range []severity{IsError, isWarning} {
		n := 0
		for _, g := range c.Findings {
			if g.Severity == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, cli.Count(n, string(s)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}

// notRun returns the reason why a hook cannot run at all; empty if it can.
func (h CheckedHook) notRun() string {
	if h.Why == nil {
		return ""
	}
	return cli.Odd.Render("  does not run: " + cli.OneLine(cli.SkipText(string(*h.Why), lo.FromPtr(h.Detail))))
}
