package copilot

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/unread"
	"github.com/snaphook-go/snaphook/wire"
)

// Output is the answer of a hook in addition to the common fields. Each event honours some of its
// members.
type Output struct {
	ModifiedArgs     jsontext.Value `json:"modifiedArgs,omitzero"`   // replaces all arguments
	ModifiedResult   wire.Object    `json:"modifiedResult,omitzero"` // {resultType, textResultForLlm}
	ModifiedResponse *string        `json:"modifiedResponse,omitempty"`
	ModifiedPrompt   *string        `json:"modifiedTransformedPrompt,omitempty"`
	InitialPrompt    string         `json:"initialPrompt,omitempty"` // the prompt of a prompt hook, with which the agent starts

	// The next fields answer a permission request. Behavior is allow or deny.
	Behavior  string  `json:"behavior,omitempty"`
	Message   *string `json:"message,omitempty"`
	Interrupt *bool   `json:"interrupt,omitempty"`
}

// over replaces the members of p that a later answer sets, except InitialPrompt, of which the first is kept.
func (p *Output) over(later *Output) {
	if later.ModifiedArgs != nil {
		p.ModifiedArgs = later.ModifiedArgs
	}
	if later.ModifiedResult != nil {
		p.ModifiedResult = later.ModifiedResult
	}
	p.ModifiedResponse = cmp.Or(later.ModifiedResponse, p.ModifiedResponse)
	p.ModifiedPrompt = cmp.Or(later.ModifiedPrompt, p.ModifiedPrompt)
	p.InitialPrompt = cmp.Or(p.InitialPrompt, later.InitialPrompt)
	p.Behavior = cmp.Or(later.Behavior, p.Behavior)
	p.Message, p.Interrupt = cmp.Or(later.Message, p.Message), cmp.Or(later.Interrupt, p.Interrupt)
}

// lost returns the note about a text without effect. If the text contains a denial, it adds that the denial is lost.
func lost(text []byte, note string) string {
	return lostIf(unread.Denies(text), func() bool { return unread.Doubtful(text) }, note)
}

// lostMember does the same for a member.
func lostMember(name string, value jsontext.Value, note string) string {
	return lostIf(unread.Denies(denialIn(name, value)), func() bool {
		return unread.Resembles([]byte(name)) || value.Kind() == '{' && unread.Doubtful(value)
	}, note)
}

func lostIf(denies bool, doubtful func() bool, note string) string {
	switch {
	case denies:
		return note + "; the denial in it is lost"
	case doubtful():
		return note + "; if the answer was a denial, the denial is lost"
	}
	return note
}

// progress removes the lines of an output that are objects of the type "progress", and returns
// their messages and the rest (G37).
func progress(stdout []byte) (messages []string, rest []byte) {
	if !bytes.Contains(stdout, []byte(`"progress"`)) {
		return nil, wire.Trim(stdout)
	}
	for line := range bytes.Lines(stdout) {
		if at := wire.Trim(line); len(at) > 0 && at[0] == '{' && jsontext.Value(at).IsValid() && wire.Object(at).Text("type") == "progress" {
			messages = append(messages, wire.Object(at).Text("message"))
			continue
		}
		rest = append(rest, line...)
	}
	return messages, wire.Trim(rest)
}

// answerReader reads one answer.
type answerReader struct {
	t     *traits
	event string
	out   *hook.Output[Output]
	notes []string
}

