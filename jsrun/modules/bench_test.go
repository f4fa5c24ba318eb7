package modules_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/wire"
)

const (
	small = `export default pi => pi.on("tool_call", async (event, ctx) => {
		if (event.toolName === "bash" && event.input.command?.includes("rm -rf")) return { block: true, reason: "no" };
	});`
	plain = `export default pi => pi.on("tool_call", event => {
		if (event.toolName === "bash" && event.input.command?.includes("rm -rf")) return { block: true, reason: "no" };
	});`
)

// BenchmarkToolCall has a target of 45 µs.
func BenchmarkToolCall(b *testing.B) {
	for _, bench := range []struct{ name, text, command string }{
		{"lets pass", small, "ls -la"}, {"blocks", small, "rm -rf /"}, {"not async", plain, "ls -la"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			h := opened(b, xcsh.Config{}, &modules.Loader{})
			h.written(b, "gate.ts", bench.text)
			event := &xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: "call-1", Input: wire.Object(nil).With("command", wire.Quote(bench.command))}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := xcsh.ToolCall.Fire(b.Context(), h.Modules, event); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
