package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/overlay"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// checkPolicy returns problems of the overlays, and adds findings about the hooks under them.
func checkPolicy(f *project.SourceFlags, all []*project.Sources, found *Answer) ([]settings.Problem, error) {
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	src, err := f.PolicySource(dir)
	if err != nil {
		return nil, err
	}
	for level := policy.Machine; level <= policy.Project; level++ {
		if file := src.Files[level]; file != "" {
			found.Files = append(found.Files, file)
		}
	}
	set, problems := src.Load(dir, false)
	events := pipeline.PolicyEvents()
	if wrong := set.Problems(found.loaded, events); len(wrong) > 0 {
		problems, set = append(problems, wrong...), nil // an invalid set has no effect
	}
	dialects := lo.Uniq(
		lo.FilterMap(all, func(s *project.Sources, _ int) (string, bool) { return s.Dialect.Name, !s.Dialect.Modules }),
	)
	for _, g := range set.Findings(found.loaded, events, dialects) {
		found.Findings = append(found.Findings, newFinding(g.ID, isWarning, g.Position, g.Message, g.Fix))
	}
	// The findings above assume a trusted project. From here on the overlays apply as in a fire now, perhaps without
	// trust.
	if found.undecided && set != nil {
		set, _ = src.Load(dir, true)
	}
	for i, h := range found.loaded {
		h = set.Apply(h, events.Of(h))
		found.Hooks[i].DescribedHook, found.Hooks[i].Policy = project.Describe(h), project.Governed(h)
		if h.Skip == hook.Policy && found.Hooks[i].Why == nil {
			found.Hooks[i].Why, found.Hooks[i].Detail = &h.Skip, &h.SkipDetail
		}
		found.Findings = append(found.Findings, gateFindings(h, events.Of(h), dir)...)
		found.loaded[i] = h
	}
	for i, h := range found.handlers {
		h = set.Apply(h, events.Of(h))
		line := &found.Hooks[len(found.loaded)+i]
		line.DescribedHook, line.Policy, found.handlers[i] = project.Describe(h), project.Governed(h), h
		if h.Skip == hook.Policy && line.Why == nil {
			line.Why, line.Detail = &h.Skip, &h.SkipDetail
		}
	}
	return problems, nil
}

// gateFindings returns the findings about one hook that can block.
func gateFindings(h *hook.Hook, ev policy.Event, dir string) (found []finding) {
	if !ev.Gate || h.Skip != "" || h.Background != hook.Foreground || h.Policy != nil && h.Policy.Mode != hook.Enforce {
		return nil
	}
	p := h.Policy
	if p == nil {
		p = policy.EffectiveDefault(h, ev)
	}
	if gone := missingProgram(h, dir); gone != "" && p.OnFailure[hook.ClassMissing] == hook.FailClosed {
		at, way := h.Position, "in its settings"
		if from, ok := p.From["onFailure"]; ok {
			way = "at " + from.Position.String()
		}
		found = append(found, newFinding(
			policy.ClosedMissing,
			IsError,
			at,
			fmt.Sprintf(
				"%s is not there, and this hook fails closed (class %q): every call that it matches will be denied",
				gone,
				hook.ClassMissing,
			),
			fmt.Sprintf(
				"put the program there; or write \"onFailure\": {\"missing\": \"open\"} %s; or switch the hook off with \"mode\": \"off\"",
				way,
			),
		))
	}
	if open := openClasses(p); len(open) > 0 {
		if tools := writesMatched(h); len(tools) > 0 {
			found = append(found, newFinding(
				policy.GateOpen,
				isNote,
				h.Position,
				fmt.Sprintf(
					"this hook guards tools that write (%s), but if the hook fails (%s), the tools run anyway",
					strings.Join(tools, ", "),
					strings.Join(open, ", "),
				),
				fmt.Sprintf(
					"to block the tools when the hook fails, write %s in %s",
					overlay.Rule(h.Event, shortGlob(h.Command), "onFailure", "closed"),
					policy.FileName,
				),
			))
		}
	}
	return found
}

