package xcshcases

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
)

// traceMark begins the lines of a module's log that record its actions. They hold a key and an
// entry; a later line with the same key replaces an earlier one, in its place.
const traceMark = "xcsh-trace "

type traceLine struct {
	Key   string         `json:"key"`
	Entry map[string]any `json:"entry"`
}

var runs atomic.Int64

// handlerTrace is the trace of one run of a handler.
type handlerTrace struct {
	api  *xcsh.API
	line traceLine
}

func newEntry(api *xcsh.API, handler string) *handlerTrace {
	key := strconv.FormatInt(runs.Add(1), 10)
	return &handlerTrace{api, traceLine{Key: key, Entry: map[string]any{"handler": handler}}}
}

func (e *handlerTrace) set(name string, value any) {
	e.line.Entry[name] = value
	e.write()
}

func (e *handlerTrace) write() {
	text, err := json.Marshal(e.line)
	if err != nil {
		panic(err)
	}
	e.api.Logger().Debug(traceMark + string(text))
}

// behave runs a handler as described, on an event as JSON, and changes the event in place.
func (h *Handler) behave(
	ctx context.Context,
	api *xcsh.API,
	event map[string]any,
	hc *xcsh.HookContext,
) (result jsontext.Value, err error) {
	e := newEntry(api, h.ID)
	e.write()
	if saw := h.saw(event, hc); len(saw) > 0 {
		e.set("saw", saw)
	}
	if !h.When.holds(event) {
		return nil, nil
	}
	time.Sleep(time.Duration(h.DelayMS) * time.Millisecond)
	for _, m := range h.Mutate {
		m.apply(event)
	}
	for _, call := range h.API {
		if err := call.onAPI(api); err != nil {
			return nil, err
		}
	}
	answers := h.callUI(ctx, e, hc)
	if len(h.Ctx) > 0 {
		e.set("ctx", results(h.Ctx, func(c *Call) (any, bool) { return onContext(c, hc) }))
	}
	if h.Throws != nil {
		return nil, h.Throws.error()
	}
	if h.Chain != nil {
		return h.Chain.result(event), nil
	}
	if r := h.ReturnsIf; r != nil {
		if reflect.DeepEqual(answers[r.UI], r.Equals) {
			return r.Returns, nil
		}
		return nil, nil
	}
	return h.Returns, nil
}

func (h *Handler) callUI(ctx context.Context, e *handlerTrace, hc *xcsh.HookContext) (answers []any) {
	if len(h.UI) == 0 {
		return nil
	}
	e.set("ui", results(h.UI, func(c *Call) (any, bool) {
		answer, ok := onUI(ctx, c, hc.UI)
		answers = append(answers, answer)
		return answer, ok
	}))
	return answers
}

// results makes the calls, and returns their traces.
func results(calls []Call, do func(*Call) (any, bool)) []any {
	list := []any{}
	for i := range calls {
		made := map[string]any{"call": calls[i].Call}
		if result, ok := do(&calls[i]); ok {
			made["result"] = result
		}
		list = append(list, made)
	}
	return list
}

func (h *Handler) saw(event map[string]any, hc *xcsh.HookContext) map[string]any {
	saw := map[string]any{}
	for _, path := range h.Record {
		var value any
		var ok bool
		if of, is := strings.CutPrefix(path, "@ctx."); is {
			value, ok = lookup(fields(hc), of)
		} else if path == "@event" {
			value, ok = event, true
		} else {
			value, ok = lookup(event, path)
		}
		if ok {
			saw[path] = value
		}
	}
	return copyJSON(saw).(map[string]any)
}

// fields returns the fields of a context that cases check.
func fields(hc *xcsh.HookContext) map[string]any {
	f := map[string]any{"hasUI": hc.HasUI, "cwd": hc.Dir}
	if m := hc.Model(); !m.IsEmpty() {
		f["model"] = fromJSON(jsontext.Value(m.Object))
	}
	return f
}

func (w *When) holds(event map[string]any) bool {
	if w == nil {
		return true
	}
	value, _ := lookup(event, w.Path)
	if w.Contains != "" {
		text, _ := value.(string)
		return strings.Contains(text, w.Contains)
	}
	return reflect.DeepEqual(value, w.Equals)
}

func (m *Mutation) apply(event map[string]any) {
	at, name := event, m.Path
	for {
		first, rest, more := strings.Cut(name, ".")
		if !more {
			break
		}
		next, ok := at[first].(map[string]any)
		if !ok {
			return
		}
		at, name = next, rest
	}
	if m.Op == "append" {
		list, _ := at[name].([]any)
		at[name] = append(list, m.Value)
		return
	}
	at[name] = m.Value
}

func (t *Throw) error() error {
	if t.Kind == "value" {
		return &xcsh.Thrown{Value: t.Message}
	}
	return errors.New(t.Message)
}

func (c *Chain) result(event map[string]any) jsontext.Value {
	list, _ := event[c.Field].([]any)
	kept := []any{}
	for _, item := range list {
		if len(c.Drop) == 0 || !hasAll(item, c.Drop) {
			kept = append(kept, c.replaced(item))
		}
	}
	if c.Append != nil {
		kept = append(kept, c.Append)
	}
	return toJSON(map[string]any{c.Field: kept})
}

func hasAll(item any, pairs map[string]any) bool {
	members, _ := item.(map[string]any)
	for name, value := range pairs {
		if !reflect.DeepEqual(members[name], value) {
			return false
		}
	}
	return true
}

func (c *Chain) replaced(item any) any {
	members, _ := item.(map[string]any)
	text, _ := members["text"].(string)
	if c.ReplaceText == nil || members["type"] != "text" {
		return item
	}
	replaced := copyJSON(members).(map[string]any)
	replaced["text"] = strings.ReplaceAll(text, c.ReplaceText.From, c.ReplaceText.To)
	return replaced
}

func lookup(in any, path string) (value any, ok bool) {
	value = in
	for name := range strings.SplitSeq(path, ".") {
		members, is := value.(map[string]any)
		if !is {
			return nil, false
		}
		if value, ok = members[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

func toJSON(v any) jsontext.Value {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return text
}

func fromJSON(text jsontext.Value) (v any) {
	if len(text) == 0 { // a member that is absent
		return nil
	}
	if err := json.Unmarshal(text, &v); err != nil {
		panic(fmt.Errorf("%w: %s", err, text))
	}
	return v
}

func copyJSON(v any) any { return fromJSON(toJSON(v)) }
