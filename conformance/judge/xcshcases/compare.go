package xcshcases

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// compareStep reports whether an outcome equals the expected one, and returns both in the form in
// which they were compared.
func (w *runningCase) compareStep(step *Step, want, got map[string]any) (same bool, wanted, seen map[string]any) {
	want, got = copyJSON(want).(map[string]any), copyJSON(got).(map[string]any)
	if want["errorAny"] == true && got["error"] != nil {
		delete(want, "errorAny")
		delete(got, "error")
	}
	for _, detail := range []string{"sameResultObject", "sameErrorAsTool", "nonError"} { // compared only if expected
		if want[detail] == nil {
			delete(got, detail)
		}
	}
	if read := resultOf(step); read != nil && want["value"] != nil {
		want["value"] = read(want["value"])
	}
	if step.Op == "registry" || step.Op == "discover" {
		warnings(want)
	}
	prefixes(want, got)
	return reflect.DeepEqual(want, got), want, got
}

// resultOf returns a function that reads the result of a fire. The function drops fields that the result's type does
// not have: they are not compared.
func resultOf(step *Step) func(any) any {
	name := map[string]string{"emitToolCall": "tool_call", "emitBeforeAgentStart": "before_agent_start"}[step.Op]
	if step.Op == "emit" {
		name = eventName(step.Event)
	}
	i := slices.IndexFunc(typed, func(e eventType) bool { return e.name == name })
	if i < 0 || typed[i].read == nil {
		return nil
	}
	return func(value any) any { return typed[i].read(truthy(value)) }
}

// truthy returns an object with its yes-or-no members converted to true or false, as JavaScript converts them;
// {} for any other value.
func truthy(value any) any {
	members, is := value.(map[string]any)
	if !is {
		return map[string]any{}
	}
	members = maps.Clone(members)
	for _, name := range []string{"block", "cancel", "skipConversationRestore"} {
		if v, has := members[name]; has {
			members[name] = v != nil && !reflect.ValueOf(v).IsZero()
		}
	}
	return members
}

// warnings removes from the expected failures of providers the word "Error: ", which this engine does not print.
func warnings(want map[string]any) {
	value, _ := want["value"].(map[string]any)
	list, _ := value["warnings"].([]any)
	for i := range list {
		if text, is := list[i].(string); is {
			list[i] = strings.Replace(text, "Failed to load: Error: ", "Failed to load: ", 1)
		}
	}
}

// prefixes compares texts of which a case gives only the beginning.
func prefixes(want, got map[string]any) {
	wants, _ := lookup(want, "value.errors")
	gots, _ := lookup(got, "value.errors")
	wantList, _ := wants.([]any)
	gotList, _ := gots.([]any)
	for i := range min(len(wantList), len(gotList)) {
		w, _ := wantList[i].(map[string]any)
		g, _ := gotList[i].(map[string]any)
		prefix, is := w["errorPrefix"].(string)
		if text, _ := g["error"].(string); is && strings.HasPrefix(text, prefix) {
			delete(w, "errorPrefix")
			delete(g, "error")
		}
	}
}

// compareLists compares the lists of the whole case.
func (w *runningCase) compareLists(title string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := &w.c.Expect
	for _, list := range []struct {
		name      string
		want, got []any
	}{
		{"trace", e.Trace, typedTrace(e.Trace, w.trace)}, {"hookErrors", e.HookErrors, w.hookErrors}, {"sent", e.Sent, w.sent},
		{"uiCalls", e.UICalls, w.uiCalls}, {"ctxCalls", e.CtxCalls, w.ctxCalls}, {"loadErrors", e.LoadErrors, w.loadErrors},
	} {
		if list.name == "ctxCalls" || list.name == "sent" {
			for i, call := range list.want {
				list.want[i] = asCalled(call)
			}
		}
		if len(list.want)+len(list.got) > 0 && !reflect.DeepEqual(list.want, list.got) {
			w.t.Errorf("%s\n%s, %s\nwant %s\ngot  %s", title, w.c.Path, list.name, toJSON(list.want), toJSON(list.got))
		}
	}
}

// noArguments removes empty arguments from the trace of a command if the case expects no arguments, because a command
// in Go gets an empty text in place of absent arguments.
func noArguments(want, got any) {
	wanted, _ := lookup(want, "saw.args")
	saw, _ := lookup(got, "saw")
	seen, is := saw.(map[string]any)
	if !is || wanted != nil || seen["args"] != "" {
		return
	}
	delete(seen, "args")
	if _, asked := lookup(want, "saw"); !asked {
		delete(got.(map[string]any), "saw")
	}
}

// asCalled removes from an expected call the options that a typed host cannot distinguish from
// absent ones.
func asCalled(call any) any {
	item, is := call.(map[string]any)
	if !is || item["call"] == nil {
		return call
	}
	item = maps.Clone(item)
	args, _ := item["args"].([]any)
	args = slices.Clone(args)
	for i := range args {
		args[i] = without(args[i])
	}
	item["args"], item["options"] = given(args), without(item["options"])
	for _, name := range []string{"args", "options"} {
		if without(map[string]any{name: item[name]}) == nil {
			delete(item, name)
		}
	}
	return item
}

// given removes absent arguments at the end.
func given(args []any) []any {
	for len(args) > 0 && (args[len(args)-1] == nil || args[len(args)-1] == "") {
		args = args[:len(args)-1]
	}
	return args
}

// without removes the empty members of an object. It returns nil if no member is left.
func without(value any) any {
	object, is := value.(map[string]any)
	if !is {
		return value
	}
	object = maps.Clone(object)
	maps.DeleteFunc(object, func(_ string, v any) bool {
		list, isList := v.([]any)
		return v == nil || isList && len(list) == 0 || !isList && reflect.ValueOf(v).IsZero()
	})
	if len(object) == 0 {
		return nil
	}
	return object
}

// typedTrace removes the zero members of a typed event that the host of the case did not set.
func typedTrace(want, got []any) []any {
	for i := range min(len(want), len(got)) {
		wanted, _ := lookup(want[i], "saw.@event")
		seen, _ := lookup(got[i], "saw.@event")
		noArguments(want[i], got[i])
		have, _ := seen.(map[string]any)
		for name, value := range have {
			if _, asked := lookup(wanted, name); !asked && (value == nil || reflect.ValueOf(value).IsZero()) {
				delete(have, name)
			}
		}
	}
	return got
}