// shortGlob returns a glob for a command: the whole command, or the beginning of a long one.
func shortGlob(command string) string {
	if runes := []rune(command); len(runes) > 80 {
		return overlay.Literal(string(runes[:79])) + "*"
	}
	return overlay.Literal(command)
}

// openClasses returns the classes of failures that a policy lets pass. It leaves out classes that are no failure of the
// hook itself, such as cancelled.
func openClasses(p *hook.EffectivePolicy) (open []string) {
	for _, class := range hook.Classes() {
		if class != hook.ClassUntrusted && class != hook.ClassCancelled && class != hook.ClassQueue &&
			class != hook.ClassBreaker && class != hook.ClassInvalid &&
			p.OnFailure[class] == hook.FailOpen {
			open = append(open, string(class))
		}
	}
	return open
}

// writesMatched returns the writing tools of the hook's dialect that the hook matches.
func writesMatched(h *hook.Hook) []string {
	d, err := systems.Named(h.Dialect)
	if err != nil || h.Event != d.ToolGate {
		return nil
	}
	return lo.Filter(d.Writers, func(tool string, _ int) bool { return h.Matcher == nil || h.Matcher.Match(tool) })
}

// missingProgram returns a command's program if the program does not exist, or else the missing script that a shell
// would run. It returns the empty text if nothing is missing, or if only a shell could find out.
func missingProgram(h *hook.Hook, dir string) string {
	if h.Type != "command" {
		return ""
	}
	words := commandWords(h)
	if len(words) == 0 {
		return ""
	}
	program := expandVars(words[0], dir)
	if program == "" {
		return ""
	}
	if !isThere(program, dir) {
		return program
	}
	if bash.Interpreter(program) == bash.Shell && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		if script := expandVars(words[1], dir); script != "" && !fileThere(script, dir) {
			return script
		}
	}
	return ""
}

// commandWords returns the arguments of an entry that starts a program other than a shell, or else the words of the
// first call in the command's text; see [plainWords].
func commandWords(h *hook.Hook) []string {
	text := h.Command
	if n := len(h.Argv); n > 0 && bash.Interpreter(h.Argv[0]) != bash.Shell {
		return h.Argv
	}
	return plainWords(text)
}

// expandVars replaces the directory variables in a word; empty if the word has other expansions.
func expandVars(word, dir string) string {
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR"} {
		word = strings.ReplaceAll(strings.ReplaceAll(word, "${"+name+"}", dir), "$"+name, dir)
	}
	home, _ := environ.Home()
	word = strings.ReplaceAll(strings.ReplaceAll(word, "${HOME}", home), "$HOME", home)
	if rest, ok := strings.CutPrefix(word, "~/"); ok {
		word = filepath.Join(home, rest)
	}
	if strings.ContainsAny(word, "$`*?") {
		return ""
	}
	return word
}

func isThere(program, dir string) bool {
	if strings.ContainsRune(program, '/') {
		return fileThere(program, dir)
	}
	if slices.Contains(builtins, program) {
		return true
	}
	_, err := exec.LookPath(program)
	return err == nil
}

func fileThere(file, dir string) bool {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	_, err := os.Stat(file)
	return err == nil
}

// builtins lists the words that a shell runs without a program.
var builtins = []string{
	"exit",
	"echo",
	"printf",
	"test",
	"[",
	"true",
	"false",
	"cd",
	"exec",
	"eval",
	"set",
	"export",
	"read",
	"if",
	"for",
	"while",
	"case",
	"{",
	"(",
	"!",
	":",
	".",
	"source",
	"trap",
	"ulimit",
	"umask",
	"unset",
	"wait",
	"kill",
	"command",
	"type",
	"return",
	"shift",
	"local",
	"function",
	"[[",
	"time",
}
