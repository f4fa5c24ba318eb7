package xcsh_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/wire"
)

// answers returns modules whose only handler of an event answers with JSON.
func answers(t testing.TB, event string, result *jsontext.Value) *xcsh.Modules {
	m := start(t, xcsh.Config{})
	if err := m.Add("a.js", func(api *xcsh.API) error {
		xcsh.OnDynamic(api, event, func(context.Context, wire.Object, *xcsh.HookContext) (xcsh.DynamicResult, error) {
			return xcsh.DynamicResult{Value: *result}, nil
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestResultsCountAsInJavaScript(t *testing.T) {
	for result, want := range map[string]string{
		``: ``, `null`: ``, `false`: ``, `0`: ``, `-0`: ``, `0.0e5`: ``, `""`: ``,
		`true`: `{}`, `1`: `{}`, `"x"`: `{}`, `[]`: `{}`, `{}`: `{}`,
		`{"block":true}`: `{"block":true}`, `{"block":"yes"}`: `{"block":true}`, `{"block":[]}`: `{"block":true}`, `{"block":1e400}`: `{"block":true}`,
		`{"block":0,"block":true}`: `{"block":true}`, `{"block":true,"block":0}`: `{}`, `{"reason":null,"reason":"r"}`: `{"reason":"r"}`,
		`{"block":0}`: `{}`, `{"block":""}`: `{}`, `{"block":null}`: `{}`,
		`{"reason":null,"extra":1}`: `{}`, `{"reason":false}`: `{}`, `{"block":true,"reason":0}`: `{"block":true}`,
		`{"reason":5}`: `error`,
	} {
		value := jsontext.Value(result)
		m := answers(t, "tool_call", &value)
		e, _ := xcsh.Lookup("tool_call")
		got, err := e.FireJSON(t.Context(), m, jsontext.Value(`{"type":"tool_call","toolName":"t","unknown":1}`))
		if err != nil {
			got = jsontext.Value("error")
		}
		if string(got) != want {
			t.Errorf("%s gives %s, want %s (%v)", result, got, want, err)
		}
	}
}

func TestMembersThatAreFalsyAreAsGoodAsAbsent(t *testing.T) {
	for _, tt := range []struct{ event, result, want string }{
		{"context", `{"messages":%s}`, ``},
		{"before_agent_start", `{"message":%s}`, ``},
		{"session_before_tree", `{"summary":%s}`, `{}`},
		{"session_before_compact", `{"compaction":%s}`, `{}`},
		{"session_before_compact", `{"compaction":{"preserveData":%s}}`, `{"compaction":{"summary":"","firstKeptEntryId":"","tokensBefore":0}}`},
		{"session_before_compact", `{"compaction":{},"other":%s}`, `{"compaction":{"summary":"","firstKeptEntryId":"","tokensBefore":0}}`},
		{"session.compacting", `{"context":%s,"prompt":%[1]s,"preserveData":%[1]s}`, `{}`},
	} {
		var value jsontext.Value
		m := answers(t, tt.event, &value)
		failed := errorsOf(m)
		e, _ := xcsh.Lookup(tt.event)
		for _, falsy := range []string{`null`, `false`, `0`, `""`} {
			value = jsontext.Value(fmt.Sprintf(tt.result, falsy))
			if got, err := e.FireJSON(t.Context(), m, jsontext.Value(`{}`)); err != nil || string(got) != tt.want || len(*failed) > 0 {
				t.Errorf("%s: %s gives %s, %v, reported %q; want %s and no error", tt.event, value, got, err, *failed, tt.want)
			}
		}
	}
}

func TestAnEventThatDoesNotFitIsAnError(t *testing.T) {
	var none jsontext.Value
	m := answers(t, "tool_call", &none)
	e, _ := xcsh.Lookup("tool_call")
	for _, event := range []string{`{"toolName":3}`, `{"input":`, `{"input":[]}`} {
		if _, err := e.FireJSON(t.Context(), m, jsontext.Value(event)); err == nil {
			t.Errorf("%s is no error", event)
		}
	}
}

// FuzzResult checks that no result of a module makes a fire return invalid JSON.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{`{"block":true}`, `{"messages":[{"role":"user"}]}`, `{"content":[],"details":0}`, `null`, `{"cancel":"x","compaction":{}}`, `{`} {
		f.Add(seed)
	}
	var value jsontext.Value
	var all []*xcsh.Modules
	events := xcsh.Events()
	for _, e := range events {
		all = append(all, answers(f, e.Name(), &value))
	}
	f.Fuzz(func(t *testing.T, result string) {
		value = jsontext.Value(result)
		for i, e := range events {
			got, err := e.FireJSON(context.Background(), all[i], jsontext.Value(`{}`))
			if err == nil && got != nil && !got.IsValid() {
				t.Errorf("%s: %s gives %s", e.Name(), result, got)
			}
		}
	})
}
