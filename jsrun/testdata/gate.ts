import type { HookAPI, ToolCall } from "@example/agent";
import { isDestructive } from "./lib/commands";

/** Asks before a command that cannot be undone, and refuses where nobody can be asked. */
export default function gate(pi: HookAPI): void {
	pi.on("tool_call", async (event: ToolCall, ctx) => {
		if (event.toolName !== "bash") return;
		const command = String(event.input?.command ?? "");
		if (!isDestructive(command)) return undefined;
		if (!ctx.hasUI) return { block: true, reason: `no user to ask about: ${command}` };
		const { confirm, notify } = ctx.ui;
		if (await confirm("Run this?", command)) {
			notify(`allowed: ${command}`, "info");
			return;
		}
		return { block: true, reason: "refused" };
	});
}
