package lint

import "github.com/snaphook-go/snaphook/hook"

var ruleTypeMixed = Rule{
	ID: "type-mixed", Severity: Warning, look: typeMixed,
	Doc:     "A hook has a member that belongs to another type of hook.",
	Why:     "The member is ignored: a prompt runs no command.",
	Mistake: `{"type": "prompt", "prompt": "Is this safe?", "command": "./guard.sh"}`,
	Fix:     `{"type": "command", "command": "./guard.sh"}`,
}

// typeMembers names the member with the program, prompt or address, by the hook's type.
var typeMembers = map[string]string{"command": "command", "prompt": "prompt", "agent": "prompt", "http": "url"}

func typeMixed(v *hookView) {
	own := typeMembers[v.h.Type]
	if own == "" || v.h.Skip == hook.Invalid {
		return
	}
	for _, member := range []string{"command", "prompt", "url"} {
		if m := v.entry.Get(member); member != own && m.Exists() {
			v.add(*v.report("type-mixed", m.Position(), "remove the member, or write the type that reads it",
				"a hook of type %q ignores %q", v.h.Type, member))
		}
	}
}
