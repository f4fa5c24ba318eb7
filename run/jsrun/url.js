// URL and URLSearchParams of the web platform, for hosts in ASCII.
() => {
  const ports = { http: 80, https: 443, ws: 80, wss: 443, ftp: 21, file: null };
  const isSpecial = scheme => Object.hasOwn(ports, scheme);
  const utf8 = new TextEncoder();
  const fail = why => {
    throw Object.assign(new TypeError(`Invalid URL: ${why}`), { code: "ERR_INVALID_URL" });
  };

  // encoder percent-encodes what is beyond ASCII or a control character, and
  // the characters given.
  const encoder = more => {
    const wanted = new RegExp(`[^\\x20-\\x7e]|[${more}]`, "gu");
    const hex = b => `%${b.toString(16).toUpperCase().padStart(2, "0")}`;
    return text => text.toWellFormed().replace(wanted, c => Array.from(utf8.encode(c), hex).join(""));
  };
  const encode = {
    control: text => encoder("\\x7f")(text),
    fragment: encoder(' "<>`'),
    query: encoder(' "#<>'),
    specialQuery: encoder(" \"#<>'"),
    path: encoder(' "#<>?^`{}'),
    user: encoder(' "#<>?`{}/:;=@\\[\\\\\\]^|'),
  };

  function percentDecoded(text) {
    if (!text.includes("%")) return text;
    const bytes = [];
    for (const part of text.match(/%[0-9a-f]{2}|[^]/giu)) {
      if (part.length === 3 && part[0] === "%") bytes.push(parseInt(part.slice(1), 16));
      else bytes.push(...utf8.encode(part));
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
  }

  // Hosts.

  function hostOf(text, special) {
    if (text.startsWith("[")) {
      if (!text.endsWith("]")) fail("the address has no ]");
      return `[${ipv6(text.slice(1, -1))}]`;
    }
    if (!special) {
      if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) fail("a character that hosts cannot have");
      return encode.control(text);
    }
    const name = percentDecoded(text).toLowerCase();
    if (/[^\0-\x7f]/.test(name)) fail("hosts beyond ASCII are not supported, write them as xn--");
    if (name === "" || /[\0-\x20#%/:<>?@[\\\]^|\x7f]/.test(name)) fail("a character that hosts cannot have");
    const labels = name.split(".");
    if (labels.length > 1 && labels.at(-1) === "") labels.pop();
    return /^([0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1)) ? ipv4(labels) : name;
  }

  function ipv4(labels) {
    if (labels.length > 4) fail("an IPv4 address of more than four parts");
    const numbers = labels.map(label => {
      if (!/^(0x[0-9a-f]*|0[0-7]*|[1-9][0-9]*)$/.test(label)) fail("no number in an IPv4 address");
      return /^0x/.test(label) ? parseInt(label.slice(2) || "0", 16) : parseInt(label, /^0./.test(label) ? 8 : 10);
    });
    const last = numbers.pop();
    if (numbers.some(n => n > 255) || last >= 256 ** (4 - numbers.length)) fail("too large a number in an IPv4 address");
    const all = numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), last);
    return [3, 2, 1, 0].map(i => Math.floor(all / 256 ** i) % 256).join(".");
  }

  function ipv6(text) {
    const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
    if (tail !== null) {
      const parts = tail[2].split(".");
      if (parts.some(p => !/^(0|[1-9]\d{0,2})$/.test(p) || p > 255)) fail("no IPv6 address");
      const [a, b, c, d] = parts.map(Number);
      text = `${tail[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    }
    const halves = text.split("::");
    const pieces = halves.map(half => (half === "" ? [] : half.split(":")));
    const known = pieces.flat();
    if (halves.length > 2 || known.some(p => !/^[0-9a-f]{1,4}$/i.test(p))) fail("no IPv6 address");
    if (halves.length === 2 ? known.length > 7 : known.length !== 8) fail("no IPv6 address");
    const zeros = new Array(8 - known.length).fill("0");
    const all = (halves.length === 2 ? [...pieces[0], ...zeros, ...pieces[1]] : known).map(p => parseInt(p, 16));
    // The first of the longest runs of zeros is left out.
    let [at, most] = [-1, 1];
    for (let i = 0; i < 8; i++) {
      let n = 0;
      while (i + n < 8 && all[i + n] === 0) n++;
      if (n > most) [at, most] = [i, n];
    }
    const hex = list => list.map(n => n.toString(16)).join(":");
    return at < 0 ? hex(all) : `${hex(all.slice(0, at))}::${hex(all.slice(at + most))}`;
  }

  // Paths.

  const isDrive = text => /^[a-z][:|]$/i.test(text);
  const startsDrive = text => /^[a-z][:|]([/\\]|$)/i.test(text);

  function shorten(url) {
    if (url.scheme === "file" && url.path.length === 1 && /^[a-z]:$/i.test(url.path[0])) return;
    url.path.pop();
  }

  // walk adds the parts of a path to that of the URL.
  function walk(url, text) {
    const parts = text.split(isSpecial(url.scheme) ? /[/\\]/ : "/");
    parts.forEach((part, i) => {
      const last = i === parts.length - 1;
      const plain = part.replace(/%2e/gi, ".");
      if (plain === "..") {
        shorten(url);
        if (last) url.path.push("");
      } else if (plain === ".") {
        if (last) url.path.push("");
      } else {
        if (url.scheme === "file" && url.path.length === 0 && isDrive(part)) part = `${part[0]}:`;
        url.path.push(encode.path(part));
      }
    });
  }

  function absolutePath(url, text) {
    url.path = [];
    if (text === "" && !isSpecial(url.scheme)) return;
    walk(url, text.replace(isSpecial(url.scheme) ? /^[/\\]/ : /^\//, ""));
  }

  // Parts.

  function authority(url, text) {
    const special = isSpecial(url.scheme);
    const end = text.search(special ? /[/\\]/ : /\//);
    const [head, path] = end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end)];
    const at = head.lastIndexOf("@");
    const host = head.slice(at + 1);
    if (at >= 0) {
      const [user, ...password] = head.slice(0, at).split(":");
      url.username = encode.user(user);
      url.password = encode.user(password.join(":"));
    }
    const m = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(host);
    if (m === null || (m[1] === "" && (special || at >= 0 || m[2] !== undefined))) fail("no host");
    url.host = m[1] === "" ? "" : hostOf(m[1], special);
    url.port = portOf(m[2] ?? "", url.scheme);
    absolutePath(url, path);
  }

  function portOf(text, scheme) {
    if (text === "") return null;
    if (!/^\d+$/.test(text) || Number(text) > 65535) fail("no port");
    return Number(text) === ports[scheme] ? null : Number(text);
  }

  function fileParts(url, text, base) {
    url.host = "";
    const m = /^[/\\]{2}([^/\\]*)(.*)$/s.exec(text);
    if (m !== null && !isDrive(m[1])) {
      const host = m[1] === "" ? "" : hostOf(m[1], true);
      url.host = host === "localhost" ? "" : host;
      return absolutePath(url, m[2]);
    }
    if (m !== null) return absolutePath(url, text.slice(2));
    if (base?.scheme !== "file") return absolutePath(url, text);
    url.host = base.host;
    if (/^[/\\]/.test(text)) {
      url.path = [];
      if (/^[a-z]:$/i.test(base.path[0] ?? "") && !startsDrive(text.slice(1))) url.path.push(base.path[0]);
      return walk(url, text.slice(1));
    }
    beside(url, text, base);
    if (startsDrive(text)) absolutePath(url, text);
  }

  // beside is a path that counts from the base's.
  function beside(url, text, base) {
    url.path = [...base.path];
    if (text === "") {
      url.query ??= base.query;
      return;
    }
    shorten(url);
    walk(url, text);
  }

  function relativeParts(url, text, base) {
    const special = isSpecial(url.scheme);
    if (special ? /^[/\\]{2}/.test(text) : text.startsWith("//")) {
      return authority(url, text.replace(special ? /^[/\\]+/ : /^\/\//, ""));
    }
    Object.assign(url, { username: base.username, password: base.password, host: base.host, port: base.port });
    if (special ? /^[/\\]/.test(text) : text.startsWith("/")) return absolutePath(url, text);
    beside(url, text, base);
  }

  function parsed(input, base) {
    let text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
    const url = { scheme: "", username: "", password: "", host: null, port: null, path: [], opaque: false, query: null, fragment: null };
    const cut = (at, rest) => (text = text.slice(0, at), rest);
    const hash = text.indexOf("#");
    if (hash >= 0) url.fragment = encode.fragment(cut(hash, text.slice(hash + 1)));
    const mark = text.indexOf("?");
    const query = mark < 0 ? null : cut(mark, text.slice(mark + 1));
    const m = /^([a-z][a-z0-9+.-]*):/i.exec(text);
    url.scheme = m?.[1].toLowerCase() ?? base?.scheme ?? fail("neither a scheme nor a base");
    if (query !== null) url.query = encode[isSpecial(url.scheme) ? "specialQuery" : "query"](query);
    if (m !== null) text = text.slice(m[0].length);
    parts(url, text, m !== null, base);
    return url;
  }

  function parts(url, text, schemed, base) {
    const special = isSpecial(url.scheme);
    if (!schemed && base.opaque) {
      if (text !== "" || url.query !== null || url.fragment === null) fail("the base has no path to count from");
      Object.assign(url, { path: base.path, opaque: true, query: base.query });
    } else if (url.scheme === "file") fileParts(url, text, base);
    else if (!schemed || (special && base?.scheme === url.scheme && !/^\/\//.test(text))) relativeParts(url, text, base);
    else if (special) authority(url, text.replace(/^[/\\]+/, ""));
    else if (text.startsWith("//")) authority(url, text.slice(2));
    else if (text.startsWith("/")) absolutePath(url, text);
    else Object.assign(url, { path: encode.control(text), opaque: true });
  }

  const pathOf = url => (url.opaque ? url.path : url.path.map(part => `/${part}`).join(""));

  function written(url) {
    const who = url.username + (url.password && `:${url.password}`);
    const where = url.host !== null ? `//${who && `${who}@`}${hostAndPort(url)}` : !url.opaque && url.path.length > 1 && url.path[0] === "" ? "/." : "";
    return `${url.scheme}:${where}${pathOf(url)}${url.query === null ? "" : `?${url.query}`}${url.fragment === null ? "" : `#${url.fragment}`}`;
  }

  const hostAndPort = url => (url.host ?? "") + (url.port === null ? "" : `:${url.port}`);

  // Queries.

  const plus = text => encoder(" !\"#$%&'()+,/:;<=>?@\\[\\\\\\]^`{|}~")(text).replaceAll("%20", "+");
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
    #url;
    #params;
    constructor(input, base) {
      this.#url = parsed(`${input}`, base === undefined ? undefined : parsed(`${base}`));
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
    get href() {
      return written(this.#url);
    }
    set href(text) {
      this.#url = parsed(`${text}`);
      if (this.#params !== undefined) renew(this.#params, this.#url.query ?? "");
    }
    get origin() {
      const { scheme } = this.#url;
      if (scheme === "blob") return URL.parse(this.pathname)?.origin ?? "null";
      return isSpecial(scheme) && scheme !== "file" ? `${scheme}://${this.host}` : "null";
    }
    get protocol() {
      return `${this.#url.scheme}:`;
    }
    get username() {
      return this.#url.username;
    }
    get password() {
      return this.#url.password;
    }
    get host() {
      return hostAndPort(this.#url);
    }
    get hostname() {
      return this.#url.host ?? "";
    }
    get port() {
      return `${this.#url.port ?? ""}`;
    }
    get pathname() {
      return pathOf(this.#url);
    }
    set pathname(text) {
      if (!this.#url.opaque) absolutePath(this.#url, `${text}`.replace(/[\t\n\r]/g, "").replace(/[?#]/g, c => (c === "?" ? "%3F" : "%23")).replace(/^(?![/\\])/, "/"));
    }
    get search() {
      return this.#url.query ? `?${this.#url.query}` : "";
    }
    set search(text) {
      const query = `${text}`.replace(/[\t\n\r]/g, "").replace(/^\?/, "");
      this.#url.query = `${text}` === "" ? null : encode[isSpecial(this.#url.scheme) ? "specialQuery" : "query"](query);
      if (this.#params !== undefined) renew(this.#params, this.#url.query ?? "");
    }
    get searchParams() {
      return (this.#params ??= of(this.#url.query ?? "", text => (this.#url.query = text === "" ? null : text)));
    }
    get hash() {
      return this.#url.fragment ? `#${this.#url.fragment}` : "";
    }
    set hash(text) {
      this.#url.fragment = `${text}` === "" ? null : encode.fragment(`${text}`.replace(/[\t\n\r]/g, "").replace(/^#/, ""));
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }
  for (const name of ["protocol", "username", "password", "host", "hostname", "port"]) {
    const { get } = Object.getOwnPropertyDescriptor(URL.prototype, name);
    const set = () => {
      throw new TypeError(`${name} of a URL cannot be changed here; make a new one`);
    };
    Object.defineProperty(URL.prototype, name, { get, set, configurable: true, enumerable: true });
  }
  return { URL, URLSearchParams };
}
