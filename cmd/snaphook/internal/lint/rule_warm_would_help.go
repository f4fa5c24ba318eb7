package lint

import (
	"cmp"
	"path/filepath"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/overlay"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm"
)

var ruleWarmWouldHelp = Rule{
	ID: "warm-would-help", Severity: Note, look: warmHelps,
	Doc:     "The hook starts Python, Node or bash for every call, and could be kept warm.",
	Why:     "Most of the time of such a hook is the start of its interpreter; see [warm hooks](warm.md).",
	Mistake: `{"type": "command", "command": "python3 hooks/guard.py"}`,
	Fix:     `{"hooks": [{"match": {"command": "*guard.py*"}, "warm": "auto"}]}  in .snaphook.json`,
}

// warmHelps reports hooks that could be kept warm.
func warmHelps(v *hookView) {
	s, kind, why := keepWarm(v)
	if s == nil || why != "" {
		return
	}
	starts := cmp.Or(map[lang]string{langPython: "Python", langNode: "Node"}[s.lang], "bash")
	v.add(*v.report("warm-would-help", v.h.Position,
		"write "+overlay.Rule("", "*"+overlay.Literal(filepath.Base(s.path))+"*", "warm", kind)+" in .snaphook.json",
		"this hook starts %s for each %s, and could be kept warm", starts, v.event.Name))
}

// keepWarm returns the script of a hook that no setting keeps warm, the kind of warm process that fits, and the reason
// why the hook could not be kept warm, if there is one. The script is nil if the hook calls no script, or several.
func keepWarm(v *hookView) (s *hookScript, kind, why string) {
	if v.h.Type != "command" || v.h.Runner == nil || v.h.Background != hook.Foreground ||
		v.h.Policy != nil && v.h.Policy.Warm != "" || len(v.calls) != 1 {
		return nil, "", ""
	}
	s, kind = scriptOf(v, v.calls[0]), run.WarmAuto
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
