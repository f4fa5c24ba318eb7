package lint

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/internal/portable"
)

var ruleAnswerElsewhere = Rule{
	ID: "answer-elsewhere", Severity: Warning, look: answerElsewhere,
	Doc: "A script refuses with an answer that another system, which also runs the hook, does not read as a refusal.",
	Why: "Copilot, Cursor, Devin CLI and VS Code read `.claude/settings.json` too, and every system reads answers a little " +
		"differently: docs/same-answer.md has the table. The finding is a warning if the project is used with the other system, or the " +
		"hook is in that system's own file, and a note otherwise. A script that names the other system is left out.",
	Mistake: `{"decision": "block", "reason": "no"}`,
	Fix:     `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}`,
}

// answerElsewhere looks for refusals of a script that are lost in a system that runs the hook.
func answerElsewhere(v *hookView) {
	home := systemOf(v)
	if home == nil || !v.gates() {
		return
	}
	event, known := home.Event(v.h.Event)
	if !known {
		return
	}
	for _, s := range v.scripts {
		given := refusalsOf(s, event)
		if home.Name == "claude" {
			lostInReaders(v, s, home, given)
		} else {
			lostAtHome(v, s, home, given)
		}
	}
}

// systemOf returns the system of the hook's dialect whose directory is in the path of the hook's file, or else the
// first system of the dialect. It returns nil if no system has this dialect.
func systemOf(v *hookView) (found *portable.System) {
	parts := strings.Split(filepath.ToSlash(v.h.Position.File), "/")
	for i := range v.Systems {
		s := &v.Systems[i]
		if s.Dialect != v.h.Dialect {
			continue
		}
		dir, _, _ := strings.Cut(s.File, "/")
		if slices.Contains(parts, dir) {
			return s
		}
		if found == nil {
			found = s
		}
	}
	return found
}

// scriptRefusal is an answer that a script gives, and its offset in the script.
type scriptRefusal struct {
	portable.Answer
	at int
}

// refusalsOf returns the refusals of a script that its text shows.
func refusalsOf(s *hookScript, event string) (given []scriptRefusal) {
	if s.lang == langOther || s.lang == langPowerShell {
		return nil
	}
	signs := map[string]int{}
	if at, ok := exitsWithTwo(s); ok {
		signs[portable.SignExit2] = at
	}
	signed(comment.ReplaceAllFunc(s.text, blank), signs)
	for _, a := range portable.Answers {
		if at, ok := signs[a.Sign]; ok && a.Sign != "" && a.Event == event {
			given = append(given, scriptRefusal{a, at})
		}
	}
	return given
}

var (
	stopWord  = lazyregexp.New(`\bcontinue\\?["']?\s*:\s*[fF]alse\b`)
	permitted = lazyregexp.New(`\bpermission\\?["']?\s*:\s*\\?["']deny\\?["']`)
)

// signed adds to signs each form of a JSON refusal that a text contains, with the offset of its first use.
func signed(text []byte, signs map[string]int) {
	mark := func(sign string, at int) {
		if _, seen := signs[sign]; !seen {
			signs[sign] = at
		}
	}
	nested := bytes.Contains(text, []byte("hookSpecificOutput"))
	for _, m := range permissionWord.FindAllSubmatchIndex(text, maxFound) {
		switch word := string(text[m[2]:m[3]]); {
		case word == "deny" && !nested:
			mark(portable.SignTopDeny, m[0])
		case word == "deny" && !bytes.Contains(text, []byte("permissionDecisionReason")):
			mark(portable.SignNestedDenyBare, m[0])
		case word == "deny":
			mark(portable.SignNestedDeny, m[0])
		case word == "ask" && nested:
			mark(portable.SignNestedAsk, m[0])
		}
	}
	written := decisionWord.FindAllSubmatchIndex(text, maxFound)
	for _, m := range append(written, printedDecision.FindAllSubmatchIndex(text, maxFound)...) {
		switch word := string(text[m[2]:m[3]]); {
		case word == "deny":
			mark(portable.SignDeny, m[0])
		case word == "block" && !bytes.Contains(text, []byte("reason")):
			mark(portable.SignBlockBare, m[0])
		case word == "block":
			mark(portable.SignBlock, m[0])
		}
	}
	if m := stopWord.FindIndex(text); m != nil {
		mark(portable.SignStop, m[0])
	}
	if m := permitted.FindIndex(text); m != nil {
		mark(portable.SignPermission, m[0])
	}
}

