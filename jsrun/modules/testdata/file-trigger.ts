import * as fs from "node:fs";
import type { HookAPI } from "@mariozechner/pi-coding-agent";

/** Sends what is written to a file as a message. */
export default function (pi: HookAPI) {
	pi.on("session_start", async (_event, ctx) => {
		fs.watch("/tmp/agent-trigger.txt", () => {
			const content = fs.readFileSync("/tmp/agent-trigger.txt", "utf-8").trim();
			pi.sendMessage({ customType: "file-trigger", content, display: true }, true);
		});
		if (ctx.hasUI) ctx.ui.notify("Watching /tmp/agent-trigger.txt", "info");
	});
}
