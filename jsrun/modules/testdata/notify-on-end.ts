import type { HookAPI, AgentMessage } from "@mariozechner/pi-coding-agent";

const byRole = <T extends { role: string }>(messages: T[]) => Object.groupBy(messages, ({ role }) => role);

/** Tells when the agent is done, and what it cost; beeps unless the user is there. */
export default async function notifyOnEnd(pi: HookAPI): Promise<void> {
	const { notify = true } = await Promise.resolve<{ notify?: boolean }>({});

	pi.on("agent_end", async ({ messages }: { messages: AgentMessage[] }, ctx) => {
		const { assistant = [], toolResult = [] } = byRole(messages);
		const tokens = assistant.reduce((sum, m) => sum + (m.usage?.totalTokens ?? 0), 0);
		pi.logger.debug("agent done", { tokens, model: ctx.model?.id ?? "none" });
		if (!notify) return;
		ctx.ui.notify(`Done: ${assistant.length} answers, ${toolResult.length} tools, ${tokens.toLocaleString?.() ?? tokens} tokens`);
		if (!ctx.hasUI) await pi.exec("printf", ["\\a"]);
	});
}
