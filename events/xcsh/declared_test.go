package xcsh_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
)

// declared maps each event to the effect that its handlers can have (X19).
var declared = map[string]string{
	"session_start": "", "session_switch": "", "session_branch": "", "session_compact": "", "session_tree": "", "session_shutdown": "",
	"session_before_switch": "block", "session_before_branch": "block", "session_before_compact": "block", "session_before_tree": "block",
	"session.compacting": "add context",
	"context":            "rewrite input", "before_agent_start": "add context",
	"agent_start": "", "agent_end": "", "turn_start": "", "turn_end": "", "auto_compaction_start": "", "auto_compaction_end": "",
	"auto_retry_start": "", "auto_retry_end": "", "ttsr_triggered": "", "todo_reminder": "",
	"tool_call": "block", "tool_result": "rewrite output",
}

// The events and their effects are those of the sources (rules X16, X19, X22, X27).
func TestEventsAreThoseOfTheSources(t *testing.T) {
	for _, d := range []*pipeline.Dialect{xcsh.Dialect, xcsh.Extensions} {
		got := map[string]string{}
		for _, e := range pipeline.Events(d) {
			info := e.Info()
			got[info.Name] = strings.Join(info.Can.Words(), ", ")
			if info.Doc == "" || !info.Rules.Sequential || info.Rules.Timeout >= 0 {
				t.Errorf("%s: doc %q, rules %+v; want a sentence, sequence and no time limit", info.FullName(), info.Doc, info.Rules)
			}
		}
		if !reflect.DeepEqual(got, declared) {
			t.Errorf("%s has %v, want %v", d.Name, got, declared)
		}
	}
}

func TestOnlyAToolCallPropagatesErrors(t *testing.T) {
	for _, d := range []*pipeline.Dialect{xcsh.Dialect, xcsh.Extensions} {
		for _, e := range pipeline.Events(d) {
			info := e.Info()
			if want := info.FullName() == "xcsh.tool_call"; info.Rules.Propagate != want {
				t.Errorf("%s propagates errors: %v, want %v", info.FullName(), info.Rules.Propagate, want)
			}
			if want := info.FullName() == "xcsh-extension.tool_call"; info.Rules.FailClosed != want {
				t.Errorf("%s fails closed: %v, want %v", info.FullName(), info.Rules.FailClosed, want)
			}
		}
	}
}

func TestEventsAreFoundByName(t *testing.T) {
	for _, e := range xcsh.Events() {
		if found, ok := xcsh.Lookup(e.Name()); !ok || found != e {
			t.Errorf("%s is not found", e.Name())
		}
	}
	if _, ok := xcsh.Lookup("tool_cal"); ok {
		t.Error("tool_cal is found")
	}
	if n := len(xcsh.Events()); n != 25 {
		t.Errorf("%d events, want 25", n)
	}
}

// The copy of an event for a handler copies slices and pointers. Payloads must therefore not contain other kinds of
// shared values (rule X13).
func TestPayloadsHaveNothingThatCannotBeCopied(t *testing.T) {
	for _, payload := range []any{
		xcsh.SessionBeforeSwitchEvent{}, xcsh.SessionBeforeCompactEvent{}, xcsh.SessionCompactingEvent{}, xcsh.SessionCompactEvent{},
		xcsh.SessionBeforeTreeEvent{}, xcsh.SessionTreeEvent{}, xcsh.ContextEvent{}, xcsh.BeforeAgentStartEvent{}, xcsh.AgentEndEvent{},
		xcsh.TurnEndEvent{}, xcsh.AutoCompactionEndEvent{}, xcsh.TTSRTriggeredEvent{}, xcsh.TodoReminderEvent{}, xcsh.ToolCallEvent{}, xcsh.ToolResultEvent{},
	} {
		if kinds := shares(reflect.TypeOf(payload)); kinds != nil {
			t.Errorf("%T has %v", payload, kinds)
		}
	}
}

func shares(of reflect.Type) []reflect.Kind {
	switch of.Kind() {
	case reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Array:
		return []reflect.Kind{of.Kind()}
	case reflect.Slice, reflect.Pointer:
		return shares(of.Elem())
	case reflect.Struct:
		var all []reflect.Kind
		for i := range of.NumField() {
			all = append(all, shares(of.Field(i).Type)...)
			if kind := of.Field(i).Type.Kind(); !of.Field(i).IsExported() && kind != reflect.Bool && kind != reflect.Struct {
				all = append(all, reflect.Invalid)
			}
		}
		return slices.Clip(all)
	}
	return nil
}

// JSON input without a member that gates check is an error, because a gate that does not find this member lets the call
// pass.
func TestInputInJSONHasWhatGatesGoBy(t *testing.T) {
	lacks := map[string]string{"tool_call": `{"toolName":"bash"}`, "tool_result": `{"content":[]}`, "context": `{}`}
	for _, e := range slices.Concat(pipeline.Events(xcsh.Dialect), pipeline.Events(xcsh.Extensions)) {
		input, needs := lacks[e.Info().Name]
		if !needs {
			continue
		}
		wrong := new(pipeline.InputError)
		if _, err := e.FireJSON(t.Context(), session(t), []byte(input)); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("%s %s: got %v, want what is missing", e.Info().FullName(), input, err)
		}
	}
}
