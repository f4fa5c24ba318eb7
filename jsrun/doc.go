// Package jsrun runs hook modules written in JavaScript or TypeScript, each in
// a small engine of its own, without a process and without cgo.
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
// A module is a file whose default export is a function. The host passes it an
// object, described by [Object], and gets the functions it registers there as
// a [Handle] each. Which events there are, and what is in those objects, is the
// host's.
//
// # What a module can use
//
// The language is ES2023, with TypeScript's types stripped: modules, async and
// await, also at the top level, generators of both kinds, all of regular
// expressions. Relative imports of .ts, .mts, .cts, .js, .mjs, .cjs and .json
// files are joined into one text when the module is opened, those of types
// alone vanish, and [Options.Modules] adds modules with a bare name. Of the
// modules of Node.js there are path and url, which need no system; a file knows
// its own place, by import.meta.url and the like. Anything else fails to load:
// packages, the other modules of Node.js and Bun, addresses.
//
// Beside the language there are
//
//   - console: log, info, warn, error, debug
//   - setTimeout, setInterval, setImmediate, their opposites, queueMicrotask
//   - AbortController, and AbortSignal with abort, timeout and any
//   - TextEncoder, TextDecoder for UTF-8, atob, btoa
//   - URL and URLSearchParams, for addresses of up to 64 KiB
//   - structuredClone, without transfer
//   - performance.now, crypto.randomUUID, crypto.getRandomValues
//   - toLocaleString of numbers, as in America
//   - process.cwd with an [Options.Dir], process.env with an [Options.Environ],
//     process.platform with either
//
// and no file system, processes, network or Intl. An error that
// comes from looking for them is an [*UnavailableError], which says where.
// Rejected promises that are not awaited are not reported.
//
// [Options.Runtime] runs a module in a process of Node.js or Bun in place of the
// engine, with the rights of its user. The objects of the host are the same there.
//
// # What a module can do to its host
//
// It can make the calls of its functions fail, and come to an end. Every stay
// in the engine has a limit of time, [Options.CPU], which waiting for people,
// processes and timers does not count against: loops, regular expressions and
// chains of promises are interrupted. Memory and the depth of calls have a
// limit each, and the module goes on after reaching one. It does not if its
// jobs have no end, or if the engine does not react to being interrupted for
// five seconds, as in some searches of its own through what is very large:
// then [Module.Dead] says why, and every later call fails at once.
//
// The engines of a process share an allocator, which is locked: modules do not
// run faster side by side.
package jsrun
