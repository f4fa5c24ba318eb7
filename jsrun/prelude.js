// The JavaScript half of the bridge. Go evaluates this expression once for each VM and keeps the function that it
// returns, the only one that Go ever calls.
//
// host(op, ...) calls Go. Values are passed as JSON text; undefined, which JSON lacks, is passed as undefined.
// results.members lists the members that are read of results that are objects, and results.flags lists the boolean ones
// among them. results.watched lists, by the type of an event, the members whose changes by a function are returned
// together with its result.
(host, { Signals, timers, describe, complain }, results) => {
  const { AbortSignal, Promise } = globalThis; // kept, because a module may replace the globals
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { create, hasOwn, keys } = Object;
  const { isArray } = Array;
  const slice = Function.prototype.call.bind(Array.prototype.slice);
  const { String, TypeError } = globalThis;
  const resolve = Promise.resolve.bind(Promise);
  const { then } = Promise.prototype;
  const evaluate = globalThis.eval;

  const functions = new Map(); // handle → {fn, self}
  const shapes = new Map(); // shape → function that makes an object of it
  const waiting = new Map(); // number of an async call → {resolve, reject, ends}
  let factory;
  let last = 0; // handle, or number of an async call

  const signals = new Signals(host);
  const released = new FinalizationRegistry(id => host("release", id));

  // outgoing returns the JSON of a result, and throws for a value that JSON cannot hold. In all other calls
  // JSON.stringify leaves functions out as usual.
  let leaving = false;
  function outgoing(value) {
    if (value === undefined) return undefined;
    if (value instanceof Touched) return value.text();
    leaving = true;
    try {
      if (typeof value !== "object" || value === null) return stringify(value);
      const result = seen(value);
      for (const name of keys(result)) if (name !== "toJSON") held(name, result[name]);
      return stringify(result);
    } finally {
      leaving = false;
    }
  }

  // seen returns a copy of a result in which each of results.members has been read once, as JavaScript reads it:
  // JSON.stringify leaves out inherited members and those that are not enumerable, such as the getters of a class, and
  // calls toJSON. An object in one of results.flags counts as true, whatever its JSON.
  function seen(value) {
    let result;
    for (const name of results.members) {
      const member = value[name];
      if (member !== undefined) (result ??= create(null))[name] = member;
    }
    if (result === undefined) return value;
    for (const name of keys(value)) if (!(name in result) && name !== "toJSON") result[name] = value[name];
    for (const name of results.flags) if (typeof result[name] === "object" && result[name] !== null) result[name] = true;
    return result;
  }

  // Touched is a result with the changes that the function has made to its event: changed holds the members that were
  // changed in place, and assigned the names of members that got another value.
  class Touched {
    constructor(result, changed, assigned) {
      this.result = result;
      this.changed = changed;
      this.assigned = assigned;
    }
    text() {
      const result = outgoing(this.result);
      leaving = true;
      try {
        return `{"$touched":{"changed":${stringify(this.changed)},"assigned":${stringify(this.assigned)}}` +
          `${result === undefined ? "" : `,"result":${result}`}}`;
      } finally {
        leaving = false;
      }
    }
  }

  // watched calls a function, and returns its result together with its changes to the watched members of the event. The
  // cost grows with the number of values in these members, but not with the length of their texts. Members of any size
  // are watched.
  function watched(event, run) {
    const type = event?.type;
    if (typeof type !== "string" || !hasOwn(results.watched, type)) return run();
    const names = results.watched[type];
    const before = [];
    for (let i = 0; i < names.length; i++) {
      const value = event[names[i]];
      before[i] = { name: names[i], value, nodes: snapshot(value) };
    }
    const told = result => {
      const changed = create(null);
      const assigned = [];
      for (let i = 0; i < before.length; i++) {
        const { name, value, nodes } = before[i];
        if (event[name] !== value) assigned[assigned.length] = name;
        if (differs(nodes)) changed[name] = value;
      }
      return assigned.length === 0 && keys(changed).length === 0 ? result : new Touched(result, changed, assigned);
    };
    const result = run();
    const waits = result instanceof Promise || typeof result?.then === "function";
    return waits ? apply(then, resolve(result), [told]) : told(result);
  }

  // snapshot lists the objects in a value, each with its present values and their names; a list has no names. No object
  // occurs twice, since the value was parsed from JSON.
  function snapshot(value) {
    const nodes = [];
    if (typeof value !== "object" || value === null) return nodes;
    const todo = [value];
    while (todo.length > 0) {
      const of = todo[todo.length - 1];
      todo.length--;
      let names, values;
      if (isArray(of)) {
        values = slice(of);
      } else {
        names = keys(of);
        values = [];
        for (let i = 0; i < names.length; i++) values[i] = of[names[i]];
      }
      nodes[nodes.length] = { of, names, values };
      for (let i = 0; i < values.length; i++) {
        const inner = values[i];
        if (typeof inner === "object" && inner !== null) todo[todo.length] = inner;
      }
    }
    return nodes;
  }

  // differs reports whether an object of a snapshot has changed since.
  function differs(nodes) {
    for (let i = 0; i < nodes.length; i++) {
      const { of, names, values } = nodes[i];
      if ((names === undefined ? of : keys(of)).length !== values.length) return true;
      for (let k = 0; k < values.length; k++) {
        if (of[names === undefined ? k : names[k]] !== values[k]) return true;
      }
    }
    return false;
  }

  // held throws for a member that is true in JavaScript, but that JSON leaves out or writes as null: otherwise {block:
  // 1 / 0} would not block.
  function held(name, value) {
    if (value !== Infinity && value !== -Infinity && typeof value !== "symbol" && typeof value !== "function") return;
    const what = typeof value === "function" ? "a function" : String(value);
    throw new TypeError(`"${name}" of the result is ${what}, which JSON cannot hold`);
  }

  // JSON.stringify calls toJSON of a function, and only of a function: other values cost no time.
  Object.defineProperty(Function.prototype, "toJSON", {
    value(key) {
      if (!leaving) return undefined;
      throw new TypeError(`${key === "" ? "the result" : `"${key}" of the result`} is a function, which JSON cannot hold`);
    },
    writable: true,
    configurable: true,
  });

  // listed returns the JSON of arguments. Functions become handles, which are added to handles; abort signals are added
  // to aborts.
  function listed(args, handles, aborts) {
    while (args.length > 0 && args[args.length - 1] === undefined) args.pop();
    if (args.every(plain)) return stringify(args);
    return stringify(args, function (key, value) {
      const raw = this[key]; // before any toJSON
      if (typeof raw === "function") {
        functions.set(++last, { fn: raw, self: this === args ? undefined : this });
        handles.push(last);
        return { $function: last };
      }
      if (!(raw instanceof AbortSignal)) return value;
      aborts.push(raw);
      return undefined;
    });
  }

  // answered decodes the answer of a Go function: undefined, "=" and JSON, or "!" and the text of an error. In a
  // process the answer is an object: {}, {value} or {error}.
  function answered(text) {
    if (text === undefined) return undefined;
    if (typeof text === "object") {
      if (text.error !== undefined) throw new Error(text.error);
      return text.value;
    }
    if (text[0] === "!") throw new Error(text.slice(1));
    return parse(text.slice(1));
  }

  const plain = arg => typeof arg === "string" || typeof arg === "number" || typeof arg === "boolean";

  // missing returns a stand-in for an absent value, whose use throws an error. The stand-in may be awaited and printed.
  function missing(why) {
    const use = () => {
      throw new Error(why);
    };
    const get = (_, name) => (typeof name === "symbol" || name === "then" || name === "toJSON" ? undefined : use());
    return new Proxy(function () {}, { get, has: use, set: use, apply: use, construct: use });
  }

  // members makes the members of objects that Go implements; token identifies the object.
  const members = {
    sync: (token, fn, args) => answered(host("sync", token.id, fn, listed(args, [], []))),
    async: (token, fn, args) =>
      new Promise((resolve, reject) => {
        const handles = [];
        const aborts = [];
        const text = listed(args, handles, aborts);
        const id = ++last;
        const ends = handles.map(handle => () => functions.delete(handle));
        waiting.set(id, { resolve, reject, ends });
        host("async", id, token.id, fn, text, aborts.some(signal => signal.aborted));
        for (const signal of aborts) ends.push(signals.cancel(signal, id));
      }),
    signal: token => signals.of(token.id),
    missing,
  };

  // lazily makes an object at its first use: many handlers do not use it, and making its functions is the larger part
  // of a call's cost.
  const made = target => (target.object ??= shapes.get(target.shape)(target.token, target.properties));
  const lazily = {
    get: (target, name) => made(target)[name],
    set: (target, name, value) => Reflect.set(made(target), name, value),
    has: (target, name) => name in made(target),
    ownKeys: target => Reflect.ownKeys(made(target)),
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(made(target), name),
    defineProperty: (target, name, how) => Reflect.defineProperty(made(target), name, how),
    deleteProperty: (target, name) => Reflect.deleteProperty(made(target), name),
  };

  function bound(shape, id, properties) {
    if (!shapes.has(shape)) shapes.set(shape, evaluate(host("shape", shape))(members));
    const token = { id };
    released.register(token, id);
    return new Proxy({ shape, token, properties }, lazily);
  }

  // answer passes the result of run to Go: at once, or when the promise settles if the result is one.
  function answer(call, run) {
    let value;
    try {
      value = run();
      if (value instanceof Promise || typeof value?.then === "function") {
        // resolve makes a plain promise: a subclass of Promise may replace then.
        apply(then, resolve(value), [result => tell(call, result), error => explain(call, error)]);
        return;
      }
    } catch (error) {
      return explain(call, error);
    }
    tell(call, value);
  }

  // Reading the value that a module returns or throws can run the module's code, which can be interrupted: telling is
  // the call that then waits for an answer.
  let telling;

  function tell(call, value) {
    telling = call;
    try {
      host("answer", call, outgoing(value));
    } catch (error) {
      explain(call, error);
    }
    telling = undefined;
  }

  function explain(call, error) {
    telling = call;
    let text;
    try {
      text = stringify(describe(error));
    } catch {
      // Without a text Go describes the failure itself.
    }
    host("fail", call, text);
    telling = undefined;
  }

  // received decodes the arguments of a call. After the arguments the list has three numbers for each argument that is
  // an object of the host, and the number of these objects: a flat list is the fastest to parse.
  function received(text) {
    const args = taken(text);
    for (let n = args.pop(); n > 0; n--) {
      const id = args.pop();
      const shape = args.pop();
      const at = args.pop();
      args[at] = bound(shape, id, args[at]);
    }
    return args;
  }

  // taken parses text from Go, which may be nested too deep or be too large for the engine. In a process the text was
  // already parsed as a part of its line.
  function taken(text) {
    if (typeof text === "object") return text;
    try {
      return parse(text);
    } catch (error) {
      if (error !== null) Object.assign(error, { name: "InternalError", message: `the module was called with more than its engine can take in: ${error.message}` });
      throw error;
    }
  }

  const entries = {
    load(call, name) {
      answer(call, async () => {
        factory = (await import(name)).default;
        if (factory?.__esModule) factory = factory.default; // written as CommonJS by a compiler
        return typeof factory === "function";
      });
    },
    start(call, text) {
      answer(call, async () => {
        await factory(...received(text));
      });
    },
    call(call, handle, text) {
      answer(call, () => {
        const args = received(text); // first, so that objects are always released
        const known = functions.get(handle);
        if (known === undefined) throw new Error("the function is gone: the call it was given to has ended");
        return watched(args[0], () => apply(known.fn, known.self, args));
      });
    },
    settle(id, text) {
      if (!waiting.has(id)) return; // the module itself wrote the request to which this is the answer
      const { resolve, reject, ends } = waiting.get(id);
      waiting.delete(id);
      for (const end of ends) end();
      try {
        resolve(answered(text));
      } catch (error) {
        reject(error);
      }
    },
    interrupted() {
      leaving = false;
      if (telling !== undefined) host("fail", telling, undefined);
      telling = undefined;
    },
    abort: (id, why) => signals.abort(id, why),
    done: id => signals.forget(id),
    fire: id => timers.fire(id, complain),
  };

  return (op, a, b, c) => entries[op](a, b, c);
}
