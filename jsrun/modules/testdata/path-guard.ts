import * as path from "node:path";
import { fileURLToPath } from "node:url";
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/extensibility/hooks";

const hosts = new Set(["docs.example.org"]);

/** Keeps reading to the project, and fetching to hosts that are known. */
export default function guard(pi: HookAPI): void {
	pi.on("tool_call", (event, ctx) => {
		const reason = event.toolName === "fetch" ? host(String(event.input.url)) : event.toolName === "read" ? file(String(event.input.path), ctx.cwd) : undefined;
		return reason === undefined ? undefined : { block: true, reason };
	});
}

function host(url: string): string | undefined {
	const { hostname } = new URL(url);
	return hosts.has(hostname) ? undefined : `${hostname} is not a known host`;
}

function file(name: string, cwd: string): string | undefined {
	const full = path.resolve(cwd, name.startsWith("file:") ? fileURLToPath(name) : name);
	if (path.relative(cwd, full).split(path.sep)[0] === "..") return `${full} is not in the project`;
	return /^\.env(\.|$)/.test(path.basename(full)) ? `${path.basename(full)} is a secret` : undefined;
}
