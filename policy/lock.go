package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// lock reads the list of members that lower levels cannot change.
func (p *overlayParser) lock(v settings.Value) {
	if p.o.Level != Machine {
		p.wrong(
			v.Wrong(
				"only the machine's policy can lock members, and this is the %s's; move \"lock\" to %s, or remove it",
				p.o.Level,
				machineFile(),
			),
		)
		return
	}
	if v.Kind() != '[' {
		p.wrong(v.Want("an array of members, such as [\"hooks[0].onFailure\", \"limits\"]"))
	}
	for _, element := range v.Elements() {
		path, ok := element.Text()
		if !ok {
			p.wrong(element.Want("the path of a member, such as \"hooks[0].onFailure\""))
			continue
		}
		if err := p.o.lockable(path); err != nil {
			p.wrong(element.Wrong("%v", err))
		}
		p.o.Lock = append(p.o.Lock, path)
	}
}

var rulePart = regexp.MustCompile(`^hooks\[(\d{1,6})\](?:\.(.*))?$`)

// lockable returns an error for a path that cannot be locked.
func (o *Overlay) lockable(path string) error {
	known := []string{
		"hooks",
		"defaults",
		"defaults.gates",
		"defaults.gates.onFailure",
		"defaults.observers",
		"defaults.observers.onFailure",
		"limits",
		"limits.concurrent",
		"limits.perEvent",
		"limits.breaker",
		"limits.warm",
		"recheck",
	}
	for i := range o.Rules {
		known = append(known, rulePath(i))
		for _, member := range ruleMembers[1:] {
			known = append(known, rulePath(i)+"."+member)
		}
		for _, class := range hook.Classes() {
			known = append(known, rulePath(i)+".onFailure."+string(class))
		}
	}
	if slices.Contains(known, path) {
		return nil
	}
	if part := rulePart.FindStringSubmatch(path); part != nil {
		return fmt.Errorf(
			"%q is not a member of a rule of this file; the number of rules is %d, counted from 0%s",
			path,
			len(o.Rules),
			near(path, known),
		)
	}
	return fmt.Errorf(
		"there is no member %q to lock%s; write one such as \"hooks[0].onFailure\" or \"limits\"",
		path,
		near(path, known),
	)
}

// lockedBy reports whether a machine's overlay locks a member of the hook: a rule that matches the hook locks the
// member or its parent.
func (d *decision) lockedBy(o *Overlay, member string) bool {
	if len(o.Lock) == 0 {
		return false
	}
	for i := range o.Rules {
		if d.matches(o, i) && o.holds(rulePath(i)+"."+member) {
			return true
		}
	}
	return false
}

// holds reports whether path, or a parent of it, is locked.
func (o *Overlay) holds(path string) bool {
	return slices.ContainsFunc(o.Lock, func(lock string) bool {
		rest, ok := strings.CutPrefix(path, lock)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// guarded reports whether the machine's overlay locks the mode of the hook, or the action on its
// failure.
func (d *decision) guarded() bool {
	return d.locked("mode") || d.locked("onFailure") ||
		slices.ContainsFunc(hook.Classes(), func(c hook.Class) bool { return d.locked("onFailure." + string(c)) })
}

// Lifts reports whether a lock of the machine overrides an exclusion: it does if settings below the machine's level
// have disabled the hook.
func Lifts(why hook.Exclusion) bool {
	return why.Skip == hook.Disabled && why.SkippedBy != hook.Host && LevelOf(why.SkippedBy) != Machine
}
