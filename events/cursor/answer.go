package cursor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// Output is the event's own part of an answer, with the members of all events. The user's message is the common
// Message, and the model's context the common Context. A hook in Go denies with the common Decision and Reason.
type Output struct {
	Permission   string            `json:"permission,omitzero"` // as written
	AgentMessage string            `json:"agent_message,omitzero"`
	UpdatedInput wire.Object       `json:"updated_input,omitzero"` // for preToolUse: the whole new input
	ToolOutput   jsontext.Value    `json:"updated_mcp_tool_output,omitzero"`
	Followup     string            `json:"followup_message,omitzero"`
	Env          map[string]string `json:"env,omitzero"`
	PluginPaths  []string          `json:"pluginPaths,omitzero"`
}

// takes is a set of members that an answer may have.
type takes uint16

const (
	takesUser takes = 1 << iota
	takesAgent
	takesContinue
	takesContext
	takesInput
	takesOutput
	takesEnv
	takesFollowup
	takesPlugins
)

// answer is an answer as its hook wrote it.
type answer struct {
	Output
	permits, says bool // permits: the answer has a permission; says: it has a member that some event knows
	goOn          *bool
	user, context string
}

// member is a member of answers.
type member struct {
	takes takes // events that take one of these honour the member; 0: all gates honour it
	// read stores a value that is not null. For an invalid value it returns a description of a valid one.
	read func(a *answer, v jsontext.Value) (want string)
}

// members maps the names of members, including the older spellings (U17), to the members.
var members = map[string]member{
	"permission":              {0, func(a *answer, v jsontext.Value) string { a.permits = true; return text(&a.Permission, v) }},
	"user_message":            {takesUser, func(a *answer, v jsontext.Value) string { return text(&a.user, v) }},
	"userMessage":             {takesUser, func(a *answer, v jsontext.Value) string { return text(&a.user, v) }},
	"agent_message":           {takesAgent, func(a *answer, v jsontext.Value) string { return text(&a.AgentMessage, v) }},
	"agentMessage":            {takesAgent, func(a *answer, v jsontext.Value) string { return text(&a.AgentMessage, v) }},
	"additional_context":      {takesContext, func(a *answer, v jsontext.Value) string { return text(&a.context, v) }},
	"followup_message":        {takesFollowup, func(a *answer, v jsontext.Value) string { return text(&a.Followup, v) }},
	"continue":                {takesContinue, readContinue},
	"updated_input":           {takesInput, readInput},
	"updated_mcp_tool_output": {takesOutput, func(a *answer, v jsontext.Value) string { a.ToolOutput = v; return "" }},
	"env":                     {takesEnv, readEnv},
	"pluginPaths":             {takesPlugins, readPaths},
}

func memberNames() []string { return slices.Sorted(maps.Keys(members)) }

func text(to *string, v jsontext.Value) (want string) {
	var ok bool
	*to, ok = wire.Text(v)
	return lo.Ternary(ok, "", "a string")
}

func readContinue(a *answer, v jsontext.Value) string {
	if k := v.Kind(); k != 't' && k != 'f' {
		return "true or false"
	}
	a.goOn = lo.ToPtr(v.Kind() == 't')
	return ""
}

func readInput(a *answer, v jsontext.Value) string {
	a.UpdatedInput = wire.Object(v)
	return lo.Ternary(v.Kind() == '{', "", "an object, the whole new input")
}

func readEnv(a *answer, v jsontext.Value) string {
	const want = "an object of strings"
	if v.Kind() != '{' {
		return want
	}
	a.Env = map[string]string{}
	for name, value := range wire.Object(v).Members() {
		var variable string
		if text(&variable, value) != "" || !isVariable(name, variable) {
			return want + ", whose names do not contain ="
		}
		a.Env[name] = variable
	}
	return ""
}

func readPaths(a *answer, v jsontext.Value) string {
	return lo.Ternary(v.Kind() == '[' && wire.Object(`{"p":`+string(v)+`}`).Into(&struct {
		P *[]string `json:"p"`
	}{&a.PluginPaths}) == nil, "", "an array of strings")
}

// errSilent is the error of a hook that printed nothing at an event where hooks can deny (U18).
var errSilent = &hook.ClassError{
	Class: hook.ClassExit, Err: errors.New("it printed no output, but an answer is required; print {} for no decision"),
}