// exitsWithTwo returns the offset of the first call by which a script exits with status 2; ok is false if there is no
// such call.
func exitsWithTwo(s *hookScript) (at int, ok bool) {
	if s.lang == langPython || s.lang == langNode {
		all := tokens(string(s.text), s.lang)
		for i := range all {
			if status, ends := exitAt(all, i, s.lang); ends && status == "2" {
				return all[i].at, true
			}
		}
		return 0, false
	}
	if s.ast == nil {
		return 0, false
	}
	syntax.Walk(s.ast, func(node syntax.Node) bool {
		if c, isCall := node.(*syntax.CallExpr); isCall && !ok && name(c) == "exit" && len(c.Args) == 2 {
			if status, _ := literal(c.Args[1]); status == "2" {
				at, ok = int(c.Pos().Offset()), true
			}
		}
		return !ok
	})
	return at, ok
}

// lostInReaders looks for refusals that are lost in the other systems that read the hook's file.
func lostInReaders(v *hookView, s *hookScript, home *portable.System, given []scriptRefusal) {
	file := "/" + filepath.ToSlash(v.h.Position.File)
	if v.h.Source != hook.Project && v.h.Source != hook.Local {
		return
	}
	var readers []*portable.System
	for i := range v.Systems {
		there := &v.Systems[i]
		reads := slices.ContainsFunc(there.Reads, func(name string) bool { return strings.HasSuffix(file, "/"+name) })
		if reads && !naming(s.text, there) && (isUsed(v, there) || !there.Switched()) {
			readers = append(readers, there)
		}
	}
	used := lo.Filter(readers, func(there *portable.System, _ int) bool { return isUsed(v, there) })
	severity := Warning
	if len(used) == 0 {
		used, severity = readers, Note
	}
	for _, r := range given {
		losing := lo.Filter(used, func(there *portable.System, _ int) bool {
			return home.Effect(r.ID, false).Guards() && !there.Effect(r.ID, true).Guards() &&
				!keptElsewhere(home, there, r, given)
		})
		if len(losing) > 0 {
			reportLost(v, s, r, severity, remedy(home, losing[0], r), fmt.Sprintf("%s in %s, but %s, which also %s the hooks of %s",
				home.Effect(r.ID, false), home.Title, effectsIn(losing, r.ID), lo.Ternary(len(losing) == 1, "reads", "read"),
				cli.ShortPath(v.h.Position.File)))
		}
	}
}

// reportLost reports a lost answer of a script once for each event. The finding for the first event has the position of
// the answer in the script; findings for further events have the position of the hook.
func reportLost(v *hookView, s *hookScript, r scriptRefusal, severity Severity, fix, effects string) {
	at := s.position(r.at)
	known := s.path + at.String() + r.ID
	if v.lostAnswers[known] {
		return
	}
	v.lostAnswers[known] = true
	if _, taken := v.linter.at["answer-elsewhere\x00"+at.String()]; taken {
		at = v.h.Position
	}
	f := v.report("answer-elsewhere", at, fix, "at %s this answer (%s) %s", r.Event, r.Says, effects)
	f.Severity = severity
	v.add(*f)
}

