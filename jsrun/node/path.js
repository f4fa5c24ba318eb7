// This text is node:path for POSIX and for Windows; it only computes with texts. The text in front of it defines start,
// the directory in which resolve begins, and the text after it exports one of the two variants.

function wantText(value, name) {
  if (typeof value === "string") return;
  const kind = value === null ? "null" : typeof value;
  throw Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${kind}`), { code: "ERR_INVALID_ARG_TYPE" });
}

// folded returns parts without empty parts and ".", and with each ".." applied to the part before it.
function folded(parts, rooted) {
  const all = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") all.push(part);
    else if (all.length > 0 && all.at(-1) !== "..") all.pop();
    else if (!rooted) all.push(part);
  }
  return all;
}

function flavour({ sep, delimiter, separators, split, fold, joined }) {
  const parts = text => text.split(separators);
  const ends = text => text !== "" && parts(text.at(-1)).length === 2;
  const rootOf = ({ device, rooted }) => device + (rooted ? sep : "");

  function normalize(path) {
    wantText(path, "path");
    if (path === "") return ".";
    const { device, rooted, rest } = split(path);
    let tail = folded(parts(rest), rooted).join(sep);
    if (tail === "" && !rooted) tail = ".";
    if (tail !== "" && ends(rest)) tail += sep;
    return rootOf({ device, rooted }) + tail;
  }

  function join(...paths) {
    for (const path of paths) wantText(path, "path");
    const given = paths.filter(path => path !== "");
    return normalize(joined(given[0] ?? "", given.join(sep)));
  }

  const isAbsolute = path => (wantText(path, "path"), split(path).rooted);

  // resolve reads its arguments from the right, until a path has a root.
  function resolve(...paths) {
    let device = "";
    let tail = "";
    let rooted = false;
    for (let i = paths.length - 1; i >= -1 && !(rooted && device !== "") && !(rooted && sep === "/"); i--) {
      if (i >= 0) wantText(paths[i], `paths[${i}]`);
      const path = i >= 0 ? paths[i] : directory();
      if (path === "") continue;
      const at = split(path);
      if (at.device !== "") {
        if (device !== "" && fold(at.device) !== fold(device)) continue; // the path is on another drive
        device ||= at.device;
      }
      if (rooted) continue;
      tail = `${at.rest}${sep}${tail}`;
      rooted = at.rooted;
    }
    return rootOf({ device, rooted }) + folded(parts(tail), rooted).join(sep) || ".";
  }

  function relative(from, to) {
    wantText(from, "from");
    wantText(to, "to");
    const [a, b] = [from, to].map(path => split(resolve(path)));
    if (fold(a.device) !== fold(b.device)) return resolve(to);
    const [down, up] = [a, b].map(at => parts(at.rest).filter(part => part !== ""));
    let same = 0;
    while (same < down.length && same < up.length && fold(down[same]) === fold(up[same])) same++;
    return [...down.slice(same).map(() => ".."), ...up.slice(same)].join(sep);
  }

  // cut splits a path into its root, its directory and its last part.
  function cut(path) {
    const { device } = split(path);
    const root = path.slice(0, device.length + (ends(path.slice(0, device.length + 1)) && device.length < path.length ? 1 : 0));
    let end = path.length;
    while (end > root.length && ends(path.slice(0, end))) end--;
    let begin = end;
    while (begin > root.length && !ends(path.slice(0, begin))) begin--;
    return { root, dir: path.slice(0, Math.max(root.length, begin - 1)), base: path.slice(begin, end) };
  }

  function dirname(path) {
    wantText(path, "path");
    return cut(path).dir || ".";
  }

  function basename(path, suffix = "") {
    wantText(path, "path");
    wantText(suffix, "suffix");
    const { base } = cut(path);
    return base !== suffix && base.endsWith(suffix) ? base.slice(0, base.length - suffix.length) : base;
  }

  function extname(path) {
    wantText(path, "path");
    return ending(cut(path).base);
  }

  function ending(base) {
    const dot = base.lastIndexOf(".");
    return dot > 0 && base !== ".." ? base.slice(dot) : "";
  }

  function parse(path) {
    wantText(path, "path");
    const { root, dir, base } = cut(path);
    const ext = ending(base);
    return { root, dir, base, ext, name: base.slice(0, base.length - ext.length) };
  }

  function format({ root = "", dir = root, base, name = "", ext = "" }) {
    base ||= name + (ext && !ext.startsWith(".") ? "." : "") + ext;
    return dir === "" ? base : dir === root ? dir + base : dir + sep + base;
  }

  return { sep, delimiter, normalize, join, isAbsolute, resolve, relative, dirname, basename, extname, parse, format, toNamespacedPath: path => path };
}

function directory() {
  if (start === "") throw new Error("a module has no current directory: begin with one, as in resolve(ctx.cwd, path)");
  return start;
}

const posix = flavour({
  sep: "/",
  delimiter: ":",
  separators: "/",
  split: path => ({ device: "", rooted: path.startsWith("/"), rest: path.replace(/^\/+/, "") }),
  fold: text => text,
  joined: (_, path) => path,
});

const win32 = flavour({
  sep: "\\",
  delimiter: ";",
  separators: /[\\/]/,
  split: path => {
    const server = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)[\\/]*/.exec(path);
    if (server !== null) return { device: `\\\\${server[1]}\\${server[2]}`, rooted: true, rest: path.slice(server[0].length) };
    const [root, device = ""] = /^([A-Za-z]:)?[\\/]*/.exec(path);
    return { device, rooted: root.length > device.length, rest: path.slice(root.length) };
  },
  fold: text => text.toLowerCase(),
  // Two separators at the start are a server if the first text alone says so.
  joined: (first, path) => (/^[\\/]{2}[^\\/]/.test(first) ? path : path.replace(/^[\\/]{2,}/, "\\")),
});

posix.posix = win32.posix = posix;
posix.win32 = win32.win32 = win32;
