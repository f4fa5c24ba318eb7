package codex

import (
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/settings"
)

// wrong extends a problem by the remark that no hook of the file runs.
func wrong(p settings.Problem) *settings.Problem {
	p.Message += "; no hook of this file runs until it is repaired"
	return &p
}

func outside(name string, v settings.Value) settings.Problem {
	if table[name] != nil {
		return v.Wrong(`%q stands beside "hooks", where Codex allows "description" alone; write {"hooks": {%[1]q: …}}`, name)
	}
	return v.Wrong(`%.60q stands beside "hooks", where Codex allows "description" alone; remove it`, name)
}

func groupFault(group settings.Value, types entries.Types) *settings.Problem {
	if group.Kind() != '{' {
		return wrong(group.Want(`an object {"matcher": "…", "hooks": […]}`))
	}
	if v := group.Get("matcher"); v.Exists() && v.Kind() != '"' && v.Kind() != 'n' {
		return wrong(v.Want("a string"))
	}
	hooks := group.Get("hooks")
	if hooks.Exists() && hooks.Kind() != '[' {
		return wrong(hooks.Want("an array of hooks"))
	}
	for _, entry := range hooks.Elements() {
		if p := entryFault(entry, types); p != nil {
			return p
		}
	}
	return nil
}

// members lists the required and optional members of an entry by type, with a check for each.
var members = map[string]struct{ required, optional map[string]check }{
	"command": {
		map[string]check{"command": isText},
		map[string]check{
			"timeout": isWhole, "async": isSwitch, "statusMessage": isText, "additionalContextLimit": isWhole,
			"commandWindows": isText, "command_windows": isText,
		},
	},
	"mcp_tool": {
		map[string]check{"server": isText, "tool": isText},
		map[string]check{"timeout": isWhole, "statusMessage": isText, "additionalContextLimit": isWhole, "input": isInput},
	},
	"prompt": {}, "agent": {},
}

// check returns a description of a valid value, or "" if v is valid.
type check func(v settings.Value) (want string)

func isText(v settings.Value) string {
	return lo.Ternary(v.Kind() == '"', "", "a string")
}

func isSwitch(v settings.Value) string {
	_, ok := v.Bool()
	return lo.Ternary(ok, "", "true or false")
}

// isWhole accepts whole numbers from 0. Codex drops a file with any other number.
func isWhole(v settings.Value) string {
	n, ok := v.Number()
	return lo.Ternary(ok && n >= 0 && n == float64(uint64(n)), "", "a whole number, such as 30")
}

func isInput(v settings.Value) string {
	if v.Kind() != '{' || hasNull(v) {
		return "an object without null in it"
	}
	return ""
}

func hasNull(v settings.Value) bool {
	if v.Kind() == 'n' {
		return true
	}
	for _, member := range v.Members() {
		if hasNull(member) {
			return true
		}
	}
	for _, element := range v.Elements() {
		if hasNull(element) {
			return true
		}
	}
	return false
}

func entryFault(entry settings.Value, types entries.Types) *settings.Problem {
	if entry.Kind() != '{' {
		return wrong(entry.Want(`an object {"type": "command", "command": "…"}`))
	}
	at := entry.Get("type")
	kind, ok := at.Text()
	switch {
	case !at.Exists():
		return wrong(entry.Wrong(`the hook has no "type"; add "type": "command"`))
	case !ok:
		return wrong(at.Want("one of command, mcp_tool"))
	case types[kind] != nil:
		return nil
	}
	known, ok := members[kind]
	if !ok {
		return wrong(at.Wrong("Codex has no hook type %.40q; write command or mcp_tool", kind))
	}
	for _, name := range sorted(known.required) {
		v := entry.Get(name)
		if !v.Exists() {
			return wrong(entry.Wrong("the hook has no %q; add %[1]q: %q", name, lo.Ternary(name == "command", "./check.sh", "…")))
		}
		if want := known.required[name](v); want != "" {
			return wrong(describe(name, v, want))
		}
	}
	for _, name := range sorted(known.optional) {
		v := entry.Get(name)
		if !v.Exists() || v.Kind() == 'n' && name != "async" {
			continue
		}
		if want := known.optional[name](v); want != "" {
			return wrong(describe(name, v, want))
		}
	}
	return nil
}

func describe(name string, v settings.Value, want string) settings.Problem {
	p := v.Want(want)
	p.Message = name + ": " + p.Message
	return p
}
