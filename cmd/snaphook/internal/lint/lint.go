// Package lint finds mistakes in configured hooks: matchers that match nothing, scripts that cannot
// start, exit statuses that do not block.
//
// It runs nothing. Settings and scripts are untrusted text: it skips texts that are too long or nested too deep. A rule
// reports a mistake only if it is certain: there is no finding for a mistake that only a run could show.
package lint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/portable"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Severity ranks findings.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the hook does not serve its purpose
	Warning Severity = "warning" // the hook does not serve its purpose in some cases, or on other machines
	Note    Severity = "note"    // for information; it does not change the exit status of check
)

// Finding is a mistake in settings or in a script.
type Finding struct {
	ID       string
	Severity Severity
	Position hook.Position
	Message  string
	Fix      string // the remedy

	missing string          // the missing program: hooks that start the same program share a finding
	edit    fileEdit        // fixes the mistake; nil if only a person can
	around  []hook.Position // positions of the hook and of the group that the finding concerns
}

// Fixable reports whether [Apply] can fix the mistake.
func (f Finding) Fixable() bool { return f.edit != nil }

// Options name the hooks and files to check.
type Options struct {
	Dir   string       // the project's directory, absolute: where hooks run
	Hooks []*hook.Hook // as loaded
	Files []string     // settings files, with or without hooks; named as in positions
	Tools Tools        // known tools in addition to the dialects' own

	Modules         []string // files in JavaScript and TypeScript whose handlers run in the host
	ModulesExtended bool     // the modules run in the extension runtime of xcsh

	Systems []portable.System // systems that may run the same hooks: an answer may have another effect in each

	Path string    // PATH for finding programs; empty means the process's PATH
	More []Finding // findings of other checks, which comments can ignore as well
}

// Check returns the findings of all rules, by file and position, except findings that a comment in the settings or
// in the script ignores. It reads the settings files of the hooks again, and their scripts. When ctx ends, it returns
// the findings so far.
func Check(ctx context.Context, o Options) []Finding {
	if o.Path == "" {
		o.Path = os.Getenv("PATH")
	}
	l := newLinter(ctx, o)
	for _, h := range o.Hooks {
		if ctx.Err() != nil {
			break
		}
		if looked(h) {
			l.views = append(l.views, newView(l, h))
		}
	}
	for _, v := range l.views {
		l.hook(v)
	}
	for _, file := range o.Modules {
		if ctx.Err() != nil {
			break
		}
		checkModule(l, file)
	}
	conflicts(l)
	for _, f := range o.More {
		l.document(f.Position.File)
		l.add(f)
	}
	for _, file := range o.Files {
		l.document(file)
	}
	for _, name := range slices.Sorted(keys(l.documents)) {
		secrets(l, l.documents[name])
	}
	unknownIgnores(l)
	return l.kept()
}

// linter is one run of Check.
type linter struct {
	Options
	ctx       context.Context
	events    map[string]pipeline.Info
	documents map[string]*settingsDocument // by the file's name
	scripts   map[string]*hookScript       // scripts by path; nil if the file is not a script
	programs  map[string]bool              // whether PATH has a program, by its name
	views     []*hookView
	found     []Finding
	at        map[string]int // index in found, by the key that identifies equal findings

	lostAnswers map[string]bool // answers that answer-elsewhere has reported
}

func newLinter(ctx context.Context, o Options) *linter {
	l := &linter{
		ctx: ctx, Options: o, events: map[string]pipeline.Info{}, at: map[string]int{},
		documents: map[string]*settingsDocument{}, scripts: map[string]*hookScript{}, programs: map[string]bool{},
		lostAnswers: map[string]bool{},
	}
	for _, declared := range pipeline.Events(nil) {
		l.events[declared.Info().FullName()] = declared.Info()
	}
	return l
}

// hook runs the rules on one hook. A rule may compare the hook with other hooks, because the views of all hooks are
// complete.
func (l *linter) hook(v *hookView) {
	for _, r := range rules {
		if r.look != nil && l.ctx.Err() == nil {
			r.look(v)
		}
	}
}

// document reads a settings file once. A file that cannot be read, or is not JSON, is treated as
// empty: the loader has reported it.
func (l *linter) document(file string) *settingsDocument {
	if d := l.documents[file]; d != nil {
		return d
	}
	d := &settingsDocument{file: file, places: map[hook.Position]entryPlace{}}
	l.documents[file] = d
	text, err := bounded.ReadFile(l.ctx, file, maxSettings)
	if err != nil {
		return d
	}
	root, err := settings.Parse(file, text)
	if err != nil {
		return d
	}
	d.text, d.root = text, root
	d.collect(root, 0)
	d.ignores = settingsIgnores(file, text)
	return d
}

