// Package jsrun runs hook modules written in JavaScript or TypeScript, each in a small engine of its own,
// without a process and without cgo.
//
//	m, err := jsrun.Open(ctx, "gate.ts", jsrun.Options{})
//	…
//	defer m.Close()
//
//	api := &jsrun.Object{Sync: map[string]jsrun.Func{"on": jsrun.On(subscribe)}}
//	err = m.Start(ctx, api.Bind(handlers, nil))     // export default function (pi) { pi.on("tool_call", …) }
//	…
//	answer, err := m.Call(ctx, handler, event, view.Bind(session, nil))
//
// A module is a file whose default export is a function. The host passes it an object, described by [Object],
// and receives each function that the module registers there as a [Handle]. The host defines the events and
// the contents of those objects.
//
// # The environment of a module
//
// The language is ES2023, with TypeScript's types stripped: modules, async and await (at the top level too),
// generators of both kinds, and all of regular expressions. Opening a module joins its relative imports of
// .ts, .mts, .cts, .js, .mjs, .cjs and .json files into one text and drops imports of types; [Options.Modules]
// adds modules with a bare name. Of the modules of Node.js, path and url are available, because they need no
// system; import.meta.url and its relatives return the path of the file. Every other import fails to load:
// packages, the other modules of Node.js and Bun, addresses.
//
// In addition to the language there are
//
//   - console: log, info, warn, error, debug
//   - setTimeout, setInterval, setImmediate, their opposites, queueMicrotask
//   - AbortController, and AbortSignal with abort, timeout and any
//   - TextEncoder, TextDecoder for UTF-8, atob, btoa
//   - URL and URLSearchParams, for addresses of up to 64 KiB
//   - structuredClone, without transfer
//   - performance.now, crypto.randomUUID, crypto.getRandomValues
//   - toLocaleString of numbers, in American format
//   - process.cwd with an [Options.Dir], process.env with an [Options.Environ], process.platform
//     with either
//
// and no file system, processes, network or Intl. Use of a missing global is an [*UnavailableError], which names the
// line. Rejected promises that nothing awaits are not reported.
//
// [Options.Runtime] runs a module in a process of Node.js or Bun in place of the engine, with the rights of
// its user. The objects of the host are the same there.
//
// # The limits of a module
//
// A module can make the calls of its functions fail, and it can end. [Options.CPU] limits the time of each
// stay in the engine; waiting for people, processes and timers is not included. Loops, regular expressions and
// chains of promises are interrupted. Memory and the depth of calls are limited too, and the module continues
// after it reaches one of these limits. The module ends if its jobs never run out, or if the engine does not
// react to an interruption within five seconds, as in some of its searches through very large values:
// [Module.Dead] then returns the reason, and every later call fails at once.
//
// The engines of a process share an allocator with a lock: two modules in parallel are no faster than one
// after the other.
package jsrun