// effectsIn lists the effects that an answer of a hook in .claude/settings.json has in other systems.
func effectsIn(losing []*portable.System, answer string) string {
	byEffect := lo.GroupBy(losing, func(s *portable.System) portable.Effect { return s.Effect(answer, true) })
	return strings.Join(lo.Map(slices.Sorted(maps.Keys(byEffect)), func(e portable.Effect, _ int) string {
		titles := lo.Map(byEffect[e], func(s *portable.System, _ int) string { return s.Title })
		return fmt.Sprintf("%s in %s", e, strings.Join(titles, " and "))
	}), ", and ")
}

// lostAtHome looks for refusals in another system's form, which the hook's own system does not read as refusals. It
// skips a script whose code names the system, because the script may tell the systems apart.
func lostAtHome(v *hookView, s *hookScript, home *portable.System, given []scriptRefusal) {
	if naming(comment.ReplaceAllFunc(s.text, blank), home) {
		return
	}
	for _, r := range given {
		guards := func(there *portable.System) bool { return there.Effect(r.ID, false).Guards() }
		there, refuses := lo.Find(claudeFirst(v.Systems), guards)
		if effect := home.Effect(r.ID, false); refuses && !effect.Guards() && !keptElsewhere(there, home, r, given) {
			reportLost(v, s, r, Warning, remedy(there, home, r), fmt.Sprintf("%s in %s, but this is a hook of %[4]s, where it %[3]s",
				there.Effect(r.ID, false), there.Title, effect, home.Title))
		}
	}
}

// claudeFirst returns the systems, Claude Code first.
func claudeFirst(systems []portable.System) []*portable.System {
	all := lo.Map(systems, func(_ portable.System, i int) *portable.System { return &systems[i] })
	slices.SortStableFunc(all, func(a, b *portable.System) int {
		return lo.Ternary(a.Name == "claude", 0, 1) - lo.Ternary(b.Name == "claude", 0, 1)
	})
	return all
}

// keptElsewhere reports whether the script also refuses in a form that both systems read: the two refusals may belong
// to one branch. It returns false for a refusal that asks the user, because a denial does not replace a question.
func keptElsewhere(home, there *portable.System, lost scriptRefusal, given []scriptRefusal) bool {
	return lost.Sign != portable.SignNestedAsk && slices.ContainsFunc(given, func(r scriptRefusal) bool {
		return r.ID != lost.ID && home.Effect(r.ID, false).Guards() && there.Effect(r.ID, home.Name == "claude").Guards()
	})
}

// remedy returns advice: it names an answer that refuses in both systems, or says that no answer does.
func remedy(home, there *portable.System, lost scriptRefusal) string {
	a, found := lo.Find(portable.Answers, func(a portable.Answer) bool {
		return a.Event == lost.Event && a.Sign != "" && home.Effect(a.ID, false).Guards() && there.Effect(a.ID, home.Name == "claude").Guards() &&
			(a.Sign == portable.SignNestedAsk) == (lost.Sign == portable.SignNestedAsk)
	})
	if !found {
		return "no answer of this kind works in both: docs/same-answer.md has the answers of each system"
	}
	return fmt.Sprintf("answer with %s, which %s in both; docs/same-answer.md has the answers of each system", a.Says, home.Effect(a.ID, false))
}

// naming reports whether a text names a system: a script with this text may have an answer for the system.
func naming(text []byte, s *portable.System) bool {
	return bytes.Contains(bytes.ToLower(text), []byte(s.Name))
}

// maxUse limits the size of a file that shows the use of a system.
const maxUse = 1 << 20

// isUsed reports whether the project is used with a system.
func isUsed(v *hookView, there *portable.System) bool {
	return slices.ContainsFunc(there.Uses, func(u portable.Use) bool {
		file := filepath.Join(v.Dir, filepath.FromSlash(u.File))
		if u.Text == "" {
			_, err := os.Stat(file)
			return err == nil
		}
		text, err := bounded.ReadFile(v.ctx, file, maxUse)
		return err == nil && strings.Contains(strings.Join(strings.Fields(string(text)), ""), u.Text)
	})
}
