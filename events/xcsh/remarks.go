package xcsh

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/unread"
	"github.com/snaphook-go/snaphook/wire"
)

// Watched implements [Dynamic].
func (e *Event[E, R]) Watched() []string { return slices.Clone(e.watched) }

// remarks returns the notes on an answer: members and changes that have no effect.
func (e *Event[E, R]) remarks(answer *DynamicResult) (notes []string) {
	if len(e.members) == 0 {
		return nil
	}
	if truthy(answer.Value) {
		notes = e.remarksOnValue(answer.Value)
	}
	for name := range answer.Changed.Members() {
		if !slices.Contains(e.inPlace, name) {
			notes = append(notes, e.vain("changed", name))
		}
	}
	for _, name := range answer.Assigned {
		if wire.Object(answer.Value).Get(name) == nil {
			notes = append(notes, e.vain("assigned to", name))
		}
	}
	return notes
}

// remarksOnValue returns the notes on a result that is an answer.
func (e *Event[E, R]) remarksOnValue(value jsontext.Value) (notes []string) {
	if value.Kind() != '{' {
		return []string{fmt.Sprintf("its result is %s, which has no effect; return %s",
			wire.KindName(value.Kind()), e.form())}
	}
	known := e.members
	// A result with several members of the event is the event, returned by the handler; a single member is an attempt
	// to rewrite the event, which has no effect.
	has := func(name string) bool { return wire.Object(value).Get(name) != nil }
	isEvent := lo.CountBy(lo.Without(e.watched, known...), has) > 1
	for name, member := range wire.Object(value).Members() {
		if slices.Contains(known, name) {
			continue
		}
		like := slices.IndexFunc(known, func(other string) bool { return folded(other) == folded(name) })
		switch denies := unread.DeniesFormally(slices.Concat(wire.Quote(name), []byte(":"), member)); {
		case like >= 0:
			notes = append(notes, fmt.Sprintf("%q of its result has no effect; write %q", name, known[like]))
		case denies:
			notes = append(notes, fmt.Sprintf("%q of its result looks like a denial, but has no effect; return %s", name, e.form()))
		case e.stops != nil && name != "type" && !(isEvent && slices.Contains(e.watched, name)):
			notes = append(notes, fmt.Sprintf("%q of its result has no effect; return %s", name, e.form()))
		}
	}
	block := wire.Object(value).Get("block")
	if e.stops != nil && slices.Contains(known, "reason") && truthy(wire.Object(value).Get("reason")) && (block == nil || block.Kind() == 'n') {
		notes = append(notes, "its result has a reason but no block: true, and therefore blocks nothing")
	}
	return notes
}

// remarksOnCopy returns the notes on changes of a Go handler to its copy of the event, for events
// whose copies can be compared.
func (e *Event[E, R]) remarksOnCopy(own, from *E, r *R) (notes []string) {
	event, ok := any(own).(interface{ changed(from *E) []string })
	if !ok {
		return nil
	}
	names := event.changed(from)
	if len(names) == 0 {
		return nil
	}
	var result wire.Object
	if r != nil {
		result, _ = wire.Of(*r)
	}
	for _, name := range names {
		if result.Get(name) == nil {
			notes = append(notes, e.vain("changed", name))
		}
	}
	return notes
}

// changed returns the names of the members that differ from the original event's.
func (e *ToolCallEvent) changed(from *ToolCallEvent) []string {
	return differing("input", bytes.Equal(e.Input, from.Input), "toolName", e.ToolName == from.ToolName)
}

func (e *ToolResultEvent) changed(from *ToolResultEvent) []string {
	return differing(
		"content", slices.EqualFunc(e.Content, from.Content, func(a, b Part) bool { return bytes.Equal(a.Object, b.Object) }),
		"details", bytes.Equal(e.Details, from.Details),
		"isError", e.IsError == from.IsError,
	)
}

func (e *ContextEvent) changed(from *ContextEvent) []string {
	return differing("messages", slices.EqualFunc(e.Messages, from.Messages,
		func(a, b Message) bool { return bytes.Equal(a.Object, b.Object) }))
}

func (e *BeforeAgentStartEvent) changed(from *BeforeAgentStartEvent) []string {
	return differing("prompt", e.Prompt == from.Prompt, "systemPrompt", e.SystemPrompt == from.SystemPrompt)
}

// differing takes pairs of a name and a bool that is true if the values of that name are equal. It returns the names
// whose values differ. If all values are equal, it allocates nothing.
func differing(pairs ...any) (names []string) {
	for i := 0; i < len(pairs); i += 2 {
		if same := pairs[i+1].(bool); !same {
			names = append(names, pairs[i].(string))
		}
	}
	return names
}

// form returns a description of the event's results in JavaScript.
func (e *Event[E, R]) form() string {
	names := slices.Clone(e.members)
	if e.stops != nil {
		names[0] += ": true"
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// vain returns the note about a change of the event that has no effect.
func (e *Event[E, R]) vain(how, name string) string {
	note := fmt.Sprintf("it %s %q of the event, which has no effect", how, name)
	switch {
	case slices.Contains(e.members, name):
		note += "; return {" + name + "}"
	case e.stops != nil:
		note += "; return " + e.form() + " to refuse it"
	}
	return note
}

// folded returns a name in lower case, without separators between its words.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// jsonNames returns the names of a struct's members, in the order of its fields.
func jsonNames(of reflect.Type) (names []string) {
	for field := range of.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); field.IsExported() && name != "" {
			names = append(names, name)
		}
	}
	return names
}
