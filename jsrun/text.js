// This script defines globals that need no host: TextEncoder and TextDecoder, base64, structuredClone, numbers in
// American format, and features that the language will have.
() => {
  const named = (name, message) => Object.defineProperty(new Error(message), "name", { value: name, configurable: true });
  const bytesOf = source => (ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source));

  class TextEncoder {
    encoding = "utf-8";
    encode(input = "") {
      const out = [];
      for (const char of String(input).toWellFormed()) {
        const c = char.codePointAt(0);
        if (c < 0x80) out.push(c);
        else if (c < 0x800) out.push(0xc0 | (c >> 6), 0x80 | (c & 63));
        else if (c < 0x10000) out.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
        else out.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
      }
      return new Uint8Array(out);
    }
  }

  // length returns the number of bytes of the character at i; for a malformed character, minus the number of its bytes
  // up to the mistake.
  function length(bytes, i) {
    const b = bytes[i];
    if (b < 0x80) return 1;
    const n = b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
    if (n === 0) return -1;
    const low = b === 0xe0 ? 0xa0 : b === 0xf0 ? 0x90 : 0x80;
    const high = b === 0xed ? 0x9f : b === 0xf4 ? 0x8f : 0xbf;
    for (let k = 1; k < n; k++) {
      const next = bytes[i + k];
      if (next === undefined || next < (k === 1 ? low : 0x80) || next > (k === 1 ? high : 0xbf)) return -k;
    }
    return n;
  }

  class TextDecoder {
    encoding = "utf-8";
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) throw new RangeError(`TextDecoder knows utf-8 alone, not "${label}"`);
      this.fatal = fatal;
      this.ignoreBOM = ignoreBOM;
    }
    decode(source = new Uint8Array(0)) {
      const bytes = bytesOf(source);
      const marked = !this.ignoreBOM && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
      let out = "";
      for (let i = marked ? 3 : 0; i < bytes.length; ) {
        const n = length(bytes, i);
        if (n < 0 && this.fatal) throw new TypeError("the bytes are not UTF-8");
        out += n < 0 ? "\ufffd" : character(bytes, i, n);
        i += Math.abs(n);
      }
      return out;
    }
  }

  function character(bytes, i, n) {
    if (n === 1) return String.fromCharCode(bytes[i]);
    let c = bytes[i] & (0xff >> (n + 1));
    for (let k = 1; k < n; k++) c = (c << 6) | (bytes[i + k] & 63);
    return String.fromCodePoint(c);
  }

  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  function btoa(input) {
    const s = String(input);
    let out = "";
    for (let i = 0; i < s.length; i += 3) {
      const codes = [0, 1, 2].map(k => (i + k < s.length ? s.charCodeAt(i + k) : 0));
      if (codes.some(c => c > 255)) throw named("InvalidCharacterError", "btoa takes characters up to U+00FF");
      const word = (codes[0] << 16) | (codes[1] << 8) | codes[2];
      for (let k = 0; k < 4; k++) out += i + k > s.length ? "=" : digits[(word >> (18 - 6 * k)) & 63];
    }
    return out;
  }

  function atob(input) {
    let s = String(input).replace(/[\t\n\f\r ]/g, "");
    if (s.length % 4 === 0) s = s.replace(/==?$/, "");
    if (s.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(s)) throw named("InvalidCharacterError", "the text is not base64");
    let out = "";
    for (let i = 0, bits = 0, word = 0; i < s.length; i++) {
      word = ((word << 6) | digits.indexOf(s[i])) & 0xffff;
      bits += 6;
      if (bits >= 8) out += String.fromCharCode((word >> (bits -= 8)) & 255);
    }
    return out;
  }

  function structuredClone(value) {
    return copy(value, new Map());
  }

  function copy(value, seen) {
    if (typeof value === "function" || typeof value === "symbol") throw named("DataCloneError", `a ${typeof value} cannot be cloned`);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const [made, fill] = blank(value, seen);
    seen.set(value, made);
    fill?.();
    return made;
  }

  // blank returns a new object of value's kind, and a function that fills it, if it has members.
  function blank(value, seen) {
    if (value instanceof Date) return [new Date(value.getTime())];
    if (value instanceof RegExp) return [new RegExp(value.source, value.flags)];
    if (value instanceof Boolean || value instanceof Number || value instanceof String) return [Object(value.valueOf())];
    if (value instanceof ArrayBuffer) return [value.slice(0)];
    if (value instanceof DataView) return [new DataView(copy(value.buffer, seen), value.byteOffset, value.byteLength)];
    if (ArrayBuffer.isView(value)) return [new value.constructor(copy(value.buffer, seen), value.byteOffset, value.length)];
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
      throw named("DataCloneError", `a ${value.constructor.name} cannot be cloned`);
    }
    if (value instanceof Map) {
      const made = new Map();
      return [made, () => value.forEach((v, k) => made.set(copy(k, seen), copy(v, seen)))];
    }
    if (value instanceof Set) {
      const made = new Set();
      return [made, () => value.forEach(v => made.add(copy(v, seen)))];
    }
    const made = value instanceof Error ? likeError(value) : Array.isArray(value) ? new Array(value.length) : {};
    const keys = value instanceof Error ? ("cause" in value ? ["cause"] : []) : Object.keys(value);
    return [made, () => keys.forEach(k => Object.defineProperty(made, k, own(copy(value[k], seen), k !== "cause" || !(value instanceof Error))))];
  }

  const own = (value, enumerable) => ({ value, enumerable, writable: true, configurable: true });

  const kinds = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

  function likeError(error) {
    const made = new (kinds.find(kind => error instanceof kind) ?? Error)(error.message);
    Object.defineProperty(made, "stack", own(String(error.stack), false));
    return made;
  }

  // toLocaleString writes 1234.5678 as 1,234.568. Other locales and options would need data about languages.
  function toLocaleString(locale = "en-US", options = {}) {
    const { minimumFractionDigits: least = 0, maximumFractionDigits: most = Math.max(3, least), useGrouping = true, ...rest } = options;
    const other = Object.keys(rest)[0] ?? (/^en(-US)?$/i.test([locale].flat()[0] ?? "en") ? undefined : locale);
    if (other !== undefined) throw new RangeError(`toLocaleString knows en-US and digits alone, not "${other}"`);
    const value = typeof this === "bigint" ? this : Number(this);
    if (typeof value === "number" && !Number.isFinite(value)) return `${value}`.replace("Infinity", "∞");
    const plain = typeof value === "bigint" ? `${value}` : fixed(value, most);
    const [, sign, whole, fraction] = /^(-?)(\d+)(?:\.(\d*?)0*)?$/.exec(plain);
    const digits = (fraction ?? "").padEnd(least, "0");
    return sign + (useGrouping ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole) + (digits && `.${digits}`);
  }

  // fixed does the same as toFixed for numbers of any size.
  const fixed = (value, digits) => (Math.abs(value) < 1e21 ? value.toFixed(digits) : `${BigInt(value)}`);

  // The declaration using needs these symbols, which older engines lack.
  for (const name of ["dispose", "asyncDispose"]) {
    if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });
  }

  // Classes of errors call captureStackTrace, which V8 and JavaScriptCore have.
  Error.captureStackTrace ??= error => void Object.defineProperty(error, "stack", own(new Error().stack, false));

  for (const { prototype } of [Number, BigInt]) {
    Object.defineProperty(prototype, "toLocaleString", { value: toLocaleString, writable: true, configurable: true });
  }

  for (const [name, value] of Object.entries({ TextEncoder, TextDecoder, atob, btoa, structuredClone })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}
