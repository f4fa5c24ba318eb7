// This script defines URL and URLSearchParams of the web platform. Go parses addresses, see url.go; the objects here
// hold the parts by name.
host => {
  const { parse } = JSON;
  const utf8 = new TextEncoder();

  // parts returns the parts of an address from Go's answer: undefined for an invalid address, "=" and the parts, or "!"
  // and the reason why the address was not parsed, which parts throws.
  function parts(...asked) {
    const answer = host("address", ...asked.map(text => text.toWellFormed()));
    if (answer?.[0] === "!") throw new RangeError(answer.slice(1));
    return answer && parse(answer.slice(1));
  }

  const fail = (input, base) => {
    throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input }, base === undefined ? {} : { base });
  };

  function percentEncoded(text) {
    const hex = b => `%${b.toString(16).toUpperCase().padStart(2, "0")}`;
    return text.replace(/[^\w*.\- ]/gu, c => Array.from(utf8.encode(c), hex).join(""));
  }

  function percentDecoded(text) {
    if (!text.includes("%")) return text;
    const bytes = [];
    for (const part of text.match(/%[0-9a-f]{2}|[^]/giu)) {
      if (part.length === 3 && part[0] === "%") bytes.push(parseInt(part.slice(1), 16));
      else bytes.push(...utf8.encode(part));
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
  }

  const plus = text => percentEncoded(text).replaceAll(" ", "+");
  const pairsOf = text =>
    text.split("&").filter(part => part !== "").map(part => {
      const at = part.indexOf("=");
      const [name, value] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
      return [name, value].map(s => percentDecoded(s.replaceAll("+", " ")));
    });

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = "") {
      if (typeof init === "object" && init !== null) {
        const all = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
        if (all.some(pair => [...pair].length !== 2)) throw new TypeError("each pair must be a name and a value");
        this.#pairs = all.map(([name, value]) => [String(name).toWellFormed(), String(value).toWellFormed()]);
      } else this.#pairs = pairsOf(String(init).toWellFormed().replace(/^\?/, ""));
    }
    static of(text, changed) {
      const params = new URLSearchParams();
      params.#pairs = pairsOf(text);
      params.#changed = changed;
      return params;
    }
    static renew(params, text) {
      params.#pairs = pairsOf(text);
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([String(name).toWellFormed(), String(value).toWellFormed()]);
      this.#changed(this.toString());
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([n, v]) => n !== `${name}` || (value !== undefined && v !== `${value}`));
      this.#changed(this.toString());
    }
    get(name) {
      return this.#pairs.find(([n]) => n === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([n]) => n === `${name}`).map(([, v]) => v);
    }
    has(name, value) {
      return this.#pairs.some(([n, v]) => n === `${name}` && (value === undefined || v === `${value}`));
    }
    set(name, value) {
      const at = this.#pairs.findIndex(([n]) => n === `${name}`);
      if (at < 0) return this.append(name, value);
      this.#pairs[at][1] = String(value).toWellFormed();
      this.#pairs = this.#pairs.filter(([n], i) => i <= at || n !== `${name}`);
      this.#changed(this.toString());
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed(this.toString());
    }
    forEach(fn, self) {
      for (const [name, value] of this.#pairs) fn.call(self, value, name, this);
    }
    *entries() {
      for (const pair of this.#pairs) yield [...pair];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(pair => pair.map(plus).join("=")).join("&");
    }
  }
  const { of, renew } = URLSearchParams;
  delete URLSearchParams.of;
  delete URLSearchParams.renew;

  class URL {
    #parts;
    #params;
    constructor(input, base) {
      const asked = base === undefined ? [`${input}`] : [`${input}`, `${base}`];
      this.#parts = parts("href", ...asked) ?? fail(...asked);
    }
    static canParse(input, base) {
      return URL.parse(input, base) !== null;
    }
    static parse(input, base) {
      try {
        return new URL(input, base);
      } catch {
        return null;
      }
    }
    // get and set are for the accessors below. An invalid value leaves the address unchanged.
    static get(url, name) {
      return url.#parts[name];
    }
    static set(url, name, value, renewed = true) {
      url.#parts = name === "href" ? (parts(name, value) ?? fail(value)) : (parts(name, value, url.#parts.href) ?? url.#parts);
      if (renewed && url.#params !== undefined) renew(url.#params, url.#parts.search.slice(1));
    }
    get origin() {
      const { protocol, host, pathname } = this.#parts;
      if (/^(https?|wss?|ftp):$/.test(protocol)) return `${protocol}//${host}`;
      const inner = protocol === "blob:" ? URL.parse(pathname) : null;
      return /^https?:$/.test(inner?.protocol) ? inner.origin : "null";
    }
    get searchParams() {
      return (this.#params ??= of(this.#parts.search.slice(1), text => set(this, "search", text, false)));
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }
  const { get, set } = URL;
  delete URL.get;
  delete URL.set;
  for (const name of ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
    const accessor = {
      get() {
        return get(this, name);
      },
      set(value) {
        set(this, name, `${value}`);
      },
    };
    Object.defineProperty(URL.prototype, name, { ...accessor, configurable: true, enumerable: true });
  }
  return { URL, URLSearchParams };
}
