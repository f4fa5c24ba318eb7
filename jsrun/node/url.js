// This text is node:url: it converts paths to addresses and back. The text in front of it defines windows, which is
// true if paths have the form of Windows, and start, the current directory.
import { resolve } from "node:path";

const URL = globalThis.URL;
const URLSearchParams = globalThis.URLSearchParams;

function fileURLToPath(url) {
  const { protocol, hostname, pathname } = typeof url === "string" ? new URL(url) : url;
  if (protocol !== "file:") throw Object.assign(new TypeError("The URL must be of scheme file"), { code: "ERR_INVALID_URL_SCHEME" });
  if (/%2f/i.test(pathname) || (windows && /%5c/i.test(pathname))) {
    throw Object.assign(new TypeError("File URL path must not include encoded / characters"), { code: "ERR_INVALID_FILE_URL_PATH" });
  }
  const path = decodeURIComponent(pathname);
  if (!windows) {
    if (hostname !== "") throw Object.assign(new TypeError('File URL host must be "localhost" or empty'), { code: "ERR_INVALID_FILE_URL_HOST" });
    return path;
  }
  const backwards = path.replaceAll("/", "\\");
  return hostname !== "" ? `\\\\${hostname}${backwards}` : backwards.slice(1);
}

function pathToFileURL(path) {
  let full = resolve(path);
  if (/[\\/]$/.test(path) && !/[\\/]$/.test(full)) full += "/";
  if (windows) full = full.replaceAll("\\", "/").replace(/^(?!\/)/, "/");
  const text = full.replace(/[%\\\n\r\t?#]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return new URL(`file://${text}`);
}

export default { URL, URLSearchParams, fileURLToPath, pathToFileURL };
export { URL, URLSearchParams, fileURLToPath, pathToFileURL };
