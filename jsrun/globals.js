// This script defines the globals of a module that are not part of the language or of a host's API: console, timers,
// abort signals, performance, random values, and URL at its first use. text.js defines its globals before this script
// runs.
host => {
  const { stringify } = JSON;
  const define = all => {
    for (const [name, value] of Object.entries(all)) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    }
  };
  const named = (name, message) => Object.defineProperty(new Error(message), "name", { value: name, configurable: true });

  // describe returns the description of a thrown value for Go.
  function describe(thrown) {
    // The engine throws null when there is no memory left for an error.
    if (thrown === null) return { message: "out of memory, or null was thrown", name: "InternalError" };
    if (!(thrown instanceof Error)) return { message: text(thrown), nonError: true };
    return { message: messageOf(thrown), name: `${thrown.name}`, stack: `${thrown.stack}` };
  }

  // messageOf returns the message of an error. If there was no memory for the message, reading it throws a value whose
  // typeof is "unknown".
  function messageOf(error) {
    try {
      return `${error.message}`;
    } catch (failure) {
      if (typeof failure !== "unknown") throw failure;
      return "out of memory";
    }
  }

  function text(value) {
    try {
      return String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  }

  function shown(value) {
    if (typeof value !== "object" || value === null) return text(value);
    if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack}`.trimEnd();
    try {
      return stringify(value) ?? text(value);
    } catch {
      return text(value);
    }
  }

  const say = level => (...values) => void host("console", level, values.map(shown).join(" "));
  const console = { log: say("log"), info: say("info"), warn: say("warn"), error: say("error"), debug: say("debug") };
  const complain = error => console.error("Uncaught", error);

  // Go measures the time of timers, and calls fire when they are due.
  const running = new Map();
  let last = 0;
  const timer = repeat => (fn, ms = 0, ...args) => {
    if (typeof fn !== "function") throw new TypeError("the callback of a timer must be a function");
    running.set(++last, { fn, args, repeat });
    host("timer", last, Number(ms) || 0, repeat);
    return last;
  };
  const clear = id => void (running.delete(id) && host("clear", id));
  const timers = {
    fire(id, failed) {
      const due = running.get(id);
      if (due === undefined) return;
      if (!due.repeat) running.delete(id);
      run(due.fn, due.args, failed);
    },
  };
  async function run(fn, args, failed) {
    try {
      await fn(...args);
    } catch (error) {
      failed(error);
    }
  }
  const queueMicrotask = fn => void Promise.resolve().then(() => run(fn, [], complain));

  class AbortSignal {
    #listeners = new Set();
    aborted = false;
    reason = undefined;
    onabort = null;
    addEventListener(type, listener) {
      if (type === "abort") this.#listeners.add(listener);
    }
    removeEventListener(type, listener) {
      if (type === "abort") this.#listeners.delete(listener);
    }
    throwIfAborted() {
      if (this.aborted) throw this.reason;
    }
    toJSON() {} // JSON leaves a signal out, like the arguments of host functions
    static raise(signal, reason = named("AbortError", "This operation was aborted")) {
      if (signal.aborted) return;
      signal.aborted = true;
      signal.reason = reason;
      const event = { type: "abort", target: signal };
      const listeners = [...signal.#listeners];
      signal.#listeners.clear(); // a signal aborts once
      if (typeof signal.onabort === "function") listeners.unshift(signal.onabort);
      for (const fn of listeners) run(typeof fn === "function" ? fn.bind(signal) : e => fn.handleEvent(e), [event], complain);
    }
    static abort(reason) {
      const signal = new AbortSignal();
      raise(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal();
      setTimeout(() => raise(signal, named("TimeoutError", "The operation timed out")), ms);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal();
      for (const other of signals) {
        if (other.aborted) raise(signal, other.reason);
        else other.addEventListener("abort", () => raise(signal, other.reason));
      }
      return signal;
    }
  }
  const { raise } = AbortSignal;
  delete AbortSignal.raise;
  const setTimeout = timer(false);

  class AbortController {
    signal = new AbortSignal();
    abort(reason) {
      raise(this.signal, reason);
    }
  }

  // Signals holds the abort signals that Go raises, by the number of their object.
  class Signals {
    #known = new Map();
    #host;
    constructor(host) {
      this.#host = host;
    }
    of(id) {
      const signal = new AbortSignal();
      this.#known.set(id, signal);
      const why = this.#host("watch", id);
      if (why !== undefined) this.abort(id, why);
      return signal;
    }
    abort(id, why) {
      const signal = this.#known.get(id);
      if (signal !== undefined) raise(signal, named("AbortError", why));
      this.#known.delete(id);
    }
    forget(id) {
      this.#known.delete(id);
    }
    // cancel makes the signal end the context of an async call, until the returned function is called.
    cancel(signal, call) {
      const end = () => void this.#host("cancel", call);
      if (signal.aborted) end();
      signal.addEventListener("abort", end);
      return () => signal.removeEventListener("abort", end);
    }
  }

  define({ console, setTimeout, setInterval: timer(true), setImmediate: (fn, ...args) => setTimeout(fn, 0, ...args) });
  define({ clearTimeout: clear, clearInterval: clear, clearImmediate: clear, queueMicrotask });
  define({ AbortSignal, AbortController });

  const begin = Date.now();
  const performance = { timeOrigin: begin, now: () => Date.now() - begin };

  const random = n => host("random", n).match(/../g).map(hex => parseInt(hex, 16));
  const crypto = {
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array)) throw new TypeError("getRandomValues fills a typed array");
      if (array.byteLength > 65536) throw named("QuotaExceededError", "getRandomValues gives 65536 bytes at most");
      if (array.byteLength > 0) new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(random(array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = random(16);
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      const hex = bytes.map(b => b.toString(16).padStart(2, "0")).join("");
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
    },
  };
  define({ performance, crypto });

  // process has only the members that the host grants; reading any other member throws an error that names it.
  const directory = host("directory", 0);
  const environ = host("environ", 0);
  if (directory !== undefined || environ !== undefined) {
    const known = { __proto__: null, platform: host("platform", 0), then: undefined, toJSON: undefined };
    if (directory !== undefined) known.cwd = () => directory;
    if (environ !== undefined) known.env = JSON.parse(environ);
    const get = (_, name) => {
      if (typeof name !== "symbol" && !(name in known)) throw new ReferenceError(`process.${name} is not defined`);
      return known[name];
    };
    define({ process: new Proxy(known, { get }) });
  }

  // URL is defined at its first use: few modules use it, and its text is long.
  const evaluate = globalThis.eval;
  for (const name of ["URL", "URLSearchParams"]) {
    const get = () => {
      define(evaluate(host("url", 0))(host));
      return globalThis[name];
    };
    Object.defineProperty(globalThis, name, { get, set: value => define({ [name]: value }), configurable: true });
  }
  return { Signals, timers, describe, complain };
}