func (r *answerReader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// mostNested limits the depth of objects whose members are treated as top-level members. Deeper ones are read as the
// value of a member, which is noted if it contains a denial.
const mostNested = 8

// read reads an object; path is put before the names of its members in notes. The members of
// hookSpecificOutput are treated as top-level members (G38).
func (r *answerReader) read(o wire.Object, path string) {
	for name, value := range o.Members() {
		switch {
		case name == "hookSpecificOutput" && path == "" && value.Kind() == '{':
			defer r.read(wire.Object(value), "hookSpecificOutput.")
		case name == "updatedInput" && path != "":
			r.member("modifiedArgs", path+name, value)
		case path != "" && name == "decision" && value.Kind() == '{' && strings.Count(path, ".") < mostNested: // Claude Code's decision at PermissionRequest
			r.read(wire.Object(value), path+"decision.")
		default:
			r.member(name, path+name, value)
		}
	}
}

// harmless lists members that have a meaning in other systems. Copilot ignores them, and no note reports it.
var harmless = []string{"hookEventName", "suppressOutput", "type"}

// member reads one member. It notes a member that the event does not honour, if the member is known
// or contains a denial.
func (r *answerReader) member(name, path string, value jsontext.Value) {
	set, known := members[name]
	switch {
	case value.Kind() == 'n' || slices.Contains(harmless, name):
	case universal[name] != nil:
		if !universal[name](r.out, value) {
			r.note("%s is %s: it has no effect", path, wire.KindName(value.Kind()))
		}
	case slices.Contains(r.t.members, name):
		if why := set(r.out, value); why != "" {
			r.notes = append(r.notes, lostMember(name, value, fmt.Sprintf("%s %s: it has no effect", path, why)))
		}
	case known:
		r.notes = append(r.notes, lostMember(name, value, fmt.Sprintf("%s has no effect on %s", path, r.event)))
	case unread.DeniesFormally(denialIn(name, value)):
		r.note("nothing reads %.60q; the denial in it is lost", path)
	case unread.Resembles([]byte(name)):
		r.note("nothing reads %.60q; if the answer was a denial, the denial is lost", path)
	}
}

// denialIn returns a member as text, to search it for a denial.
func denialIn(name string, value jsontext.Value) []byte {
	return append(append(append([]byte{'{'}, wire.Quote(name)...), ':'), append(value.Clone(), '}')...)
}

// universal reads the members that the chat of VS Code honours on every event; refine drops a stop
// on other surfaces.
var universal = map[string]func(*hook.Output[Output], jsontext.Value) bool{
	"continue": func(o *hook.Output[Output], v jsontext.Value) bool {
		o.Stop = v.Kind() == 'f'
		return v.Kind() == 'f' || v.Kind() == 't'
	},
	"stopReason":    func(o *hook.Output[Output], v jsontext.Value) bool { return text(&o.StopReason, v) },
	"systemMessage": func(o *hook.Output[Output], v jsontext.Value) bool { return text(&o.Message, v) },
}

// members reads the members of answers. why describes an invalid value; it is "" for a valid one.
var members = map[string]func(*hook.Output[Output], jsontext.Value) (why string){
	"permissionDecision": func(o *hook.Output[Output], v jsontext.Value) string {
		return word((*string)(&o.Decision), v, "allow", "deny", "ask")
	},
	"permissionDecisionReason": func(o *hook.Output[Output], v jsontext.Value) string { return textOr(&o.Reason, v) },
	"modifiedArgs": func(o *hook.Output[Output], v jsontext.Value) string {
		if v.Kind() != '{' {
			return "is " + wire.KindName(v.Kind()) + " and not an object"
		}
		o.Specific.ModifiedArgs = v
		return ""
	},
	contextMember: func(o *hook.Output[Output], v jsontext.Value) string {
		o.Set |= hook.SetContext
		return textOr(&o.Context, v)
	},
	"modifiedResult": func(o *hook.Output[Output], v jsontext.Value) string {
		if v.Kind() != '{' {
			return "is " + wire.KindName(v.Kind()) + " and not an object"
		}
		o.Specific.ModifiedResult = wire.Object(v)
		return ""
	},
	"modifiedResponse": func(o *hook.Output[Output], v jsontext.Value) string {
		return override(&o.Specific.ModifiedResponse, v)
	},
	"modifiedTransformedPrompt": func(o *hook.Output[Output], v jsontext.Value) string {
		return override(&o.Specific.ModifiedPrompt, v)
	},
	"initialPrompt": func(o *hook.Output[Output], v jsontext.Value) string { return textOr(&o.Specific.InitialPrompt, v) },
	"behavior": func(o *hook.Output[Output], v jsontext.Value) string {
		return word(&o.Specific.Behavior, v, "allow", "deny")
	},
	"message": func(o *hook.Output[Output], v jsontext.Value) string {
		o.Specific.Message = new(string)
		return textOr(o.Specific.Message, v)
	},
	"interrupt": func(o *hook.Output[Output], v jsontext.Value) string {
		if v.Kind() != 't' && v.Kind() != 'f' {
			return "is " + wire.KindName(v.Kind()) + " and not true or false"
		}
		o.Specific.Interrupt = new(bool)
		*o.Specific.Interrupt = v.Kind() == 't'
		return ""
	},
	"decision": func(o *hook.Output[Output], v jsontext.Value) string {
		return word((*string)(&o.Decision), v, "block", "allow")
	},
	"reason": func(o *hook.Output[Output], v jsontext.Value) string { return textOr(&o.Reason, v) },

	// The next member exists only in the SDK.
	"modifiedPrompt": nil,
}

func text(to *string, v jsontext.Value) bool {
	s, ok := wire.Text(v)
	if ok {
		*to = s
	}
	return ok
}

func textOr(to *string, v jsontext.Value) string {
	if !text(to, v) {
		return "is " + wire.KindName(v.Kind()) + " and not a string"
	}
	return ""
}

// override reads a replacement text, which must not be empty.
func override(to **string, v jsontext.Value) string {
	var s string
	if why := textOr(&s, v); why != "" {
		return why
	}
	if s == "" {
		return "is empty"
	}
	*to = &s
	return ""
}

func word(to *string, v jsontext.Value, words ...string) string {
	var s string
	if why := textOr(&s, v); why != "" {
		return why
	}
	if !slices.Contains(words, s) {
		return fmt.Sprintf("is %.60q and not one of %s", s, strings.Join(words, ", "))
	}
	*to = s
	return ""
}
