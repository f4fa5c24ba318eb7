package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/overlay"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm"
)

var ruleTimeoutUnit = Rule{
	ID: "timeout-unit", Severity: Warning, look: timeoutUnit, Fixable: true,
	Doc:     "A timeout looks like a value in another unit.",
	Why:     "Claude Code counts in seconds, LLxprt Code and Gemini CLI in milliseconds.",
	Mistake: `{"type": "command", "command": "./guard.sh", "timeout": 60000}`,
	Fix:     `{"type": "command", "command": "./guard.sh", "timeout": 60}`,
}

// timeoutUnit looks for timeouts in another system's unit.
func timeoutUnit(v *hookView) {
	value := v.entry.Get("timeout")
	n, ok := value.Number()
	if !ok || n <= 0 || n != math.Trunc(n) || v.event.Name == "" {
		return
	}
	unit, meant := v.unit(), 0.0
	switch {
	case unit == time.Second && n >= 1000 && math.Mod(n, 500) == 0 && !(math.Mod(n, 3600) == 0 && n <= 24*3600):
		meant = n / 1000
	case unit == time.Millisecond && (n < 100 || n <= 900 && math.Mod(n, 60) == 0):
		meant = n * 1000
	default:
		return
	}
	text := strconv.FormatFloat(meant, 'f', -1, 64)
	is := "seconds, and " + text + " seconds in milliseconds"
	if unit == time.Millisecond {
		is = "milliseconds, in which no program starts"
	}
	f := v.report("timeout-unit", value.Position(), fmt.Sprintf("did you mean %s?", text),
		"this timeout is %s %s", strconv.FormatFloat(n, 'f', -1, 64), is)
	f.edit = v.replaceValue(value, text)
	v.add(*f)
}

// unit returns the unit of timeouts in the hook's dialect.
func (v *hookView) unit() time.Duration {
	return map[string]time.Duration{"claude": time.Second, "llxprt": time.Millisecond}[v.h.Dialect]
}

var ruleAsyncGate = Rule{
	ID: "async-gate", Severity: Warning, look: asyncGate,
	Doc: "A hook of an event that can be blocked runs in the background.",
	Why: "The agent does not wait for the hook: the action has gone ahead before the hook refuses. " +
		"If no refusal is found in the hook, the finding is only a note.",
	Mistake: `{"type": "command", "command": "./guard.sh", "async": true}`,
	Fix:     `{"type": "command", "command": "./guard.sh"}`,
}

// asyncGate looks for background hooks of events where hooks can refuse.
func asyncGate(v *hookView) {
	if v.event.Can&pipeline.CanBlock == 0 || v.h.Background != hook.Async {
		return
	}
	f := v.report("async-gate", v.at("async"), "remove \"async\" if the hook has to refuse",
		"this hook runs in the background, where it cannot refuse anything")
	if !slices.ContainsFunc(v.scripts, v.refusesHere) {
		f.Severity = Note
	}
	v.add(*f)
}

// refusesHere reports whether a script can refuse when this hook calls it. A dispatcher, which acts
// by its arguments, may refuse for other hooks alone.
func (v *hookView) refusesHere(s *hookScript) bool {
	return (answersJSON(string(s.text)) || endsWith2.Match(s.text)) && !v.dispatches(s)
}

// dispatches reports whether a script acts by the event or by its arguments, and perhaps refuses only for other hooks:
// either a hook in the foreground calls the script with other arguments or at another event, or the script contains
// none of this hook's arguments.
func (v *hookView) dispatches(s *hookScript) bool {
	args, ok := v.argumentsOf(s)
	byEvent := mentionsWord(s, "hook_event_name")
	if !ok || !byEvent && (len(args) == 0 || !readsArguments(s)) {
		return false
	}
	for _, other := range v.views[:min(len(v.views), maxFound)] {
		if theirs, ok := other.argumentsOf(s); ok && other.h.Background == hook.Foreground &&
			(!slices.Equal(args, theirs) || byEvent && other.h.Event != v.h.Event) {
			return true
		}
	}
	if len(args) == 0 {
		return false
	}
	return !slices.ContainsFunc(args, func(arg string) bool { return bytes.Contains(s.text, []byte(arg)) })
}

// argumentsOf returns the words that the hook's command passes to a script; ok is false if the command does not call
// the script.
func (v *hookView) argumentsOf(s *hookScript) (args []string, ok bool) {
	for _, c := range v.calls {
		if s.path == "" || c.file() != s.path {
			continue
		}
		if _, _, args, ok := c.interpreted(); ok {
			return args, true
		}
		return c.words[1:], true
	}
	return nil, false
}

// arguments matches code that reads the arguments of a program.
var arguments = regexp.MustCompile(`\bargv\b|\bargparse\b|\bparseArgs\b|\$[1-9@*]|\$\{[1-9@*]`)

func readsArguments(s *hookScript) bool { return arguments.Match(s.text) }

// endsWith2 matches code that ends a program with status 2.
var endsWith2 = regexp.MustCompile(`(?i)exit(?:code)?[\s(:=]*2\b`)

