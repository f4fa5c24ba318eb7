package jsrun

import (
	"context"
	"strings"
	"testing"
)

func BenchmarkCall(b *testing.B) {
	for _, bench := range []struct{ name, handler, event string }{
		{"gate", "", `{"type":"tool_call","toolName":"bash","toolCallId":"call-1","input":{"command":"ls -l"}}`},
		{"gate with a question", "", `{"type":"tool_call","toolName":"bash","toolCallId":"call-1","input":{"command":"rm -rf /"}}`},
		{"nothing", "() => {}", "{}"},
		{"async", "async () => ({ block: true, reason: 'no' })", "{}"},
		{"400 KiB", "event => event", `{"messages":[` + strings.Repeat(`{"role":"user","content":[{"type":"text","text":"0123456789 0123456789 0123456789 0123456789 0123456789"}]},`, 3600) + `null]}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			a, event := loaded(b, "testdata/gate.ts", Options{}), "tool_call"
			if bench.handler != "" {
				a, event = handling(b, bench.handler, Options{}), "call"
			}
			a.hasUI = true
			a.confirm = func(context.Context, string, string) (any, error) { return false, nil }
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.fire(b.Context(), event, bench.event); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		m, err := Open(b.Context(), "testdata/gate.ts", Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