// script reads the file of a call once; nil if the file cannot be read, is not text, or belongs to the system.
func (l *linter) script(path string, c programCall) *hookScript {
	if s, seen := l.scripts[path]; seen {
		return s
	}
	l.scripts[path] = nil
	if isSystems(path) {
		return nil
	}
	text, err := bounded.ReadFile(l.ctx, path, maxScript)
	if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil
	}
	s := &hookScript{file: cli.ShortPath(path), path: path, text: text}
	s.at = hook.Position{File: s.file, Line: 1, Column: 1}
	if info, err := os.Stat(path); err == nil {
		s.mode = info.Mode()
	}
	s.language(c)
	s.parse()
	s.ignores = scriptIgnores(s)
	l.scripts[path] = s
	return s
}

// add stores a finding. Equal findings of several hooks become one finding. In a script, findings of one rule at the
// same position are equal.
func (l *linter) add(f Finding) {
	key := f.ID + "\x00" + f.Position.String()
	if l.documents[f.Position.File] != nil {
		key += "\x00" + f.Message
	}
	if i, again := l.at[key]; again {
		if len(l.found[i].around) < maxFound {
			l.found[i].around = append(l.found[i].around, f.around...)
		}
		return
	}
	l.at[key] = len(l.found)
	l.found = append(l.found, f)
}

// kept returns the findings that no comment ignores, by file and position.
func (l *linter) kept() []Finding {
	ignores := ignoresOf(l)
	found := slices.DeleteFunc(slices.Clone(l.found), func(f Finding) bool { return isIgnored(f, ignores) })
	order := map[string]int{}
	for _, f := range found {
		if _, seen := order[f.Position.File]; !seen {
			order[f.Position.File] = len(order)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(order[a.Position.File], order[b.Position.File]),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
		)
	})
	return oncePerProgram(found)
}

// oncePerProgram keeps the first finding about each missing program, whose text then says how many hooks start it.
func oncePerProgram(found []Finding) []Finding {
	count := map[string]int{}
	for _, f := range found {
		count[f.ID+"\x00"+f.missing]++
	}
	seen := map[string]bool{}
	kept := found[:0]
	for _, f := range found {
		key := f.ID + "\x00" + f.missing
		if f.missing != "" && count[key] > 1 {
			if seen[key] {
				continue
			}
			seen[key] = true
			f.Message += fmt.Sprintf(", and %d hooks start it", count[key])
		}
		kept = append(kept, f)
	}
	return kept
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// maxFound limits the findings of one rule in one script, the comments of one file, and other lists
// that are compared pairwise.
const maxFound = 200

// looked reports whether a hook is checked. A hook that is switched off is checked too, since it
// may be switched on.
func looked(h *hook.Hook) bool {
	return h.Runner != nil && h.Skip != hook.Invalid || h.Skip == "" && h.Position.File != ""
}

// startRules lists the rules about programs, scripts and interpreters without which a hook does not start.
var startRules = []string{"script-missing", "script-not-executable", "interpreter-missing", "accidental-exit-2"}

// NotStarting returns, by hook, the findings about programs, scripts and interpreters without which the hook does not
// start, without notes. Hooks that start are not in it. When ctx ends, it returns the findings so far.
func NotStarting(ctx context.Context, dir string, hooks []*hook.Hook) map[*hook.Hook][]Finding {
	l := newLinter(ctx, Options{Dir: dir, Path: os.Getenv("PATH")})
	found := map[*hook.Hook][]Finding{}
	for _, h := range hooks {
		if ctx.Err() != nil {
			break
		}
		v := newView(l, h)
		l.views, l.found, l.at = []*hookView{v}, nil, map[string]int{}
		for _, id := range startRules {
			ruleOf(id).look(v)
		}
		if all := slices.DeleteFunc(l.kept(), func(f Finding) bool { return f.Severity == Note }); len(all) > 0 {
			found[h] = all
		}
	}
	return found
}

// Texts returns the texts of a hook's command and of the scripts that it starts; nil if the program that writes the
// answer is not a script. direct means that the entry names the program and its arguments, without a shell.
func Texts(ctx context.Context, dir string, h *hook.Hook) (texts []string, direct bool) {
	v := newView(newLinter(ctx, Options{Dir: dir, Path: os.Getenv("PATH")}), h)
	return textsOf(v), v.entry.Get("args").Kind() == '[' || v.entry.Get("exec").Exists()
}

// textsOf is the result of [Texts].
func textsOf(v *hookView) (all []string) {
	answers := false
	for _, s := range v.scripts {
		all = append(all, string(s.text))
		answers = answers || !s.inline && s.lang != langOther || slices.ContainsFunc(answering, func(word string) bool {
			return strings.Contains(string(s.text), word)
		})
	}
	if !answers {
		return nil
	}
	return all
}

// answering lists words of a command that gives the hook's answer without a script.
var answering = []string{"echo", "exit", "printf", "jq "}
