package modules_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// A result blocks if JavaScript reads its member block as true, however the member was set.
func TestARefusalIsReadAsJavaScriptReadsIt(t *testing.T) {
	for _, runtime := range []string{jsrun.Sandbox, jsrun.Node} {
		for name, handler := range map[string]string{
			"getters of a class":         `() => new (class { #why = "no"; get block() { return true } get reason() { return this.#why } })()`,
			"a prototype":                `() => { class Base {}; Base.prototype.block = true; Base.prototype.reason = "no"; return new Base() }`,
			"Object.create":              `() => Object.create({ block: true, reason: "no" })`,
			"not enumerable":             `() => Object.defineProperties({}, { block: { value: true }, reason: { value: "no" } })`,
			"a Proxy":                    `() => new Proxy({}, { get: (_, name) => ({ block: true, reason: "no" })[name] })`,
			"a toJSON of its own":        `() => ({ block: true, reason: "no", toJSON() { return {} } })`,
			"a toJSON of all objects":    `() => { Object.prototype.toJSON = () => ({}); return { block: true, reason: "no" } }`,
			"an array":                   `() => Object.assign([], { block: true, reason: "no" })`,
			"a date":                     `() => Object.assign(new Date(), { block: true, reason: "no" })`,
			"a string object":            `() => Object.assign(new String("x"), { block: true, reason: "no" })`,
			"a boolean object":           `() => Object.assign(new Boolean(false), { block: true, reason: "no" })`,
			"block: no date":             `() => ({ block: new Date(NaN), reason: "no" })`,
			"block: an object of false":  `() => ({ block: new Boolean(false), reason: "no" })`,
			"block: an object of NaN":    `() => ({ block: new Number(NaN), reason: "no" })`,
			"block: an object of \"\"":   `() => ({ block: new String(""), reason: "no" })`,
			"block: an object no JSON":   `() => ({ block: { toJSON() {} }, reason: "no" })`,
			"block: yes once":            `() => { let n = 0; return { get block() { return n++ === 0 }, reason: "no" } }`,
			"block: yes in an async one": `async () => Object.create({ block: true, reason: "no" })`,
			"a promise that is lazy": `() => { class Lazy extends Promise {
				static get [Symbol.species]() { return Promise }
				constructor(run) { super(done => done()); this.run = run }
				then(...args) { return new Promise(this.run).then(...args) }
			}; return new Lazy(done => done({ block: true, reason: "no" })) }`,
		} {
			t.Run(runtime+"/"+name, func(t *testing.T) {
				t.Parallel()
				if runtime == jsrun.Node {
					inNode(t)
				}
				h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: runtime})
				h.written(t, "gate.mjs", `export default pi => { pi.on("tool_call", `+handler+`) }`)
				if err := h.run(t.Context(), "bash", `{}`); err == nil || err.Error() != "no" {
					t.Errorf("got %v, want the refusal", err)
				}
			})
		}
		for name, handler := range map[string]string{
			"nothing":            `() => undefined`,
			"no members":         `() => ({})`,
			"block: false":       `() => ({ block: false, reason: "no" })`,
			"block: null":        `() => ({ block: null })`,
			"a getter that says": `() => new (class { get block() { return false } })()`,
			"an array of them":   `() => [{ block: true }]`,
		} {
			t.Run(runtime+"/goes ahead/"+name, func(t *testing.T) {
				t.Parallel()
				if runtime == jsrun.Node {
					inNode(t)
				}
				h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: runtime})
				h.written(t, "gate.mjs", `export default pi => { pi.on("tool_call", `+handler+`) }`)
				if err := h.run(t.Context(), "bash", `{}`); err != nil {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
