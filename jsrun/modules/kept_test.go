package modules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// A module that registers too much is stopped: its registrations use the host's memory.
func TestAModuleThatRegistersTooMuchIsStopped(t *testing.T) {
	for name, register := range map[string]string{
		"handlers":            `for (;;) pi.on("tool_result", () => {})`,
		"names":               `for (;;) pi.on("y".repeat(1e6), () => {})`,
		"commands":            `for (let i = 0; ; i++) pi.registerCommand("c" + i, { description: "y".repeat(1e6), handler() {} })`,
		"flags":               `for (let i = 0; ; i++) pi.registerFlag("f" + i, { type: "string", default: "y".repeat(1e6) })`,
		"a handler of itself": `pi.on("tool_call", function h() { pi.on("tool_call", h) })`,
	} {
		for _, runtime := range []string{jsrun.Sandbox, jsrun.Node} {
			t.Run(runtime+"/"+name, func(t *testing.T) {
				if raceEnabled && name != "commands" {
					t.Skip("takes a minute with the race detector; other runs of the test do not skip it")
				}
				if runtime == jsrun.Node {
					inNode(t)
				}
				h := opened(t, xcsh.Config{Extensions: true}, &modules.Loader{Runtime: runtime, Options: jsrun.Options{CPU: time.Minute}})
				h.written(t, "gate.mjs", `export default pi => {
					pi.on("tool_call", () => {
						if (pi.full) return;
						pi.full = true;
						`+register+`
					})
				}`)
				err := h.run(t.Context(), "bash", `{}`)
				if err == nil || !strings.Contains(err.Error(), "a module can register 2000 handlers, commands and tools, of 8388608 bytes in all") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