var ruleShellBashSyntax = Rule{
	ID: "shell-bash-syntax", Severity: Warning, look: bashSyntax, Fixable: true,
	Doc: "A script that `/bin/sh` runs uses syntax of bash.",
	Why: "Where `/bin/sh` is bash it works; where it is dash, as on Debian and Ubuntu, " +
		"it fails or means something else. The commands of Claude Code themselves run in bash.",
	Mistake: "#!/bin/sh\nif [[ $(cat) == *rm* ]]; then exit 2; fi",
	Fix:     "#!/usr/bin/env bash\nif [[ $(cat) == *rm* ]]; then exit 2; fi",
}

// bashSyntax looks for syntax of bash in texts that /bin/sh runs.
func bashSyntax(v *hookView) {
	for _, s := range v.scripts {
		if !s.posix || s.ast == nil || len(s.text) == 0 {
			continue
		}
		for _, b := range bashOnly(s.ast) {
			at, fix := s.pos(b.at), "begin the script with #!/usr/bin/env bash"
			f := v.report("shell-bash-syntax", at, fix, "%s, and /bin/sh runs this", b.what)
			if shIsBash() {
				f.Severity = Note
				f.Message += "; on this machine that is bash, on others it is not"
			}
			switch {
			case v.startsSh(s):
				f.Fix = "run it with bash"
			case s.shebang != "":
				end := strings.IndexByte(string(s.text), '\n')
				if end > 0 && len(strings.Fields(s.shebang)) == 1 {
					f.edit = fileEdit{{file: s.path, seen: s.text, end: end, with: "#!/usr/bin/env bash"}}
				}
			}
			v.add(*f)
			break // one finding is enough
		}
	}
}

// startsSh reports whether the command itself runs a script with sh.
func (v *hookView) startsSh(s *hookScript) bool {
	for _, c := range v.calls {
		if _, _, _, ok := c.interpreted(); ok && c.file() == s.path {
			return true
		}
	}
	return false
}

// shIsBash reports whether /bin/sh of this machine is bash or zsh, and therefore accepts bash's syntax.
func shIsBash() bool {
	// On macOS /bin/sh is a separate program, which starts the shell to which this link leads.
	target, err := filepath.EvalSymlinks("/private/var/select/sh")
	if err != nil {
		target, err = filepath.EvalSymlinks("/bin/sh")
	}
	name := filepath.Base(target)
	return err == nil && (strings.Contains(name, "bash") || name == "zsh")
}

var ruleWarmWouldHelp = Rule{
	ID: "warm-would-help", Severity: Note, look: warmHelps,
	Doc:     "The hook starts Python, Node or bash for every call, and could be kept warm.",
	Why:     "Most of the time of such a hook is the start of its interpreter; see [warm hooks](warm.md).",
	Mistake: `{"type": "command", "command": "python3 hooks/guard.py"}`,
	Fix:     `{"hooks": [{"match": {"command": "*guard.py*"}, "warm": "auto"}]}  in .snaphook.json`,
}

// warmHelps reports hooks that could be kept warm.
func warmHelps(v *hookView) {
	s, kind, why := v.keepWarm()
	if s == nil || why != "" {
		return
	}
	starts := cmp.Or(map[lang]string{langPython: "Python", langNode: "Node"}[s.lang], "bash")
	v.add(*v.report("warm-would-help", v.h.Position,
		"write "+overlay.Rule("", "*"+overlay.Literal(filepath.Base(s.path))+"*", "warm", kind)+" in .snaphook.json",
		"this hook starts %s for each %s, and could be kept warm", starts, v.event.Name))
}

var ruleColdScript = Rule{
	ID: "cold-script", Severity: Note, look: coldScript,
	Doc: "The shell that runs in the host's process leaves the hook's script to bash.",
	Why: "A guard of [the commands that the shell in the process knows](warm.md) takes a hundredth of the time that bash " +
		"takes. The finding names the first line that only bash runs. A script that needs that line is best left as it is.",
	Mistake: `declare -A denied=([main]=1); [[ ${denied[$branch]-} ]] && exit 2`,
	Fix:     `case $branch in main) exit 2 ;; esac`,
}

// coldScript reports shell scripts that the engine cannot run in its own process.
func coldScript(v *hookView) {
	if s, _, why := v.keepWarm(); s != nil && why != "" && s.lang == langShell {
		v.add(*v.report("cold-script", v.h.Position, "write that line another way, or leave the script to bash",
			"this hook starts bash for each %s: %s", v.event.Name, why))
	}
}

// keepWarm returns the script of a hook that no setting keeps warm, the kind of warm process that fits, and the reason
// why the hook could not be kept warm, if there is one. The script is nil if the hook calls no script, or several.
func (v *hookView) keepWarm() (s *hookScript, kind, why string) {
	if v.h.Type != "command" || v.h.Runner == nil || v.h.Background != hook.Foreground ||
		v.h.Policy != nil && v.h.Policy.Warm != "" || len(v.calls) != 1 {
		return nil, "", ""
	}
	s, kind = v.scripts1(v.calls[0]), run.WarmAuto
	if s == nil {
		return nil, "", ""
	}
	if s.lang != langPython && s.lang != langNode {
		kind = run.WarmBash
	}
	pool := warm.New(warm.Config{})
	defer pool.Close()
	return s, kind, pool.Keep(v.h, kind, v.Dir)
}
