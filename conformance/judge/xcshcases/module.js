// Does what a hook of the cases is described to do. It tells what it did by
// lines of its log: if several lines have the same key, the last one counts.
const hook = __HOOK__;

const copy = value => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = value => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map(name => [name, sorted(value[name])]));
};
const lookup = (value, path) => path.split(".").reduce((at, name) => (at === undefined || at === null ? undefined : at[name]), value);

let runs = 0;
const token = Math.random().toString(36).slice(2);

function trace(pi, handler) {
  const key = `${hook.path}:${token}:${++runs}`;
  const entry = { handler };
  const write = () => pi.logger.debug("xcsh-trace " + JSON.stringify({ key, entry }));
  write();
  return (name, value) => {
    entry[name] = copy(value);
    write();
  };
}

function saw(handler, event, ctx) {
  const values = {};
  for (const path of handler.record ?? []) {
    let value;
    if (path === "@event") value = event;
    else if (path.startsWith("@ctx.")) value = lookup(ctx, path.slice(5));
    else value = lookup(event, path);
    if (value !== undefined) values[path] = copy(value);
  }
  return values;
}

function holds(when, event) {
  if (!when) return true;
  const value = lookup(event, when.path);
  return when.contains ? typeof value === "string" && value.includes(when.contains) : same(value, when.equals);
}

function mutate(event, { op, path, value }) {
  const names = path.split(".");
  const last = names.pop();
  const at = names.length ? lookup(event, names.join(".")) : event;
  if (at === undefined || at === null) return;
  if (op === "append") at[last] = [...(at[last] ?? []), value];
  else at[last] = value;
}

function chained({ field, drop, append, replaceText }, event) {
  let list = event[field] ?? [];
  if (drop) list = list.filter(item => !Object.entries(drop).every(([name, value]) => same(item[name], value)));
  if (replaceText) {
    const { from, to } = replaceText;
    list = list.map(item => (item.type === "text" ? { ...item, text: item.text.split(from).join(to) } : item));
  }
  return { [field]: append === undefined ? [...list] : [...list, append] };
}

function failure({ kind, message }) {
  return kind === "value" ? message : new Error(message);
}

function callAPI(pi, { call, args, handler }) {
  if (call === "on") pi.on(handler.on, handle(pi, handler));
  else pi[call](...(args ?? []));
}

async function callAll(calls, on) {
  const made = [];
  for (const { call, args } of calls) {
    const [name, ...inner] = call.split(".").reverse();
    const target = inner.reverse().reduce((at, part) => at[part], on);
    const result = await target[name](...(args ?? []));
    made.push(result === undefined ? { call } : { call, result });
  }
  return made;
}

function handle(pi, handler) {
  const begin = (event, ctx) => {
    const tell = trace(pi, handler.id);
    const seen = saw(handler, event, ctx);
    if (Object.keys(seen).length) tell("saw", seen);
    return tell;
  };
  if (handler.sync) {
    return (event, ctx) => {
      begin(event, ctx);
      if (handler.throws) throw failure(handler.throws);
      return copy(handler.returns);
    };
  }
  return async (event, ctx) => {
    const tell = begin(event, ctx);
    if (!holds(handler.when, event)) return;
    if (handler.delayMs) await new Promise(done => setTimeout(done, handler.delayMs));
    for (const mutation of handler.mutate ?? []) mutate(event, mutation);
    for (const call of handler.api ?? []) callAPI(pi, call);
    let answers = [];
    if (handler.ui) tell("ui", (answers = await callAll(handler.ui, ctx.ui)));
    if (handler.ctx) tell("ctx", await callAll(handler.ctx, ctx));
    if (handler.throws) throw failure(handler.throws);
    if (handler.chain) return chained(handler.chain, event);
    if (handler.returnsIf) return same(answers[handler.returnsIf.ui]?.result, handler.returnsIf.equals) ? copy(handler.returnsIf.returns) : undefined;
    return copy(handler.returns);
  };
}

function command(pi, { name, description, id, ctx, throws }) {
  const handler = async (args, context) => {
    const tell = trace(pi, `command:${id ?? name}`);
    tell("saw", { args });
    if (ctx) tell("ctx", await callAll(ctx, context));
    if (throws) throw failure(throws);
  };
  pi.registerCommand(name, description === undefined ? { handler } : { description, handler });
}

export default function (pi) {
  for (const call of hook.factoryApi ?? []) callAPI(pi, call);
  for (const handler of hook.handlers ?? []) pi.on(handler.on, handle(pi, handler));
  for (const each of hook.commands ?? []) command(pi, each);
  for (const { customType, id } of hook.renderers ?? []) pi.registerMessageRenderer(customType, () => id);
}
