import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

type TextPart = { type: "text"; text: string };

const MAX = 50;

/** Commits what the agent has changed when it exits, under its last words. */
export default function (pi: HookAPI) {
	pi.on("session_shutdown", async (_event, ctx) => {
		const { stdout: status, code } = await pi.exec("git", ["status", "--porcelain"]);
		if (code !== 0 || status.trim().length === 0) return;

		let lastAssistantText = "";
		for (const entry of ctx.sessionManager.getEntries().toReversed()) {
			if (entry.type !== "message" || entry.message.role !== "assistant") continue;
			const { content } = entry.message;
			if (Array.isArray(content)) {
				lastAssistantText = content
					.filter((c): c is TextPart => c.type === "text")
					.map(c => c.text)
					.join("\n");
			}
			break;
		}

		const firstLine = lastAssistantText.split("\n")[0] || "Work in progress";
		const message = `[pi] ${firstLine.slice(0, MAX)}${firstLine.length > MAX ? "..." : ""}`;

		await pi.exec("git", ["add", "-A"]);
		const { code: commitCode } = await pi.exec("git", ["commit", "-m", message], { timeout: 20_000 });
		if (ctx.hasUI && commitCode === 0) {
			ctx.ui.notify(`Auto-committed: ${message}`, "info");
		}
	});
}
