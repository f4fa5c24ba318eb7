// This program runs a module in a process of Node.js or Bun. It has the task that sandbox.go and engine.go have in the
// sandbox. It exchanges lines of the worker protocol (docs/warm.md, docs/worker.schema.json) with the host, on
// descriptors other than those to which the module and its programs print: it reads calls from 3, writes answers and
// requests to 4, and reads from 5 the answers to requests for which this thread blocks.
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { format } from "node:util";
import prelude from "./prelude.mjs";

const { file, results } = JSON.parse(process.argv[2]);
const { parse, stringify } = JSON;
const AbortController = globalThis.AbortController;
globalThis.require = createRequire(file); // modules that are written as CommonJS load packages with it
process.argv = [process.argv[0], file];

function sleep() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

// whole calls io, which reads or writes some bytes, until it succeeds.
function whole(io) {
  for (;;) {
    try {
      return io();
    } catch (error) {
      if (error.code !== "EAGAIN" && error.code !== "EINTR") process.exit(1); // the host is gone
      sleep();
    }
  }
}

function line(text) {
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length; ) at += whole(() => fs.writeSync(4, bytes, at));
}

let rest = Buffer.alloc(0);
const part = Buffer.allocUnsafe(1 << 16);

// ask sends a request to the host, and blocks until the answer has arrived.
function ask(question) {
  line(`{"ask":${question}}`);
  const parts = [rest];
  for (let end = rest.indexOf(10); ; ) {
    if (end >= 0) {
      const last = parts.pop();
      rest = last.subarray(end + 1);
      return parse(Buffer.concat([...parts, last.subarray(0, end)]).toString()).answer;
    }
    const n = whole(() => fs.readSync(5, part, 0, part.length, null));
    if (n === 0) process.exit(1);
    parts.push(Buffer.from(part.subarray(0, n)));
    end = parts.at(-1).indexOf(10);
  }
}

// host calls Go; see prelude.js for the operations.
const operations = {
  answer: (call, text) => line(`{"id":"${call}","output":{${text === undefined ? "" : `"value":${text}`}}}`),
  fail: (call, text) => line(`{"id":"${call}","output":{"error":${text ?? "{}"}}}`),
  sync: (object, fn, args) => ask(`{"object":${object},"function":${fn},"arguments":${args}}`),
  async: (id, object, fn, args, aborted) =>
    line(`{"ask":{"id":"${id}","object":${object},"function":${fn},"arguments":${args}${aborted ? ',"aborted":true' : ""}}}`),
  watch: id => ask(`{"signal":${id}}`).value,
  shape: id => ask(`{"shape":${id}}`).value,
  cancel: id => line(`{"cancel":"${id}"}`),
  release: id => line(`{"release":${id}}`),
};
const host = (op, ...args) => operations[op](...args);

// Signals holds the abort signals that Go raises, by the number of their object.
const controllers = new Map();
class Signals {
  of(id) {
    const controller = new AbortController();
    controllers.set(id, controller);
    const why = host("watch", id);
    if (why !== undefined) this.abort(id, why);
    return controller.signal;
  }
  abort(id, why) {
    controllers.get(id)?.abort(new DOMException(why, "AbortError"));
    controllers.delete(id);
  }
  forget(id) {
    controllers.delete(id);
  }
  cancel(signal, id) {
    const end = () => host("cancel", id);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    return () => signal.removeEventListener("abort", end);
  }
}
// JSON leaves signals among arguments out, as in the sandbox.
Object.defineProperty(globalThis.AbortSignal.prototype, "toJSON", { value() {}, configurable: true, writable: true });

function describe(thrown) {
  if (!(thrown instanceof Error)) return { message: text(thrown), nonError: true };
  const { name, message, stack } = thrown;
  const frames = `${stack}`.split("\n").filter(frame => /^\s+at /.test(frame));
  return { message: `${message}`, name: `${name}`, stack: frames.join("\n") };
}

function text(value) {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

const log = (level, text) => line(`{"log":${stringify({ level, text })}}`);
const complain = error => log("error", `Uncaught ${error?.stack ?? text(error)}`);
process.on("uncaughtException", complain);
process.on("unhandledRejection", complain);
for (const level of ["log", "info", "warn", "error", "debug"]) console[level] = (...values) => log(level, format(...values));

const enter = prelude(host, { Signals, timers: undefined, describe, complain }, results);
const waiting = new Set(); // calls that are not answered yet
for (const op of ["answer", "fail"]) {
  const tell = operations[op];
  operations[op] = (call, text) => waiting.delete(call) && tell(call, text);
}

function receive(message) {
  if (message.ping !== undefined) return line(`{"pong":${message.ping}}`);
  if (message.answer !== undefined) return enter("settle", Number(message.answer.id), message.answer);
  if (message.abort !== undefined) return enter("abort", message.abort.object, message.abort.reason);
  if (message.done !== undefined) return enter("done", message.done);
  if (message.cancel !== undefined) return host("fail", Number(message.cancel), '{"message":"cancelled","name":"AbortError"}');
  const call = Number(message.id);
  const { payload } = message;
  waiting.add(call);
  if (message.event === "load") return enter("load", call, payload.module);
  if (message.event === "start") return enter("start", call, payload.arguments);
  enter("call", call, payload.function, payload.arguments);
}

let parts = [];
// Node.js reads a socket without a thread; Bun cannot make a socket of a descriptor.
const calls = globalThis.Bun ? fs.createReadStream("", { fd: 3 }) : new net.Socket({ fd: 3, readable: true, writable: false });
calls.on("data", bytes => {
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
    const text = Buffer.concat([...parts, bytes.subarray(0, end)]).toString();
    parts = [];
    bytes = bytes.subarray(end + 1);
    try {
      receive(parse(text));
    } catch (error) {
      complain(error); // thrown further, it would lose the lines that follow in bytes
    }
  }
  if (bytes.length > 0) parts.push(bytes);
});
calls.on("end", () => process.exit(0));
line('{"ready":{"concurrency":256}}');