// decoder returns the Decode of an event (U16 to U23).
func decoder(event string, t *traits) stages.Decode[Output] {
	return func(stdout []byte) (out hook.Output[Output], notes []string, err error) {
		printed := wire.Trim(stdout)
		switch {
		case len(printed) == 0 && t.refuses():
			return out, nil, errSilent
		case len(printed) == 0:
			return out, nil, nil
		case !wire.Object(printed).IsValid():
			return out, nil, errors.New("its output is not valid JSON, one object and nothing else")
		}
		var a answer
		if notes, err = a.read(event, t, wire.Object(printed)); err != nil {
			return out, nil, fmt.Errorf("its answer cannot be used: %w", err)
		}
		out, more := a.output(event, t)
		out.Raw = printed
		return out, append(notes, more...), nil
	}
}

// read reads the members that the event honours, and returns notes on other members.
func (a *answer) read(event string, t *traits, o wire.Object) (notes []string, err error) {
	var strange string
	for name, value := range o.Members() {
		m, known := members[name]
		switch {
		case !known:
			strange = cmp.Or(strange, name)
			continue
		case value.Kind() == 'n':
			continue
		case m.takes&t.takes == 0 && !(m.takes == 0 && t.gate()) && name != "continue":
			a.says = true
			notes = append(notes, fmt.Sprintf("%q has no effect on %s", name, event))
			continue
		}
		a.says = true
		if want := m.read(a, value); want != "" && (name != "continue" || t.refuses()) {
			return nil, fmt.Errorf("%q is %s; want %s", name, wire.KindName(value.Kind()), want)
		}
	}
	switch refuses := a.goOn != nil && !*a.goOn; {
	case !a.says && strange != "" && (t.refuses() || t.follows()):
		return nil, fmt.Errorf(`its member %.40q is unknown at %s, and it has no known one; write %s, or {} for no decision`, strange, event, t.refusal("…"))
	case t.gate() && refuses && !a.permits:
		return nil, fmt.Errorf(`"continue" is false, which %s does not know; write "permission": "deny"`, event)
	}
	if a.goOn != nil && !*a.goOn && !t.refuses() && !t.follows() {
		notes = append(notes, `"continue": false is not enforced on `+event)
	}
	if _, ok := t.words[a.Permission]; a.permits && t.gate() && !ok {
		return nil, fmt.Errorf(`"permission" is %.40q; want %s`, a.Permission, t.words)
	}
	return notes, nil
}

// String lists the words for error messages.
func (w permissionWords) String() string {
	return lo.Reduce(slices.Sorted(maps.Keys(w)), func(all, word string, i int) string {
		return all + lo.Ternary(i == 0, "", " or ") + `"` + word + `"`
	}, "")
}

// output converts the answer to the engine's form.
func (a *answer) output(event string, t *traits) (o hook.Output[Output], notes []string) {
	o = hook.Output[Output]{Set: hook.SetAnswer | hook.SetSpecific, Message: a.user, Specific: a.Output}
	switch {
	case t.gate() && a.permits:
		o.Decision = t.words[a.Permission]
		if o.Decision == hook.Undecided {
			notes = append(notes, fmt.Sprintf("%q is not enforced on %s, and the call goes ahead", a.Permission, event))
		}
	case t.takes&takesContinue != 0 && a.goOn != nil && !*a.goOn:
		o.Decision = hook.Deny
	}
	switch o.Decision {
	case hook.Deny:
		o.Reason = lo.CoalesceOrEmpty(a.AgentMessage, a.user, "a hook has denied it and gave no reason")
	case hook.Ask:
		o.Reason = lo.CoalesceOrEmpty(a.user, a.AgentMessage)
	}
	if n := len(utf16.Encode([]rune(a.context))); n > mostContext {
		notes = append(notes, fmt.Sprintf(
			"additional_context has %d characters; above %d none of them reaches the model", n, mostContext))
		a.context = ""
	}
	if o.Context = a.context; o.Context != "" {
		o.Set |= hook.SetContext
	}
	return o, notes
}

// mostContext is the longest context that reaches the model, in UTF-16 code units (U22).
const mostContext = 10_000
